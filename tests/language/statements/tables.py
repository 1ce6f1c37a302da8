"""Small made-up tables, in the manner of those that tutorials use."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from pandas_dp.language.graph import Kind

ROWS = 40
TITLED = ["Moran, Mr. James", "Vance, Mrs. Edna (Ada Cole)", "Ott, Miss. Ida", "Ruiz, Master. Leo", "Bey, Dr. Otto"]


def _some(rng: np.random.Generator, values: list[object]) -> pd.Series[object]:
    return pd.Series([values[place] for place in rng.integers(0, len(values), ROWS)])


def _texts(rng: np.random.Generator, values: list[str | None]) -> pd.Series[str]:
    return _some(rng, list(values)).astype("str")


def _gone(rng: np.random.Generator, column: pd.Series[float], share: float = 0.2) -> pd.Series[float]:
    return column.where(rng.random(ROWS) >= share)


def _times(rng: np.random.Generator, first: str, hours: int) -> pd.Series[pd.Timestamp]:
    return pd.Series(pd.Timestamp(first) + pd.to_timedelta(rng.integers(0, hours * 3600, ROWS), unit="s")).astype(
        "M8[ns]"
    )


def _numbers(rng: np.random.Generator, low: float, high: float, decimals: int = 2) -> pd.Series[float]:
    return pd.Series(np.round(rng.uniform(low, high, ROWS), decimals))


def _whole(rng: np.random.Generator, low: int, high: int) -> pd.Series[int]:
    return pd.Series(rng.integers(low, high + 1, ROWS))


def passengers() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "PassengerId": np.arange(1, ROWS + 1),
            "Survived": _whole(rng, 0, 1),
            "Pclass": _whole(rng, 1, 3),
            "Name": _texts(
                rng,
                [*TITLED, "Sand, Mlle. Eva", "Roy, the Countess. of", "Park, Rev. Ian", "Low, Ms. Amy"],
            ),
            "Sex": _texts(rng, ["male", "female"]),
            "Age": _gone(rng, _numbers(rng, 0, 80, 1)),
            "SibSp": _whole(rng, 0, 4),
            "Parch": _whole(rng, 0, 3),
            "Ticket": _texts(rng, ["A/5 21171", "PC 17599", "113803", "STON/O2. 310", "LINE"]),
            "Fare": _gone(rng, _numbers(rng, 0, 300, 4), 0.1),
            "Cabin": _texts(rng, [None, None, "C85", "E46", "B57 B59", "T"]),
            "Embarked": _texts(rng, ["S", "S", "C", "Q", None]),
        }
    )


def houses() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "Id": np.arange(1, ROWS + 1),
            "MSSubClass": _some(rng, [20, 60, 50, 120]),
            "MSZoning": _texts(rng, ["RL", "RM", "FV", None]),
            "LotArea": _whole(rng, 1_300, 21_000),
            "LotFrontage": _gone(rng, _numbers(rng, 20, 140, 0)),
            "YearBuilt": _whole(rng, 1890, 2008),
            "YearRemodAdd": _whole(rng, 1950, 2010),
            "YrSold": _whole(rng, 2006, 2010),
            "MoSold": _whole(rng, 1, 12),
            "TotalBsmtSF": _gone(rng, _numbers(rng, 0, 2_000, 0), 0.1),
            "1stFlrSF": _whole(rng, 400, 2_200),
            "2ndFlrSF": _some(rng, [0, 0, 450, 860]),
            "GrLivArea": _whole(rng, 500, 4_600),
            "FullBath": _whole(rng, 0, 3),
            "HalfBath": _whole(rng, 0, 2),
            "BsmtFullBath": _gone(rng, _numbers(rng, 0, 2, 0), 0.1),
            "BsmtHalfBath": _whole(rng, 0, 1),
            "OverallQual": _whole(rng, 1, 10),
            "OverallCond": _whole(rng, 1, 9),
            "ExterQual": _texts(rng, ["Ex", "Gd", "TA", "Fa"]),
            "KitchenQual": _texts(rng, ["Ex", "Gd", "TA", None]),
            "GarageArea": _gone(rng, _some(rng, [0, 0, 400, 576, 820]), 0.1),
            "GarageType": _texts(rng, ["Attchd", "Detchd", None]),
            "PoolArea": _some(rng, [0, 0, 0, 512]),
            "Fireplaces": _whole(rng, 0, 2),
            "FireplaceQu": _texts(rng, ["Gd", "TA", None, None]),
            "Neighborhood": _texts(rng, ["NAmes", "Edwards", "OldTown", "StoneBr"]),
            "CentralAir": _texts(rng, ["Y", "N"]),
            "HouseStyle": _texts(rng, ["1Story", "2Story", "1.5Fin"]),
            "SalePrice": _whole(rng, 40_000, 700_000),
        }
    )


def orders() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    placed = _times(rng, "2010-12-01", 9_000)
    return pd.DataFrame(
        {
            "InvoiceNo": _texts(rng, ["536365", "C536379", "581587", "A563185"]),
            "StockCode": _texts(rng, ["85123A", "71053", "POST", "84029G"]),
            "Description": _texts(rng, ["WHITE  HEART HOLDER ", "red lamp", "Mug, blue", None, " SET OF 3 TINS"]),
            "Quantity": _some(rng, [6, 1, -2, 12, 0, 100]),
            "InvoiceDate": placed,
            "UnitPrice": _some(rng, [2.55, 0.0, 3.39, 18.0, 0.85]),
            "CustomerID": _gone(rng, _numbers(rng, 12_346, 18_287, 0)),
            "Country": _texts(rng, ["United Kingdom", "France", "Germany", "EIRE"]),
            "price": _texts(rng, ["$1,234.50", "$12.00", "$0.99", None]),
            "order_date": placed.dt.strftime("%Y-%m-%d").astype("str"),
            "ordered": placed.dt.strftime("%d/%m/%Y %H:%M").astype("str"),
            "ship_date": (placed + pd.to_timedelta(rng.integers(1, 20, ROWS), unit="D")).where(rng.random(ROWS) < 0.8),
            "email": _texts(rng, ["ann@example.com", "Bob.Lee@mail.example.org", "x@y.example", None]),
            "discount": _texts(rng, ["10%", "5%", "0%"]),
            "rate": _gone(rng, _numbers(rng, 0, 0.4)),
            "cost": _numbers(rng, 0.1, 9),
            "tags": _texts(rng, ["gift,home", "home,kitchen", "sale,gift"]),
            "status": _texts(rng, ["shipped", "Pending", "cancelled", "shipped "]),
            "stamp": _whole(rng, 1_291_161_600, 1_323_561_600),
            "sku": _texts(rng, ["AB-123-XL", "CD-77-S", "AB-9-M"]),
        }
    )


def visits() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    admitted = _times(rng, "2020-01-01", 17_000)
    return pd.DataFrame(
        {
            "patient_id": _whole(rng, 1, 20),
            "name": _texts(rng, ["Doe, Jane", "Smith, Al", "Li, Wei"]),
            "sex": _texts(rng, ["M", "F"]),
            "birth_date": _times(rng, "1930-01-01", 650_000).dt.normalize(),
            "admitted": admitted,
            "discharged": (admitted + pd.to_timedelta(rng.integers(0, 30 * 24, ROWS), unit="h")).where(
                rng.random(ROWS) < 0.8
            ),
            "weight": _gone(rng, _numbers(rng, 45, 130, 1), 0.1),
            "height": _numbers(rng, 150, 200, 0),
            "systolic": _whole(rng, 95, 185),
            "diastolic": _whole(rng, 55, 115),
            "bp": _texts(rng, ["120/80", "142/91", "99/60"]),
            "glucose": _gone(rng, _numbers(rng, 60, 260, 0)),
            "temp_f": _numbers(rng, 96, 104, 1),
            "smoker": _texts(rng, ["yes", "no", None]),
            "diagnosis": _texts(rng, ["E11.9", "I10", "J45.0", "e11.65"]),
            "dept": _texts(rng, ["cardio", "ER", "surgery"]),
            "cost": _numbers(rng, 0, 9_000),
            "insured": _some(rng, [True, False]).astype(bool),
            "cholesterol": _whole(rng, 1, 3),
            "stage": _texts(rng, ["mild", "severe", "moderate"]),
            "notes": _texts(rng, ["Follow-up in 2 weeks", "stable", None, "age 64, fall"]),
        }
    )


def trips() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    pickup = _times(rng, "2016-01-01", 4_000)
    return pd.DataFrame(
        {
            "VendorID": _whole(rng, 1, 2),
            "pickup": pickup,
            "dropoff": pickup + pd.to_timedelta(rng.integers(20, 9_000, ROWS), unit="s"),
            "passenger_count": _whole(rng, 0, 6),
            "trip_distance": _gone(rng, _numbers(rng, 0, 30), 0.1),
            "fare_amount": _numbers(rng, -5, 80),
            "tip_amount": _some(rng, [0.0, 1.5, 3.0, 10.0]),
            "tolls_amount": _some(rng, [0.0, 0.0, 5.54]),
            "total_amount": _numbers(rng, 0, 110),
            "payment_type": _whole(rng, 1, 6),
            "PULocationID": _whole(rng, 1, 265),
            "DOLocationID": _whole(rng, 1, 265),
            "pickup_latitude": _numbers(rng, 40.5, 41, 5),
            "pickup_longitude": _numbers(rng, -74.2, -73.6, 5),
            "dropoff_latitude": _numbers(rng, 40.5, 41, 5),
            "dropoff_longitude": _numbers(rng, -74.2, -73.6, 5),
            "store_flag": _texts(rng, ["Y", "N"]),
            "trip_duration": _whole(rng, 1, 9_000),
            "date": pickup.dt.strftime("%Y-%m-%d").astype("str"),
            "hour": pickup.dt.hour.astype("int64"),
        }
    )


def answers() -> pd.DataFrame:
    rng = np.random.default_rng(6)
    likert: list[str | None] = ["Strongly agree", "Agree", "Neutral", "Disagree", None]
    return pd.DataFrame(
        {
            "age": _some(rng, [18, 25, 33, 47, 61, 70, 99]),
            "gender": _texts(rng, ["Male", "m", "F ", "female", None]),
            "education": _texts(rng, ["High School", "Bachelor's degree", "Master's degree", "PhD"]),
            "income": _texts(rng, ["$50K-$100K", "$0K-$50K", "$100K-$150K"]),
            "salary": _texts(rng, ["85,000", "120,500", "n/a", None]),
            "hours": _gone(rng, _some(rng, [0, 8, 20, 40, 60]), 0.1),
            "q1": _gone(rng, _whole(rng, 1, 5)),
            "q2": _gone(rng, _whole(rng, 1, 5)),
            "q3": _some(rng, [1, 2, 5, 99]),
            "q4": _whole(rng, 1, 5),
            "agree": _texts(rng, likert),
            "employed": _texts(rng, ["Yes", "No"]),
            "country": _texts(rng, ["US", "usa", "U.S.", "Canada", "India", "Germany"]),
            "submitted": _texts(rng, ["2021-03-01 10:00:00", "2021-03-02 23:15:30", "2022-11-30 00:00:01"]),
            "languages": _texts(rng, ["Python;R", "Python", "SQL;Python;C++", None]),
            "comment": _texts(rng, ["Great!!", "n/a", "", "too   long", None]),
            "weight": _numbers(rng, 0.2, 3),
            "remote": _some(rng, [True, False]).astype(bool),
            "year": _whole(rng, 2018, 2022),
            "month": _whole(rng, 1, 12),
            "day": _whole(rng, 1, 28),
            "start": _texts(rng, ["09:30", "14:05", "00:00"]),
        }
    )


TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "passengers": passengers,
    "houses": houses,
    "orders": orders,
    "visits": visits,
    "trips": trips,
    "answers": answers,
}


def kind_of(column: pd.Series[object]) -> Kind:
    """What a schema would declare."""
    kinds: dict[str, Kind] = {"b": "condition", "i": "number", "f": "number", "M": "time", "m": "span"}
    return kinds.get(column.dtype.kind, "text")
