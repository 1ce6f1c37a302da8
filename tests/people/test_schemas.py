"""Several tables under one session: what their schemas declare, and which columns a question is about."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pandera.pandas as pa
import pytest
from pandera.errors import SchemaError

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.audit import zero_noise
from tests.refusals import refused

from .conftest import Patients, Visits

Open = Callable[..., pdp.Session]


def schema(**bounds: tuple[float, float]) -> pa.DataFrameSchema:
    return pa.DataFrameSchema({name: pa.Column(float, pa.Check.in_range(*ends)) for name, ends in bounds.items()})


def test_each_table_has_what_its_schema_declares(
    session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    people = session.protect(patients, one_row=True)
    with zero_noise():
        assert people["age"].dp.mean(epsilon=1)["mean"].item() == pytest.approx(patients["age"].mean(), abs=0.01)
        rows = session.protect(visits, max_rows=10**6)["cost"].dp.mean(epsilon=1)
    assert rows["mean"].item() == pytest.approx(visits["cost"].clip(0, 1_000).mean(), rel=1e-3)


def test_a_column_of_two_schemas_is_declared_alike() -> None:
    pdp.Session(epsilon=1, schema=[schema(a=(0, 1), b=(0, 1)), schema(b=(0, 1))]).close()
    with refused(errors.BadSchema):
        pdp.Session(epsilon=1, schema=[schema(a=(0, 1), b=(0, 1)), schema(b=(0, 2))])


def test_the_unit_may_be_declared_differently_and_nothing_is_known_of_it(open_session: Open) -> None:
    first, second = (pa.DataFrameSchema({"person_id": pa.Column(int, pa.Check.in_range(0, top))}) for top in (9, 99))
    session = open_session(schema=[first, second])
    frame = session.protect(pd.DataFrame({"person_id": [1, 2], "x": [1.0, 2.0]}), one_row=True)
    with refused(errors.NoBounds):
        frame["person_id"].dp.mean(epsilon=1)


def test_a_table_is_validated_by_the_schema_that_has_its_columns(
    session: pdp.Session, patients: pd.DataFrame, visits: pd.DataFrame
) -> None:
    session.protect(patients, validate=True)
    session.protect(visits, validate=True)
    with pytest.raises(SchemaError):
        session.protect(visits.assign(cost=-1.0), validate=True)
    with refused(errors.UnsupportedArgument):
        session.protect(patients[["person_id"]], validate=True)


@pytest.mark.parametrize("schemas", [[], [None], [Patients], (Patients, Visits)], ids=["none", "null", "one", "two"])
def test_schemas_come_in_a_list_of_any_length(schemas: object) -> None:
    pdp.Session(epsilon=1, schema=schemas, unit="person_id").close()


def test_a_question_about_all_columns_leaves_out_whose_a_row_is(session: pdp.Session, patients: pd.DataFrame) -> None:
    people = session.protect(patients, roster=True, one_row=True)
    asked = {
        "numbers": (people[["person_id", "age"]].dp.mean(epsilon=1), ["age"]),
        "summary": (people[["person_id", "age"]].dp.describe(epsilon=1).T, ["age"]),
        "counts": (people[["person_id", "sex"]].dp.value_counts(epsilon=1), ["f", "m"]),
        "groups": (people.dp.groupby("sex").mean(epsilon=1), ["f", "m"]),
        "several": (people[["person_id", "age"]].dp.agg("mean", epsilon=1), [("age", "mean")]),
        "gaps": (people.dp.gaps(epsilon=1).T, ["sex", "age"]),
    }
    for name, (release, rows) in asked.items():
        assert release.index.tolist() == rows, name
    columns = people.dp.groupby("sex").mean(epsilon=1).columns.get_level_values(0)
    assert set(columns) == {"age"}


def test_a_frame_of_everybody_has_one_row_of_each(session: pdp.Session, patients: pd.DataFrame) -> None:
    session.protect(patients, roster=True)
    made = session.protect(patients).dp.per_person(age="mean", absent=0)
    with refused(errors.UnsupportedArgument):
        made["age"].dp.mean(bounds=(0, 100), max_rows=3, epsilon=1)
    assert session.share_used == 0
