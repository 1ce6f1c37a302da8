"""What people of pandas, SQL, R, statsmodels, OpenDP, diffprivlib and Tumult type first, and what it is called here."""

from __future__ import annotations

from collections.abc import Mapping

ROWS = "rows are never released; print the schema, df.columns, or ask df.dp.describe()"
OTHER_ROWS = (
    "it gives a value for each row, and rows are never released; df.dp.rank, df.groupby(unit) and others make columns"
)
DRAWN = "draw one column, df['x'].dp.plot(), or ask first, and draw the answer: release.dp.plot()"
FIRST = "filter or make columns first, and ask then: df.query(...).dp, df.assign(...).dp"
A_COLUMN = "ask it of a column of a table, or of a part of it: df[condition]['wage'].dp"
COX = "use survival, then .dp.hazard(link='cloglog') of it: hazard ratios as of Cox's regression, in bins of time"
ITSELF = "a question adds its noise by itself, and is answered at once"


def _by_word(said: Mapping[str, str]) -> dict[str, str]:
    return {word: hint for words, hint in said.items() for word in words.split()}


QUESTIONS = _by_word(
    {
        "hist histplot distplot": "draw one column: df['x'].dp.hist()",
        "percentile percentiles nanpercentile quantiles approx_quantile": "use quantile, e.g. quantile(0.9)",
        "gini lorenz": "ask cdf, and conclude from its release: release.dp.gini(), release.dp.lorenz()",
        "mode": "ask it of a column: df['x'].dp.mode()",
        "nlargest": "use quantile, e.g. quantile([0.9, 0.99])",
        "nsmallest": "use quantile, e.g. quantile([0.01, 0.1])",
        "head tail sample take first last nth iloc loc iat at values to_csv to_parquet to_numpy to_list": ROWS,
        "cumsum cumprod cumcount diff shift pct_change rolling expanding ewm sort_values sort_index": OTHER_ROWS,
        "duplicated drop_duplicates": OTHER_ROWS,
        "unique distinct": "use value_counts, over the declared categories, or nunique",
        "n_distinct count_distinct approx_count_distinct": "use nunique",
        "shape len n rows length nrow tally": "use size, the number of rows, of a table or of its groups",
        "size": "use count, how many values a column has; size is asked of a table or of its groups",
        "avg average nanmean": "use mean",
        "total nansum": "use sum",
        "sd stddev stdev nanstd": "use std",
        "variance nanvar": "use var",
        "mad": "use iqr, or std",
        "top topk most_common": "use top_values, or value_counts",
        "prop proportion proportions percent freq frequency frequencies": "use share, or value_counts(normalize=True)",
        "tabulate tabyl table countplot xtabs": "use value_counts, or crosstab",
        "info summary summarise summarize": "use describe",
        "query filter where mask select with_columns mutate assign eval drop rename merge join": FIRST,
        "isna isnull notna dropna": "filter first, and ask then: df[df['x'].isna()].dp",
        "clip clamp": "bounds= of a question clamps, and so does df['x'].clip(0, 100).dp",
        "group_by": "use groupby",
        "apply map transform pipe": "make a column of it and ask that; of any function, blocks(k).apply(f, bounds=...)",
        "location": f"{A_COLUMN}.location(...)",
        "trimmed_mean": f"{A_COLUMN}.trimmed_mean(...)",
        "dp": "it is .dp already: leave the second out",
        "synthesize": "ask it of a table: one model holds all groups, with their keys among its columns",
        "distance": "ask it of a table",
        "protect": "protect is a session's: df = session.protect(df)",
        "plot scatter scatterplot violinplot barplot lineplot kdeplot pairplot heatmap": DRAWN,
        "noise laplace gaussian release collect compute": ITSELF,
        "lm regress regression linear_model wls gls": "use ols",
        "glm logistic logistic_regression": "use ols, logit or poisson",
        "probit": "use logit: chances are nearly the same, and coefficients about 1.7 times as large",
        "negbin negativebinomial": "use poisson",
        "quantreg": "use quantile in groups, groupby(keys)['wage'].quantile([0.1, 0.5, 0.9])",
        "iv2sls ivreg tsls": "use iv, with instruments in brackets: 'wage ~ age + [school ~ near]'",
        "pca": "use moments(columns), and release.dp.pca(k)",
        "cox coxph phreg coxphfitter": COX,
        "kaplanmeierfitter kaplan_meier survfit": "use survival",
        "anova aov f_oneway anova_test": "use groupby(key)['y'].mean(), and release.dp.anova_test()",
        "ttest ttest_ind ttest_rel ttest_1samp": "use t_test",
        "mannwhitneyu wilcoxon ranksums kruskal": "use rank_test",
        "kstest ks_2samp": "use ks_test",
        "chi2 chi2_contingency chisq_test fisher_exact": "use crosstab, and release.dp.independence_test()",
        "pearsonr spearmanr": "use corr",
    }
)
OF_ANOTHER = {  # what a question does not take and the one beside it does
    "plan_marginals": (
        ("values", "aggfunc", "cost_shares", "consistent", "structural_zeros", "hierarchies", "ranges"),
        "it compares ways to count rows; session.plan tells what any question would cost and how wide its intervals "
        "would be",
    )
}
BOUNDS = "use bounds=(lower, upper)"
CONFIDENCE = "use confidence, e.g. confidence=0.95"
PEOPLE = "use Session(unit=...) and max_rows="
ARGUMENTS = _by_word(
    {
        "percentiles": "ask for quantile([...])",
        "percentile quantile": "use q",
        "inclusive": "both ends are included",
        "range": "the range is given by bounds=",
        "population": "use further_rows",
        "workload": "use tables",
        "hierarchies": "marginals, crosstab and synthesize take them; make a column of the level for others",
        "level": "keys are columns; the level of an interval is confidence",
        "stages": "ols and synthesize take it; logit and poisson always look again",
        "eps": "use epsilon",
        "cost budget privacy_budget privacy_loss": "say epsilon=, or rho=",
        "sensitivity": "it follows from bounds=",
        "lower upper low high lower_bound upper_bound min_value max_value clip clamp clamping limits": BOUNDS,
        "noise": "use mechanism",
        "ci conf_level confidence_level": CONFIDENCE,
        "density": "divide by the released total and the width",
        "keyset keys levels groups candidates": "use categories",
        "weight sample_weight aweights pweights": "use weights",
        "max_contributions max_rows_per_user max_partitions_contributed privacy_unit privacy_id user_id": PEOPLE,
        "accountant": "the session keeps the budget",
        "rng": "noise comes from the operating system",
    }
)
OF_CONCLUSIONS = {
    "level": "use confidence",
    "conf_level": "use confidence",
    "confidence_level": "use confidence",
    "alpha": "use confidence",
    "method": "use likelihood, 'noisy' or 'naive'",
    "p_value": "use pvalue",
}
CONCLUSIONS = _by_word(
    {
        "chi2_contingency chi2 chisq_test": "use independence_test",
        "fisher_exact": "use independence_test, or odds_ratio",
        "chisquare binomtest": "use goodness_of_fit",
        "anova f_oneway": "use anova_test",
        "mcnemar": "use mcnemar_test",
        "marginal_effects get_margeff margeff": "use predict, of public rows that differ in one column",
        "cox coxph phreg": "use hazard(link='cloglog') of a life table",
        "tost": "use equivalence_test",
        "ttest": "use test, or contrast for two numbers",
        "ttest_1samp": "use test",
        "ttest_ind": "use contrast",
        "conf_int ci": "use confint",
        "clip": "use nonnegative",
        "tidy": "use nonnegative(integer=True), whose numbers are whole and add up",
        "rename": "use relabel, or pandas' own release.rename",
        "sort": "use pandas' own release.sort_values",
        "fit fit_regularized": "it is fitted already; summary shows it",
        "resid fittedvalues": "they have a value for each row, and rows are never released; predict takes public rows",
    }
)
RESULTS = {"params": "coef", "bse": "std_error", "tvalues": "statistic", "pvalues": "p_value"}
"""What statsmodels calls the columns of a regression."""
