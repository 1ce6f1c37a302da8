"""What is asked of the rows, as values: sums of short integer vectors by cell, numbers of values, ranks.

A tally knows its *reach*: how far one person can move its exact answer. Its constants are proved in
docs/proofs/reach.md.
"""

from .asked import Additive, ByPerson, Placed, Rows, Sums, Tally, Termed, Weighed
from .blocks import Hats, Product, Slopes
from .blurred import Blurred
from .candidates import Candidates, End
from .cells import ONE_CELL, Cells, Key, Level, Presence, Variable
from .contest import Contest
from .contrasts import LearnedRanks, LearnedScores, Scored, ScoreHistogram, ScoreMoments, SignedSums
from .counted import CountedTables, Reading
from .cumulative import Cumulative, CumulativeInCells
from .distances import Distances
from .distinct import Distinct
from .effects import EffectTable, lengths_of
from .forms import Choosing, Form, Look, form_of, tally_of
from .found import Found, FoundKey, Occurred, Occurring
from .gram import Gram
from .location_looks import Pulling, Trimming
from .locations import Pulls, Winsorised
from .margins import Margin
from .moments import ExactMoments, Moments
from .moments_together import MomentsTogether
from .narrowing import Narrowing
from .newton import NewtonSums, ResidualSizes
from .newton_looks import Family, NewtonLook, SizesLook
from .newton_of_people import NewtonSumsOfPeople
from .paths import PARTS_OF_ROW, TopOfPath
from .people import GRAIN, OfPeople, PeopleCounts, PeopleTotals, PersonTotals, ValuesOfPeople, weights_of
from .products import Products
from .quantile_looks import AroundAndEven, AroundChosen, BetweenBins, curve_told
from .race import TableRace
from .ranks import EVERY_RANK, Ladder, Ranks
from .ratio_sums import RatioSums, RatioTotals
from .reach import Norm, farthest
from .resamples import Design, Resamples
from .row_means import RowMeans
from .runs import RunTable, ends_of
from .scores import BINS, TOP, Gap, Learned, Linear, Plain, Score
from .some_tables import SomeTables
from .sums import Counts, Table, Totals
from .terms import Levels, Number, Term
from .weighed import WeighedCounts, WeighedMeans, WeighedTotals, Weight, WeightTotals

__all__ = [
    "BINS",
    "EVERY_RANK",
    "GRAIN",
    "ONE_CELL",
    "PARTS_OF_ROW",
    "TOP",
    "Additive",
    "AroundAndEven",
    "AroundChosen",
    "BetweenBins",
    "Blurred",
    "ByPerson",
    "Candidates",
    "Cells",
    "Choosing",
    "Contest",
    "CountedTables",
    "Counts",
    "Cumulative",
    "CumulativeInCells",
    "Design",
    "Distances",
    "Distinct",
    "EffectTable",
    "End",
    "ExactMoments",
    "Family",
    "Form",
    "Found",
    "FoundKey",
    "Gap",
    "Gram",
    "Hats",
    "Key",
    "Ladder",
    "Learned",
    "LearnedRanks",
    "LearnedScores",
    "Level",
    "Levels",
    "Linear",
    "Look",
    "Margin",
    "Moments",
    "MomentsTogether",
    "Narrowing",
    "NewtonLook",
    "NewtonSums",
    "NewtonSumsOfPeople",
    "Norm",
    "Number",
    "Occurred",
    "Occurring",
    "OfPeople",
    "PeopleCounts",
    "PeopleTotals",
    "PersonTotals",
    "Placed",
    "Plain",
    "Presence",
    "Product",
    "Products",
    "Pulling",
    "Pulls",
    "Ranks",
    "RatioSums",
    "RatioTotals",
    "Reading",
    "Resamples",
    "ResidualSizes",
    "RowMeans",
    "Rows",
    "RunTable",
    "Score",
    "ScoreHistogram",
    "ScoreMoments",
    "Scored",
    "SignedSums",
    "SizesLook",
    "Slopes",
    "SomeTables",
    "Sums",
    "Table",
    "TableRace",
    "Tally",
    "Term",
    "Termed",
    "TopOfPath",
    "Totals",
    "Trimming",
    "ValuesOfPeople",
    "Variable",
    "Weighed",
    "WeighedCounts",
    "WeighedMeans",
    "WeighedTotals",
    "Weight",
    "WeightTotals",
    "Winsorised",
    "curve_told",
    "ends_of",
    "farthest",
    "form_of",
    "lengths_of",
    "tally_of",
    "weights_of",
]
