"""A Spark of this machine, asked from this process and by Spark Connect, and all that it says on the way."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import pandas_dp as pdp
from tests.engines.scan.conftest import GENEROUS, Farms, farms
from tests.people.conftest import no_other_sessions, open_session, patients, visits

__all__ = ["no_other_sessions", "open_session", "patients", "visits"]  # fixtures

collect_ignore_glob = [] if find_spec("pyspark") else ["test_*.py"]  # `make test-spark` has it

SERVICE = "org.apache.spark.sql.connect.service.SparkConnectService$"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",  # one that is free
    "spark.sql.shuffle.partitions": "5",
    "spark.sql.session.timeZone": "America/New_York",
    "spark.sql.files.maxPartitionBytes": "20000",  # so that there are several tasks
    "spark.sql.files.openCostInBytes": "1",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What Spark's own Python warns of is not ours."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that Spark, its executors and their Python say."""
    return tmp_path_factory.mktemp("spark") / "log"


@pytest.fixture(scope="session")
def classic(log: Path) -> Iterator[Any]:
    """Two threads, each of whose tasks is tried four times."""
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    builder = SparkSession.builder.master("local[2,4]").config("spark.sql.warehouse.dir", str(log.parent / "tables"))
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    kept = [os.dup(1), os.dup(2)]
    with log.open("wb") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
        try:
            spark = builder.getOrCreate()
        finally:
            os.dup2(kept[0], 1)
            os.dup2(kept[1], 2)
    yield spark
    spark.stop()


@pytest.fixture(scope="session")
def connect(classic: Any) -> Iterator[Any]:
    """The same Spark through a server on loopback."""
    from pyspark.sql.connect.session import SparkSession

    loader = classic._jvm.Thread.currentThread().getContextClassLoader()
    port = loader.loadClass(SERVICE).getField("MODULE$").get(None).localPort()
    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    yield spark
    spark.stop()  # before its server does, for which it would wait some minutes


@pytest.fixture(params=["classic", "connect"])
def spark(request: pytest.FixtureRequest) -> Any:
    """Both ways to it."""
    return request.getfixturevalue(request.param)


def written(rows: pd.DataFrame, folder: Path) -> Path:
    """Three files, with times as Spark reads them."""
    folder.mkdir()
    table = pa.Table.from_pandas(rows, preserve_index=False)
    for number, piece in enumerate((table[:100], table[100:101], table[101:])):
        parquet.write_table(piece, folder / f"{number}.parquet", row_group_size=200, coerce_timestamps="us")
    return folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(farms().drop(columns="wait"), tmp_path_factory.mktemp("files") / "farms")


@pytest.fixture(scope="session")
def kept(classic: Any, folder: Path) -> str:
    """The name of a table that Spark keeps."""
    classic.read.parquet(str(folder)).write.saveAsTable("farms")
    return "farms"


@pytest.fixture
def session() -> Iterator[pdp.Session]:
    """Answers are as good as exact."""
    opened = pdp.Session(schema=Farms.to_schema().remove_columns(["wait"]), **GENEROUS)
    yield opened
    opened.close()
