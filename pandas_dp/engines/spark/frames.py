"""The engine of tables of Spark: folds go to its executors by `mapInArrow`, and exact partials come back, one of each
task, however often Spark tried it."""

from __future__ import annotations

import pickle
from collections.abc import Hashable, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from ...core.engine.fold import Batch, ChangedError
from ...core.protect.session_lookup import withheld
from ...errors import MissingExtra, NotProtected, UnsupportedArgument
from ...language.known import Fact
from ...version import VERSION
from ..scan.fold_people import Place, type_of_ids
from ..scan.scan import Found, NumberOfRows, Pass, RowsElsewhere, Scanned, Taken, merged
from ..scan.scanning import check_whole
from ..scan.sources import Recorder
from ..scan.table import facts_of
from .tasks import FILE, FOUND, PART, ROW, OfPart, Work, part_of, place_rows, read_part, read_rows

if TYPE_CHECKING:
    from ...core.session.session_core import SessionCore

NOT_READ = (
    "Spark could not say what this table is made of, or how many rows it has; nothing is paid. The cause is withheld "
    "because it could reveal something about a row; open the session with custodian=True to see it."
)
FILES = ("ParquetFileFormat", "OrcFileFormat", "ParquetHiveSerDe", "OrcSerde", "ParquetTable", "OrcTable")
READERS = (*FILES, "DeltaTableV2", "iceberg.spark.source.SparkTable")  # classes of Spark's, by how their names end
FORMATS = ("parquet", "orc", "delta", "iceberg")
DATES = ("spark.sql.parquet.datetimeRebaseModeInRead", "spark.sql.parquet.int96RebaseModeInRead")


def of_frame(
    core: SessionCore, frame: Any, public: bool, said: int | None, unit: Hashable | None
) -> tuple[Scanned, dict[Hashable, Fact]]:
    """What a session scans of Spark's; how many rows there are is counted, where everyone may know it."""
    source, counted = withheld(core, lambda: _opened(core, frame, unit), NOT_READ), public and said is None
    rows = withheld(core, frame.count, NOT_READ) if counted else said
    return Scanned(source, NumberOfRows(rows, counted)), facts_of(source.schema)


def _opened(core: SessionCore, frame: Any, unit: Hashable | None) -> SparkRows:
    if not only_reads(frame):
        raise NotProtected(
            "scan takes tables and files of Spark as they are stored, in Parquet, ORC, Delta or Iceberg: of what Spark "
            "computes, a view included, it may raise with a row's value in its logs; give spark.table(name) or "
            "spark.read.parquet(path), and write the rest about the scanned table, e.g. t.assign(...) or t[t['x'] > 2]."
        )
    source, people = SparkRows(frame, core.opening.custodian), core.tables.people
    check_whole([source.schema])
    _ = source.chosen(source.schema.names).schema  # raises where two columns have one name
    try:
        SparkRows(frame.sparkSession.range(1), True)._found(Work.of([], ["id"], True))
    except Exception as error:  # of no row
        raise MissingExtra(
            f"Spark's executors have no pandas-dp {VERSION}, by which the tasks of a question read; install the same "
            "wheel where Spark's Python is, which PYSPARK_PYTHON names.",
            extra="spark",
        ) from error
    if people is None:
        return source
    column = people.column(pd.DataFrame(columns=source.schema.names), unit)
    by_person = SparkPeople(frame, core.opening.custodian, str(column), people.hashes_of_roster())
    people.take(type_of_ids(source.schema.field(column).type), column)
    return by_person


class SparkRows(RowsElsewhere):
    """A table of which each row is a person."""

    called: ClassVar[str] = "a table of Spark"
    reads: Sequence[str] = ()  # columns that each question needs
    also: Sequence[str] = ()  # what is told beside them

    def __init__(self, frame: Any, says_why: bool) -> None:
        from pyspark.sql.pandas.types import to_arrow_schema

        zone = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}  # from Spark 4.2 on
        self.frame, self.says_why, self.schema = frame, says_why, to_arrow_schema(frame.schema, **zone)

    def nothing(self) -> Batch:
        return Recorder(self.schema).batch()

    def folded(self, tables: Sequence[Pass]) -> Found:
        if not only_reads(self.frame):  # a name may be another table's by now
            raise ChangedError
        recorder, nothing = Recorder(self.schema), Taken(tables)
        nothing.read(recorder.batch())
        names = list(dict.fromkeys([*map(str, recorder.read), *self.reads])) or self.schema.names[:1]
        found = self._found(Work.of(tables, names, self.says_why))
        return merged(tables, nothing.found, *(each for each, _ in found if each[0]))

    def chosen(self, names: Sequence[str]) -> Any:
        """These columns and no others, called by their places, so that no name means another thing."""
        quoted = ["`" + name.replace("`", "``") + "`" for name in names]
        return self.frame.selectExpr(*[f"{name} AS `{place}`" for place, name in enumerate(quoted)], *self.also)

    def _found(self, work: Work) -> list[OfPart]:
        return self._told(self.chosen(work.names).mapInArrow(lambda batches: read_rows(work, batches), FOUND))

    def _told(self, asked: Any) -> list[OfPart]:
        found = [pickle.loads(bytes(row[0])) for row in asked.collect()]
        lost = [each for each in found if not isinstance(each, tuple)]
        if lost:
            raise RuntimeError(lost[0] or "a task failed")
        return found


class SparkPeople(SparkRows):
    """A table in which a person may have many rows: Spark's shuffle brings together those of a part of the people, and
    whoever reads a part hashes each row's id again, so that a wrong shuffle costs answers and never a promise."""

    of_people = True
    is_complete: ClassVar[bool] = True
    also = (f"xxhash64(_metadata.file_path) AS {FILE}", f"_metadata.row_index AS {ROW}")  # larger files are read first

    def __init__(self, frame: Any, says_why: bool, by: str, on_roster: Any) -> None:
        super().__init__(frame, says_why)
        told = frame.sparkSession.conf.get("spark.sql.shuffle.partitions", "")
        self.by, self.on_roster, self.reads = by, on_roster, [by]
        self.parts = int(told) if told.isdecimal() else 200  # as many as Spark is made with
        try:
            if "_metadata" in map(str.lower, self.schema.names) or not self.chosen([by]).schema:
                raise LookupError
        except Exception as error:
            raise UnsupportedArgument(
                "of a person's rows those count first that come first in a file, and Spark tells where a row stands in "
                "Parquet files, not in this table; write it as Parquet.",
                argument="unit",
            ) from error

    def _found(self, work: Work) -> list[OfPart]:
        from pyspark.sql.types import LongType, StructType

        by, parts, on_roster = self.by, self.parts, self.on_roster
        chosen, ids = self.chosen(work.names), str(work.names.index(by))
        schema = StructType([*chosen.schema.fields]).add(PART, LongType())
        placed = chosen.mapInArrow(lambda batches: place_rows(ids, parts, batches), schema).groupBy(PART)
        found = self._told(placed.applyInArrow(lambda rows: read_part(work, by, parts, on_roster, rows), FOUND))
        there = {part for _, part in found}
        if len(there) < len(found):
            raise RuntimeError("a part was read twice")
        missing = [] if on_roster is None else [part for part in range(parts) if part not in there]
        nobody = self.schema.empty_table().select(work.names)
        return found + [part_of(work, Place(by, parts, part), on_roster, nobody) for part in missing]


def only_reads(frame: Any) -> bool:
    """Whether its plan does nothing but read files with types, which raises of no value; what computes may raise with a
    value in the message, and in Spark's logs."""
    if any((frame.sparkSession.conf.get(name, None) or "").upper() == "EXCEPTION" for name in DATES):
        return False
    return _analysed(frame._jdf.queryExecution().analyzed()) if hasattr(frame, "_jdf") else _unresolved(frame)


def _analysed(plan: Any) -> bool:
    """Of a session in this process."""
    name = plan.nodeName()
    if name == "SubqueryAlias":
        return _analysed(plan.child())
    if name == "LogicalRelation" and plan.relation().getClass().getSimpleName() == "HadoopFsRelation":
        if "REBASEMODE -> EXCEPTION" in plan.relation().options().toString().upper():
            return False
        reader = plan.relation().fileFormat().getClass().getName()
    elif name == "HiveTableRelation":
        reader = plan.tableMeta().storage().serde().toString().rstrip(")")
    else:
        reader = plan.table().getClass().getName() if name.startswith("DataSourceV2Relation") else ""
    return bool(reader.endswith(READERS))


def _unresolved(frame: Any) -> bool:
    """Of Spark Connect, where a name may be that of a view: the catalog says what it is."""
    read = frame._plan.plan(frame.sparkSession.client).read
    if read.is_streaming or any("rebasemode" in name.lower() for name in read.data_source.options):
        return False
    if read.WhichOneof("read_type") != "named_table":
        return read.data_source.format.lower() in FORMATS
    rows = frame.sparkSession.sql(f"DESCRIBE TABLE EXTENDED {read.named_table.unparsed_identifier}").collect()
    said = {row[0]: row[1] for row in rows}  # what is said of the table comes behind its columns
    provider, serde = said.get("Provider", "").lower(), said.get("Serde Library", "")
    return said.get("Type") != "VIEW" and (provider in FORMATS or (provider == "hive" and serde.endswith(FILES)))
