# Two commands are enough: `make demo` and `make test`. Everything else is for those who work on Assay.
#
# Python packages go into .venv. A target that needs them sets them up first, and does so again only when the pinned
# requirements change. Three things go outside this folder if you are root on a system with apt: bubblewrap, without
# which tasks run in another sandbox, and for the tests podman, an SSH server and Chromium, without which containers,
# SFTP and pages are not tested. Where there is npm, a generator of TypeScript clients, jest and vitest go into .venv, too.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV    := .venv
BIN     := $(VENV)/bin
ASSAY   := $(BIN)/assay
VECTORS ?= tests/data/vectors/harbor
JOBS    ?= auto

RUNTIME := $(VENV)/.installed-runtime
DEV     := $(VENV)/.installed-dev

# Tests start hundreds of Pythons. Each would compile everything anew where writing bytecode is switched off.
TESTS   := PYTHONDONTWRITEBYTECODE= JOBS=$(JOBS) $(BIN)/python -m tests
# The layers without files, sockets, processes or a clock.
PURE    := core,evidence,formats,detectors,stats,checks,dialects,judge,engine

.PHONY: help
help: ## List what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

$(RUNTIME): requirements/runtime.txt pyproject.toml
	@scripts/setup $(VENV) requirements/runtime.txt
	@scripts/install-bubblewrap
	@touch $@

$(DEV): requirements/dev.txt scripts/install-sshd scripts/install-chromium scripts/install-typescript \
		scripts/install-javascript-runners scripts/install-podman $(RUNTIME)
	@scripts/setup $(VENV) requirements/dev.txt
	@scripts/install-podman
	@scripts/install-sshd
	@scripts/install-chromium
	@scripts/install-typescript $(VENV)/typescript
	@scripts/install-javascript-runners $(VENV)/javascript-runners
	@touch $@

.PHONY: demo
demo: $(RUNTIME) ## Set up, score, run and report on the bundled examples
	@scripts/demo $(ASSAY)

.PHONY: test
test: $(DEV) ## Set up and run all tests
	@$(TESTS)

.PHONY: containers
containers: $(DEV) ## Run all tests that need a container engine: `make test` runs the first of each file
	@ASSAY_TESTS=containers $(BIN)/python -m pytest -q -p no:xdist -p no:cacheprovider -m containers tests/sandbox

.PHONY: test-fast
test-fast: $(DEV) ## Run the tests of the layers that open no files, sockets or processes
	@$(TESTS) --only $(PURE) -m "not hypothesis"

LOOPS := .venv-loops

.PHONY: loops
loops: $(LOOPS)/.installed ## Test the adapters to training loops and to Ray with the real packages, in an environment of their own
	@PYTHONPATH=src $(LOOPS)/bin/python -m pytest -q -p no:cacheprovider -W ignore tests/rewards/test_loops.py \
	    tests/cli/test_on_ray.py tests/cli/test_run_on_ray.py tests/cli/test_grade_every_way.py

$(LOOPS)/.installed: pyproject.toml $(DEV)
	@$(BIN)/python -m venv --without-pip $(LOOPS)
	@$(BIN)/python -m pip --quiet --disable-pip-version-check --python $(LOOPS)/bin/python install \
	    . pytest hypothesis verifiers==0.4.0 inspect_ai==0.3.285 ray==2.60.0
	@touch $@

.PHONY: search
search: $(DEV) ## Run what `make test` only samples whole, on both databases, with many new examples (hours)
	@ASSAY_TESTS=search $(TESTS) -p schemathesis.pytest.plugin -m "hypothesis or search"

# Containers wait for disks more than they compute: the rest of the checks has the processors meanwhile.
.PHONY: check
check: $(DEV) lint types imports docs-check test ## Everything that CI checks
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target containers package conformance-all bench-smoke docs-site

.PHONY: lint
lint: $(DEV)
	@echo "ruff: format and lint"
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .

.PHONY: types
types: $(DEV)
	@echo "mypy --strict"
	@$(BIN)/mypy

.PHONY: imports
imports: $(DEV)
	@$(BIN)/lint-imports --no-logo

.PHONY: docs
docs: $(DEV) ## Write the generated pages in docs/reference and docs/evidence again
	@$(BIN)/python -m docs.generate

.PHONY: docs-check
docs-check: $(DEV)
	@$(BIN)/python -m docs.generate --check

SITE := .venv-site

.PHONY: docs-site
docs-site: $(SITE)/.installed ## Build the documentation as a site with search, in the folder site
	@NO_MKDOCS_2_WARNING=1 $(SITE)/bin/python -m mkdocs build --strict --quiet
	@echo "site: built without a warning, in the folder site"

.PHONY: docs-site-version
docs-site-version: $(SITE)/.installed ## Add this version of the site to the branch gh-pages, beside the earlier ones: VERSION=0.1
	@test -n "$(VERSION)" || { echo "say which version: make docs-site-version VERSION=0.1" >&2; exit 1; }
	@PATH=$(abspath $(SITE))/bin:$$PATH NO_MKDOCS_2_WARNING=1 mike --quiet deploy --update-aliases $(VERSION) latest
	@PATH=$(abspath $(SITE))/bin:$$PATH mike --quiet set-default latest

$(SITE)/.installed: requirements/site.txt $(DEV)
	@$(BIN)/python -m venv --without-pip $(SITE)
	@$(BIN)/python -m pip --quiet --disable-pip-version-check --python $(SITE)/bin/python install \
		-r requirements/site.txt 2>$(SITE)/pip.log || { cat $(SITE)/pip.log >&2; exit 1; }
	@touch $@

.PHONY: format
format: $(DEV) ## Format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix --quiet .

.PHONY: conformance
conformance: $(RUNTIME) ## Run recorded answers of harbor: VECTORS=<folder>
	@$(BIN)/python -m tests.conformance $(VECTORS)

.PHONY: conformance-all
conformance-all: ## The same on every Python from 3.11 on that this machine has
	@scripts/conformance-all $(VECTORS)

.PHONY: package
package: $(DEV) ## Build the wheel, install it on every Python here, and follow the tutorials with it
	@scripts/check-package $(BIN)/python

.PHONY: package-files
package-files: $(DEV) ## The same, and keep the wheel and the source archive in dist
	@scripts/check-package $(BIN)/python dist

.PHONY: attack-table
attack-table: $(DEV) ## Score the corpus of attacks and honest changes, and print what is caught
	@$(BIN)/python -m tests.attacks.corpus

.PHONY: bench
bench: $(DEV) ## Run all benchmarks, each against a baseline in the same run
	@$(BIN)/python -m benchmarks

.PHONY: bench-smoke
bench-smoke: $(DEV)
	@$(BIN)/python -m benchmarks --smoke

.PHONY: holds
holds: $(RUNTIME) ## Measure what every sandbox of this machine holds, and write it for the docs
	@$(BIN)/python -m tests.sandbox.record_holds

.PHONY: coverage-check
coverage-check: $(RUNTIME) ## Try out on simulated agents how often intervals cover, and write what was found
	@$(BIN)/python -m benchmarks.coverage

.PHONY: clean
clean: ## Remove what was installed and cached
	rm -rf $(VENV) .venv-* dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
