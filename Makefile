# Two commands on a machine that has only Python 3.11 and make: `make demo` and `make test`.
PYTHON ?= python3
ENVS := .make
# $(1): the environment's name, $(2): what it installs
define environment
$(ENVS)/$(1)/ready: pyproject.toml
	$(PYTHON) -m venv $(ENVS)/$(1)
	$(ENVS)/$(1)/bin/python -m pip install --quiet --upgrade pip
	$(ENVS)/$(1)/bin/python -m pip install --quiet --editable '.$(2)'
	touch $$@
endef

# $(1): the environment's name, $(2): the interpreter, $(3): what is asked of the versions
define versions
$(ENVS)/$(1)/ready: pyproject.toml
	$(2) -m venv $(ENVS)/$(1)
	$(ENVS)/$(1)/bin/python -m pip install --quiet --upgrade pip
	$(ENVS)/$(1)/bin/python -m pip install --quiet --editable '.[test]' '$(3)'
	touch $$@
endef
PYTHON313 ?= $(firstword $(wildcard $(HOME)/.pyenv/versions/3.13*/bin/python3.13) $(wildcard /usr/bin/python3.13))
ACROSS := -q -n auto --dist worksteal -p no:cacheprovider -m "not slow and not further" tests/session tests/backends \
  tests/accessor tests/release tests/ledger/test_ledger.py tests/ledger/test_periods.py

.PHONY: test-pandas22 test-pandas23 test-python313 test-versions
.PHONY: demo package test test-slow test-parts test-all refusals lint docs doctest examples notebooks sheets pages benchmarks rivals clean

demo: $(ENVS)/demo/ready  ## the rice-farm example, end to end; it ends with the path of a report
	$(ENVS)/demo/bin/python examples/rice_farms.py

test: $(ENVS)/test/ready  ## the quick tests: no exhaustive enumerations and long simulations, some cases of many
	$(ENVS)/test/bin/python -m pytest -q -n auto --dist worksteal -m "not slow and not further"

test-slow: $(ENVS)/test/ready  ## the rest of the tests
	$(ENVS)/test/bin/python -m pytest -q -n auto --dist worksteal -m "slow or further"

READERS := -q -n auto --dist worksteal -m "not slow and not further" --ignore tests/backends/test_folds.py \
  --ignore tests/backends/test_every_fold.py $(addprefix tests/contracts/test_,$(addsuffix .py,pandas_answers one_odd_value extremes))

test-parts: $(ENVS)/test/ready  ## readers again, with rows in several parts, as batches of a scan, as tasks of Dask
	for engine in split scan; do PANDAS_DP_ENGINE=$$engine $(ENVS)/test/bin/python -m pytest $(READERS) \
	  tests/backends tests/contracts/test_storage.py || exit 1; done
	PANDAS_DP_ENGINE=dask $(ENVS)/test/bin/python -m pytest $(READERS) \
	  tests/backends/test_known_rows.py tests/backends/test_rank_ladders.py

test-pandas22: $(ENVS)/pandas22/ready  ## a part of the quick tests under pandas 2.2, the oldest that is supported
	$(ENVS)/pandas22/bin/python -m pytest $(ACROSS)

test-pandas23: $(ENVS)/pandas23/ready  ## the same under pandas 2.3
	$(ENVS)/pandas23/bin/python -m pytest $(ACROSS)

ifeq ($(PYTHON313),)
test-python313:  ## the same under Python 3.13 and the newest pandas and NumPy
	@echo "skipped: there is no Python 3.13 here; make test-python313 PYTHON313=/path/to/python3.13"
else
test-python313: $(ENVS)/python313/ready
	$(ENVS)/python313/bin/python -m pytest $(ACROSS)
endif

test-versions: test-pandas22 test-pandas23 test-python313  ## under every version

test-all: test test-slow test-parts  ## every test

refusals: $(ENVS)/test/ready  ## write tests/refusals.txt anew
	REWRITE_REFUSALS=1 $(ENVS)/test/bin/python -m pytest -q -n auto $$(grep -rl "refused(" tests --include='test_*.py')

doctest: $(ENVS)/test/ready  ## the examples in docstrings
	$(ENVS)/test/bin/python -m pytest -q --doctest-modules pandas_dp -p no:cacheprovider

examples: $(ENVS)/test/ready  ## every script under examples/, the long ones in small sizes
	set -e; for script in examples/*.py examples/papers/*.py; do echo "== $$script"; \
	  case $$script in *hundred_million_rows.py) small="--rows 400000";; *bootstrap.py) small="--runs 40";; *frequency_tables.py) small="--tables 100";; *) small="";; esac; \
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

$(ENVS)/smartnoise/ready:
	$(PYTHON) -m venv $(ENVS)/smartnoise
	$(ENVS)/smartnoise/bin/python -m pip install --quiet 'smartnoise-sql>=1.0.10'
	touch $@

$(ENVS)/tumult/ready:
	$(PYTHON) -m venv $(ENVS)/tumult
	$(ENVS)/tumult/bin/python -m pip install --quiet 'tmlt.analytics>=0.21'
	touch $@

$(ENVS)/package/ready:
	$(PYTHON) -m venv $(ENVS)/package
	$(ENVS)/package/bin/python -m pip install --quiet 'build>=1.2' 'twine>=6'
	touch $@

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

$(eval $(call environment,demo,[export,plot]))
$(eval $(call versions,pandas22,$(PYTHON),pandas==2.2.*))
$(eval $(call versions,pandas23,$(PYTHON),pandas==2.3.*))
$(eval $(call versions,python313,$(PYTHON313),pandas>=3))
$(eval $(call environment,test,[test]))
$(eval $(call environment,lint,[lint]))
$(eval $(call environment,docs,[docs]))
$(eval $(call environment,rivals,[rivals]))
