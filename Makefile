# Two commands on a machine that has only Python 3.11 or later and make: `make demo` and `make test`.
# The newest Python that is supported does the work where it is here, and the oldest tries the oldest pandas.
HERE = $(wildcard $(HOME)/.pyenv/versions/$(1)*/bin/python$(1)) $(wildcard /usr/local/bin/python$(1) /usr/bin/python$(1))
PYTHON ?= $(firstword $(call HERE,3.13) python3)
OLDEST ?= $(firstword $(call HERE,3.11) python3)
ENVS := .make
SOURCES := pyproject.toml $(shell find pandas_dp -type f ! -name '*.pyc')

# What each environment installs: the package as users get it, as a wheel that is made of the sources.
INSTALLS_demo := '.[export,plot]'
INSTALLS_test := '.[test]'
INSTALLS_lint := '.[lint]'
INSTALLS_docs := '.[docs]'
INSTALLS_rivals := '.[rivals]'
INSTALLS_oldest := '.[test]' 'pandas==2.3.*'
INSTALLS_spark := '.[formula,spark]' 'pandas==2.3.*' 'pytest>=8' 'hypothesis>=6.100'
INSTALLS_package := 'build>=1.2' 'twine>=6'
INSTALLS_smartnoise := 'smartnoise-sql>=1.0.10'
INSTALLS_tumult := 'tmlt.analytics>=0.21'
PYTHON_oldest := $(OLDEST)
PYTHON_spark := $(OLDEST)
# Types are checked as of the oldest Python, and NumPy's are those of the Python that it is installed for.
PYTHON_lint := $(OLDEST)

# What is installed is tested: beside these copies of the tests, and of what they read, there is no package.
OUTSIDE := $(ENVS)/outside
IN := test
PYTEST = cd $(OUTSIDE) && $(abspath $(ENVS))/$(IN)/bin/python -m pytest -q -n auto --dist worksteal -p no:cacheprovider
QUICK := -m "not slow and not further"
LINEAR := $(addprefix tests/,core/door core/conclude comparisons learning models numeric quantiles survival surveys synthetic \
  tables/tests weaker)
ACROSS := tests/core/session tests/core/engine tests/core/door tests/core/label tests/core/budget/test_ledger.py tests/core/budget/test_periods.py

.NOTPARALLEL:
.SECONDARY:
.PHONY: pythons demo test test-kernels test-slow test-parts test-all test-oldest test-spark
.PHONY: outside refusals doctest examples notebooks sheets pages lint docs package benchmarks rivals clean

$(ENVS)/%/made:
	$(or $(PYTHON_$*),$(PYTHON)) -m venv $(ENVS)/$*
	$(ENVS)/$*/bin/python -m pip install --quiet --upgrade pip
	touch $@

$(ENVS)/%/ready: $(ENVS)/%/made $(SOURCES)
	rm -rf build  # where setuptools keeps files that are no more
	$(ENVS)/$*/bin/python -m pip install --quiet $(INSTALLS_$*)
	touch $@

pythons:  ## which Pythons there are
	@$(PYTHON) --version | grep -F "3.13" || echo "NOT TRIED, as it is not here: Python 3.13; $$($(PYTHON) --version) does its work"
	@$(OLDEST) --version | grep -F "3.11" || echo "NOT TRIED, as it is not here: Python 3.11; $$($(OLDEST) --version) does its work"

outside:
	rm -rf $(OUTSIDE)
	mkdir -p $(OUTSIDE)
	cp -R $(filter-out pandas_dp build dist %.egg-info,$(wildcard *)) $(OUTSIDE)

demo: $(ENVS)/demo/ready  ## the rice-farm example, end to end; it ends with the path of a report
	$(ENVS)/demo/bin/python examples/rice_farms.py

test: $(ENVS)/test/ready outside  ## the quick tests: no exhaustive enumerations and long simulations, some cases of many
	$(PYTEST) $(QUICK) $(TESTS)

test-kernels: $(ENVS)/test/ready outside  ## those that solve equations, computed as another processor computes
	set -e; kernel=$$($(ENVS)/test/bin/python .ci/kernel); echo "$$kernel"; export $$kernel; $(PYTEST) $(QUICK) $(LINEAR)

test-slow: $(ENVS)/test/ready outside  ## the rest of the tests
	$(PYTEST) -m "slow or further"

READERS := --ignore tests/core/engine/test_folds.py --ignore tests/core/engine/test_every_fold.py tests/core/engine \
  $(addprefix tests/contracts/test_,$(addsuffix .py,pandas_answers one_odd_value extremes storage))

test-parts: $(ENVS)/test/ready outside  ## readers again, with rows in several parts, as batches of a scan, as tasks of Dask
	set -e; names=$$(cd $(OUTSIDE) && $(abspath $(ENVS))/test/bin/python -c "from tests.engines.parts import ENGINES; print(*ENGINES)"); \
	for each in $$names; do (export PANDAS_DP_ENGINE=$$each; $(PYTEST) $(QUICK) $(READERS)); done

test-oldest: IN := oldest
test-oldest: $(ENVS)/oldest/ready outside  ## a part of the quick tests under Python 3.11 and pandas 2.3, the oldest that are supported
	$(PYTEST) $(QUICK) $(ACROSS)

test-spark: $(ENVS)/spark/ready outside  ## tables of Spark, in an environment of its own: 450 MB, and Java
	cd $(OUTSIDE) && $(abspath $(ENVS))/spark/bin/python -m pytest -q -p no:cacheprovider tests/engines/spark

test-all: test test-kernels test-slow test-parts  ## every test

refusals: $(ENVS)/test/ready  ## write tests/refusals.txt anew
	REWRITE_REFUSALS=1 PYTHONPATH=$(CURDIR) $(ENVS)/test/bin/python -m pytest -q -n auto $$(grep -rl "refused(" tests --include='test_*.py')

doctest: $(ENVS)/test/ready outside  ## the examples in docstrings
	$(PYTEST) --doctest-modules --pyargs pandas_dp

examples: $(ENVS)/test/ready  ## every script under examples/, the long ones in small sizes
	set -e; for script in examples/*.py examples/papers/*.py; do echo "== $$script"; \
	  case $$script in *hundred_million_rows.py) small="--rows 400000";; *bootstrap.py) small="--runs 40";; *frequency_tables.py) small="--runs 100";; *) small="";; esac; \
	  $(ENVS)/test/bin/python $$script $$small > /dev/null; done

notebooks: $(ENVS)/docs/ready  ## run the notebooks of examples/ anew and keep what they show; `make docs` runs them too
	$(ENVS)/docs/bin/jupyter execute --inplace examples/notebooks/*.ipynb

sheets: $(ENVS)/test/ready  ## the example workbook as LibreOffice shows it, a picture a page, to look at
	$(ENVS)/test/bin/python examples/workbook.py $(ENVS)/sheets
	@if command -v soffice > /dev/null && command -v pdftoppm > /dev/null; then \
	  soffice --headless "-env:UserInstallation=file://$(abspath $(ENVS))/sheets/profile" \
	    --convert-to pdf --outdir $(ENVS)/sheets $(ENVS)/sheets/rice_farms.xlsx > /dev/null && \
	  pdftoppm -r 80 -png $(ENVS)/sheets/rice_farms.pdf $(ENVS)/sheets/page && ls $(ENVS)/sheets/*.png; \
	else echo "skipped: LibreOffice (soffice) or poppler (pdftoppm) is not installed, so the workbook is not rendered"; fi

pages: $(ENVS)/test/ready  ## the report of the example as Chromium shows it on a desk and on a phone, to look at
	TMPDIR=$(abspath $(ENVS)) $(ENVS)/test/bin/python examples/rice_farms.py > /dev/null
	@if command -v chromium > /dev/null; then for wide in 1280 390; do \
	  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars "--user-data-dir=$(abspath $(ENVS))/browser" \
	    --window-size=$$wide,6000 "--screenshot=$(abspath $(ENVS))/report_$$wide.png" \
	    "file://$(abspath $(ENVS))/rice_farms.html" 2> /dev/null; done; ls $(ENVS)/report_*.png; \
	else echo "skipped: Chromium is not installed, so the page is not rendered"; fi

lint: $(ENVS)/lint/ready  ## style and types
	$(ENVS)/lint/bin/ruff check .
	$(ENVS)/lint/bin/ruff format --check .
	$(ENVS)/lint/bin/mypy

docs: $(ENVS)/docs/ready  ## the pages, with warnings as errors
	$(ENVS)/docs/bin/python -m sphinx -q -W -b html docs docs/_build

package: $(ENVS)/package/ready  ## wheel and sdist, built, and each installed where nothing else is
	PYTHON=$(PYTHON) .ci/package $(ENVS)/package/bin/python $(ENVS)/built

benchmarks: $(ENVS)/test/ready  ## ratios against pandas and OpenDP, a few minutes
	$(ENVS)/test/bin/python benchmarks/run.py

rivals: $(ENVS)/rivals/ready $(ENVS)/smartnoise/ready $(ENVS)/tumult/ready  ## beside five libraries: error and time
	$(ENVS)/rivals/bin/python -m benchmarks.bounded_rivals
	$(ENVS)/rivals/bin/python -m benchmarks.beside
	$(ENVS)/smartnoise/bin/python -m benchmarks.beside_smartnoise
	$(ENVS)/tumult/bin/python -m benchmarks.beside_tumult

clean:
	rm -rf $(ENVS) docs/_build
