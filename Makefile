# make demo: run the packaged agent, verify its receipt, prove that coordination was held fixed.
# make test: every check, the tests last. Both need python3 (3.11 or newer) and make, and build .venv themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RECEIPT ?= reliability.json

# The decisions a verifier stands on are covered in full, branches included.
GATED := canonical projection signing stats verification
COVERAGE := $(GATED:%=--cov=passfloor.%) --cov-branch --cov-fail-under=100 --cov-report=term-missing:skip-covered

.PHONY: demo test search mutants check format docs generated clean

demo: $(VENV)/installed
	$(BIN)/passfloor bench run golden-v1 --reliability 5 --force --out $(RECEIPT)
	$(BIN)/passfloor bench reliability-verify $(RECEIPT)
	$(BIN)/passfloor bench reliability-check $(RECEIPT) --all

# A subset, without the coverage gate: make test PYTEST_ARGS=tests/unit/stats
test: check
	$(BIN)/pytest --numprocesses logical --dist worksteal $(or $(PYTEST_ARGS),$(COVERAGE))

# Property tests draw the same examples on every run; this draws others, to find what those miss.
search: $(VENV)/developing
	HYPOTHESIS_PROFILE=searching $(BIN)/pytest tests/property $(PYTEST_ARGS)

# Small faults are planted in the code that decides: do the tests notice? See tests/mutation/README.md.
MUTANTS ?= --sample 100 --most 300

mutants: $(VENV)/developing
	$(BIN)/python tests/mutation/mutants.py $(MUTANTS)

check: $(VENV)/developing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/tools/generate.py --check
	$(BIN)/mkdocs build --quiet --strict --config-file docs/tools/mkdocs.yml --site-dir $(CURDIR)/$(VENV)/site

format: $(VENV)/developing
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

generated: $(VENV)/developing
	$(BIN)/python docs/tools/generate.py

docs: $(VENV)/developing
	$(BIN)/mkdocs serve --config-file docs/tools/mkdocs.yml

clean:
	rm -rf $(VENV)

# An environment made by hand is used as it is; what is missing in it is added.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than 3.11: name a newer one, make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) lacks venv or ensurepip: install your system's python3-venv package" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# Dependency groups need pip 25.1.
$(VENV)/developing: pyproject.toml $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	@touch $@
