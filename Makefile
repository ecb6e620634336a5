# Every target does all its own set-up: a fresh machine needs Python 3.11+ (with venv) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint types bench schemas soak clean

demo: $(READY)
	@$(BIN)/python -m note_bridge.demo

# Lint and types first: they fail fastest. -n auto: one worker per core.
test: lint types
	$(BIN)/pytest -n auto --dist loadgroup

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

bench: $(READY)
	@$(BIN)/python -m bench

# Hundreds of kills and interruptions instead of tens; takes minutes.
soak: $(READY)
	NOTE_BRIDGE_SOAK=1 $(BIN)/pytest tests/faults tests/storage tests/agent/test_run_killed.py

schemas: $(READY)
	$(BIN)/python -m manifest.schemas

# uv is faster where it exists; pip is always there.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "note-bridge needs Python 3.11 or newer; run make PYTHON=python3.12 or the like")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) (once) ..." >&2
	@if command -v uv >/dev/null 2>&1; then \
		uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[dev]'; \
	else \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'; \
	fi
	@touch $@

clean:
	rm -rf $(VENV) build dist
