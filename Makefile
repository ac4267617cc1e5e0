# make run    set everything up, start the dashboard, open it in a browser
# make test   set everything up, run every check that CI runs
#
# Both work on a fresh machine with Python 3.11 or newer. What is done once is remembered by
# files in .venv, so a second call starts at once.

SHELL := /bin/bash
PORT ?= 8501
BIN := .venv/bin
MADE := $(BIN)/python
FOR_RUN := .venv/.installed-run
FOR_TEST := .venv/.installed-test
BROWSER_READY := .venv/.browser-ready
CLIENTS_READY := .venv/.clients-ready

.PHONY: run test clean ready static suite

run: $(FOR_RUN)
	@$(BIN)/python -m streamlit run app.py --server.port $(PORT)

# What needs nothing of each other is done side by side: it waits for the network, or for a browser.
test:
	@$(MAKE) --no-print-directory --jobs=3 ready
	@$(MAKE) --no-print-directory --jobs=2 static suite

ready: $(FOR_TEST) $(BROWSER_READY) $(CLIENTS_READY)

static:
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports

suite:
	$(BIN)/python -m pytest -n 3 --dist worksteal --cov --cov-report=term

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage*

$(MADE):
	@scripts/make-venv .venv

$(FOR_RUN): $(MADE) requirements.txt
	@echo "Installing the packages of requirements.txt …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(FOR_TEST): $(MADE) requirements.txt requirements-dev.txt
	@echo "Installing the packages of requirements-dev.txt …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(FOR_RUN)

$(BROWSER_READY): $(FOR_TEST)
	@scripts/get-chromium $(BIN)/python
	@touch $@

$(CLIENTS_READY): $(MADE) scripts/get-clients
	@scripts/get-clients $(BIN)/python
	@touch $@
