"""What is not done row by row, and what to write instead."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from ..errors import NotFollowed, type_of
from .rows import PEOPLE, RowSet

HOLDS: Mapping[str, str] = {
    "number": "numbers",
    "condition": "conditions",
    "text": "texts",
    "time": "times",
    "span": "lengths of time",
    "any": "values of any kind",
}


def reading(name: Hashable, kind: str, what: str) -> NotFollowed:
    """A column whose values are of another kind than an operation takes."""
    return NotFollowed(f"column {name!r} holds {HOLDS[kind]}, and {what}.", column=_plain(name))


def _plain(name: Any) -> Any:
    return name if isinstance(name, str | int) else str(name)


def not_these_rows() -> NotFollowed:
    return NotFollowed(
        "these columns were taken from different tables, so their rows do not go together; take both from one, e.g. "
        "big = df[df['size'] > 2], then big['x'] + big['y']."
    )


def apart(one: RowSet, other: RowSet) -> NotFollowed:
    """Why columns of these rows do not go together."""
    if one._source is not other._source or one.numbering == other.numbering:
        return not_these_rows()
    if PEOPLE in (one.numbering, other.numbering):
        return NotFollowed(
            "one of these has a row for each person and the other has not; give each row what its person has, "
            "visits.groupby('id')['cost'].transform('mean')."
        )
    return NotFollowed(
        "rows of one of these were numbered anew, by reset_index or ignore_index, so they do not go together; compute "
        "before that."
    )


def from_elsewhere(value: object, what: str) -> NotFollowed:
    if type(value).__name__ == "Parts":
        return NotFollowed("split gives many parts of each text, of which .str[0] takes the first.")
    return NotFollowed(f"{what} takes what everyone knows, or a column of the same rows, not {type_of(value)}.")


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


STATISTICS = words(
    "count sum mean var std sem min max median quantile nunique value_counts describe agg aggregate corr cov groupby "
    "pivot_table mode skew kurt prod any all hist plot boxplot size"
)
NUMBERS = words("count sum mean var std min max median quantile")
"""Those that are written into expressions."""
LEFT_OUT = words("values to_numpy array")
"""Of which the column itself is written."""
SHOWN = LEFT_OUT | words(
    "iloc iat at to_list tolist items iterrows itertuples empty to_csv to_parquet to_pandas to_polars to_dict to_json "
    "info T unique dtype axes memory_usage"
)
BIG = "df[df['size'] > 2]"
OTHER_ROWS = "gives other rows than it is given"
REASONS: Mapping[str, str] = {
    "head tail take": f"takes rows by where they stand; choose them by a condition, e.g. {BIG}",
    "sample": "draws rows; draw them before the table is protected or scanned, or not at all",
    "first last": "takes rows by where they stand; choose them by a condition",
    "reindex truncate": "chooses rows by their numbers; choose them by a condition",
    "align": "matches rows by their numbers",
    "update": "matches rows by their numbers; assign the column",
    "idxmax": "tells which row is the greatest; df['size'].dp.max(...) releases how great it is",
    "idxmin": "tells which row is the least; df['size'].dp.min(...) releases how great it is",
    "argsort rank": "looks at other rows; df.dp.rank(column) releases what it needs",
    "qcut": "looks at other rows; df.dp.qcut(column, q) releases what it needs",
    "standardize": "looks at other rows; df.dp.standardize(column) releases what it needs",
    "cumsum": "adds up other rows",
    "cumprod": "multiplies other rows",
    "cummax cummin rolling expanding ewm duplicated": "looks at other rows",
    "shift diff pct_change": "takes other rows",
    "ffill bfill interpolate": "takes other rows; fill by a constant, fillna(0)",
    "nlargest nsmallest drop_duplicates": f"looks at other rows; choose rows by a condition, e.g. {BIG}",
    "factorize": "looks at other rows; map labels to numbers, map({'rice': 1, 'rye': 2})",
    "stack melt explode pivot unstack transpose": OTHER_ROWS,
    "extractall": f"{OTHER_ROWS}; extract gives the first that fits",
    "append": "adds rows; protect or scan them together",
    "get_dummies": "makes columns of what rows hold; write a condition for each, df['crop'].str.contains('rice')",
}
"""Why what a name of pandas gives is not made row by row, and behind a semicolon what to write instead."""
REMEDIES: Mapping[str, str] = {name: f"{name} {said}" for names, said in REASONS.items() for name in names.split()}


LISTED = "docs/language.md"


def no_such_name(name: str, like: str, asked: object, is_column: bool) -> AttributeError:
    """Why a name of pandas is not there, and what to write."""
    what = "column" if is_column else "table"
    if name in STATISTICS:
        said = f"a scanned {what} answers by .dp alone; write {like}.dp.{name}(...)."
        if is_column and name in NUMBERS:
            said = f"{said[:-1]}, and put the number that it releases into the expression, {like} - 12.5."
    elif name in LEFT_OUT:
        said = f"a scanned {what} shows no rows; leave .{name} out and write the {what} itself."
    elif name == "shape":
        said = f"a scanned {what} shows no rows; {like}.dp.size() says how many there are."
    elif name in SHOWN:
        said = f"a scanned {what} shows no rows, so it has no {name}; ask it by .dp."
    elif name in REMEDIES:
        remedy = REMEDIES[name]
        said = f"{remedy}." if ";" in remedy else f"{remedy}; {LISTED} lists what is done row by row."
    else:
        said = f"{name!r} is not done row by row here; {LISTED} lists what is."
    return AttributeError(said, name=name, obj=asked)
