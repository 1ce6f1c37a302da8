"""What an analyst writes. Each line that ends in `# wrong` is an error to type checkers, and no other is."""

import pandas as pd

import pandas_dp as pdp

session = pdp.Session(epsilon=3)
people = session.protect(pd.DataFrame({"age": [31, 54], "sex": ["f", "m"]}))
mean = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
ends: pd.DataFrame = mean.dp.confint(0.9)
table = people.dp.crosstab("sex", "age", epsilon=1)
sentence: str = table.dp.guarantee
young = people[people["age"] < 40]
count = young["age"].dp.count(epsilon=1).dp.test(20)
both = people[["age", "sex"]].dp.nunique(epsilon=1)
grouped = people.dp.groupby("sex", categories=["f", "m"])["age"].mean(epsilon=1).dp.contrast("f", "m")
share = (people["age"] > 30).dp.share(epsilon=1)
shown = table.dp.relabel({"f": "women"}).dp.round(-1)

people["age"].dp.meen(epsilon=1)  # wrong
people["age"].dp.mean(epsilon="1")  # wrong
people["age"].dp.mean(eps=1)  # wrong
people["age"].dp.mean(1)  # wrong
people.dp.between(1, 2)  # wrong
mean.dp.confint("0.9")  # wrong
mean.dp.mean(epsilon=1)  # wrong
table.dp.guarantee()  # wrong
pdp.Session(3)  # wrong
