"""What is answered for public rows is answered for no protected row, in whatever form these come."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.errors import NotProtected, UnsupportedArgument
from pandas_dp.learning.conclude_predictor import Predictor

SCHEMA = pa.DataFrameSchema(
    {
        "x": pa.Column(float, pa.Check.in_range(0, 10)),
        "z": pa.Column(float, pa.Check.in_range(0, 10)),
        "k": pa.Column(str, pa.Check.isin(["a", "b"])),
        "yes": pa.Column(bool),
    }
)


def table(rows: int = 400) -> pd.DataFrame:
    r = np.random.default_rng(1)
    x = r.uniform(0, 10, rows)
    y = x + r.standard_normal(rows) > 5
    return pd.DataFrame({"x": x, "z": r.uniform(0, 10, rows), "k": r.choice(["a", "b"], rows), "yes": y})


SESSION = pdp.Session(rho=1e9, schema=SCHEMA)
PEOPLE = SESSION.protect(table())
FORMS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "itself": lambda f: f,
    "a filter": lambda f: f[f["x"] > 2],
    "a mapping": lambda f: {"x": f["x"], "z": f["z"], "k": f["k"]},
    "one value of a mapping": lambda f: {"x": [1.0] * len(f), "z": f["z"].to_list(), "k": f["k"].rename(None)},
    "a list in a mapping": lambda f: {"x": [1.0], "z": [f["z"]], "k": ["a"]},
    "a frame of columns": lambda f: pd.DataFrame({name: f[name] for name in f}),
    "a frame of one column": lambda f: pd.DataFrame({"x": f["x"] * 2, "z": 1.0, "k": "a"}),
    "a join": lambda f: f.join(pd.DataFrame({"w": range(9)})),
    "columns side by side": lambda f: pd.concat([f[["x", "z"]], f["k"]], axis=1),
    "indicators": lambda f: pd.get_dummies(f).assign(k="a"),
    "ids as a column": lambda f: (
        pd.DataFrame({"id": f.index, **f}).rename(columns={"id": f.index.name}).set_axis(f.index.rename(None))
    ),
    "ids as a level": lambda f: pd.DataFrame({**f}).set_index("k", append=True, drop=False),
    "texts": lambda f: f.astype(str),
    "a list of columns": lambda f: [f["x"], f["z"], f["k"]],
    "without ids, with its label": lambda f: f.reset_index(drop=True),
    "single rows": lambda f: [f.iloc[0], f.iloc[1]],
    "a turned table": lambda f: f.head().T,
    "a collection": lambda f: dd.from_pandas(f, npartitions=2),
    "a column of a collection": lambda f: {"x": dd.from_pandas(f, npartitions=2)["x"]},
}
PREDICTORS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "BayesClassifier": lambda p: p.dp.naive_bayes("yes", ["x", "k"], bins=5, rho=1),
    "AdditiveRegressor": lambda p: p.dp.moments(["x", "z", "k"], rho=1).dp.gam("z", ["x", "k"]),
    "DiscriminantClassifier": lambda p: p.dp.moments(["x", "k", "yes"], rho=1).dp.discriminant("yes"),
    "AdditiveClassifier": lambda p: p.dp.gam_classifier("yes", ["x", "k"], rho=1),
    "ClusterPredictor": lambda p: p.dp.kmeans(["x"], 2, rho=1),
    "ComponentTransformer": lambda p: p.dp.moments(["x", "z"], rho=1).dp.pca(1),
}
FITS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "ols": lambda p: p.dp.ols("z ~ x + C(k)", rho=1),
    "ols in two stages": lambda p: p.dp.ols("z ~ x + C(k)", cov_type="HC", rho=1),
    "logit": lambda p: p.dp.logit("yes ~ x + C(k)", rho=1),
}
METHODS = ("predict", "predict_proba", "decision_function", "transform")
ASKED: dict[str, list[Callable[[Any], Any]]] = {}


def asked(name: str) -> list[Callable[[Any], Any]]:
    """Whatever it offers that takes rows."""
    if name not in ASKED:
        if name in FITS:
            ASKED[name] = [FITS[name](PEOPLE).dp.predict]
        else:
            predictor = PREDICTORS[name](PEOPLE).dp.predictor()
            ASKED[name] = [getattr(predictor, each) for each in METHODS if hasattr(predictor, each)]
            assert type(predictor).__name__ == name
    return ASKED[name]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [*PREDICTORS, *FITS])
def test_nothing_is_predicted_for_protected_rows(name: str, form: str) -> None:
    rows = FORMS[form](PEOPLE)
    for ask in asked(name):
        with pytest.raises(UnsupportedArgument, match="rows that are public"):
            ask(rows)


@pytest.mark.parametrize("name", [*PREDICTORS, *FITS])
def test_public_rows_are_answered(name: str) -> None:
    for ask in asked(name):
        assert len(ask(table(5))) == 5


def test_every_predictor_is_among_them_and_has_no_other_method_that_takes_rows() -> None:
    gc.collect()
    made = {each.__name__: each for each in _below(Predictor) if not getattr(each, "__abstractmethods__", None)}
    made = {
        name: each
        for name, each in made.items()
        if each.__module__.startswith("pandas_dp.") and name != "LinearPredictor"
    }
    assert set(made) == set(PREDICTORS)
    for each in made.values():
        offered = {name for name in dir(each) if not name.startswith("_") and callable(getattr(each, name))}
        assert offered - {"of"} <= set(METHODS), each


def _below(kind: type) -> set[type]:
    return {kind, *(each for sub in kind.__subclasses__() for each in _below(sub))}


@pytest.mark.parametrize("form", [form for form in FORMS if isinstance(FORMS[form](PEOPLE), pd.DataFrame)])
def test_no_protected_rows_stand_in_for_public_ones_of_a_weaker_promise(form: str) -> None:
    with pdp.Session(epsilon=10, schema=SCHEMA, models=["dp", "bdp"]) as session:
        mine = session.protect(table())
        with pytest.raises(NotProtected):
            mine["x"].dp.mean(model="bdp", epsilon=1, further_rows=FORMS[form](PEOPLE))


def test_an_index_of_people_has_people_as_long_as_its_session_is_open() -> None:
    fit = FITS["ols"](PEOPLE)
    with pdp.Session(epsilon=1, unit="who") as session:
        visits = session.protect(pd.DataFrame({"who": list("aab"), "x": 1.0, "z": 2.0}))
        of_people = pd.DataFrame({"x": visits.groupby("who")["x"].sum(), "z": 1.0, "k": "a"})
        with pytest.raises(UnsupportedArgument, match="rows that are public"):
            fit.dp.predict(of_people)
    public = pd.DataFrame({"x": [1.0], "k": ["a"]}, index=pd.Index([1], name="who"))
    assert len(fit.dp.predict(public)) == 1


def test_rows_of_a_session_that_is_closed_stay_protected() -> None:
    with pdp.Session(epsilon=1, schema=SCHEMA) as session:
        frame = session.protect(table())
    with pytest.raises(UnsupportedArgument, match="rows that are public"):
        FITS["ols"](PEOPLE).dp.predict(pd.DataFrame({"x": frame["x"], "k": "a"}))
