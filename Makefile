# Every command works on a fresh machine: set-up is part of it, and costs nothing once it is done.
PYTHON ?= python3
VENV := .venv/bin
ARGS ?=
XDIST ?= auto

.PHONY: up reset test test-all check bench setup setup-system lock format snapshots

setup:
	@$(PYTHON) -m instantstart.bootstrap up

up: setup
	@exec $(VENV)/python manage.py up $(ARGS)

reset:
	@$(PYTHON) -m instantstart.reset $(ARGS)

setup-system:
	@$(PYTHON) -m instantstart.bootstrap system

setup-test:
	@$(PYTHON) -m instantstart.bootstrap test

# The suite on SQLite, browser and Kubernetes included.
test: setup-test
	@$(VENV)/pytest -n $(XDIST) --dist loadgroup $(ARGS)

# Besides, what must also hold on PostgreSQL.
test-all: test
	@$(VENV)/python -m tests.postgres $(ARGS)

check: setup-test
	@$(VENV)/ruff format --check .
	@$(VENV)/ruff check .
	@$(VENV)/djlint --check --lint templates
	@$(VENV)/mypy -p instantstart -p accounts -p operations -p clusters -p agentapi -p sandbox
	@$(VENV)/lint-imports
	@$(VENV)/python manage.py makemigrations --check --dry-run
	@$(VENV)/python manage.py check --fail-level WARNING
	@$(VENV)/python -m instantstart.api.snapshot

bench: setup-test
	@$(VENV)/python -m bench $(ARGS)

format:
	@$(VENV)/ruff format .
	@$(VENV)/ruff check --fix .

# Rewrites the committed snapshots (OpenAPI document, query counts, tools, skills): the difference shows in review.
snapshots:
	@$(VENV)/python manage.py spectacular --file docs/openapi.yaml
	@INSTANTSTART_REMAKE_SNAPSHOTS=1 $(VENV)/pytest -q instantstart/tests -k query
	@$(VENV)/python manage.py mcp --snapshot
	@$(VENV)/python manage.py skills --snapshot

lock:
	@for name in requirements requirements-dev requirements-aws; do \
	  $(VENV)/pip-compile -q --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --strip-extras -o $$name.txt $$name.in || exit 1; \
	done
	@PATH="$(CURDIR)/$(VENV):$$PATH" npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund
