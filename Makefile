# Every target does all its own set-up: a fresh machine needs Python 3.11+ (with venv) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint types bench clean

# uv is faster where it exists; pip is always there.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "note-bridge needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) (once) ..."
	@if command -v uv >/dev/null 2>&1; then \
		uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[dev]'; \
	else \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'; \
	fi
	@touch $@

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

test: lint types
	$(BIN)/pytest -n auto

clean:
	rm -rf $(VENV) build dist
