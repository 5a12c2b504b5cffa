# Perennial: object-graph persistence for Swift
# SPDX-License-Identifier: MIT
#
# Needs a Swift toolchain, git, make and bash; `make deps` sees to the rest.

SWIFT ?= swift
# The checkout whose history `make demo` imports, and where the demo keeps its store.
REPO ?= .
STORE ?= .build/demo/commits.sqlite
# The size and the place of the history that `make demo-repo` writes.
N ?= 11000
DIR ?= .build/demo-repo
# How many random operations `make property` does.
STEPS ?= 100000
SEED ?=
# How many random predicates `make differential` asks all engines.
PREDICATES ?= 1000000
# How many random changes of results `make chaos` looks at.
CHANGES ?= 1000000
# How often `make crash` and its like do what they do; each knows its own number when this is empty.
COUNT ?=
# How long `make fuzz` looks for texts that the parser reads wrongly.
SECONDS ?= 60
# What `make bench` passes on instead of running everything, for example BENCH="--ops W1,W2 --rows 100000".
BENCH ?=
# The numbers of commits that `make bench` measures when BENCH says nothing.
SIZES ?= 100000 1000000
# Where `make bench` writes its pages and plots; nowhere when empty.
PAGES ?=
# What `make perf-gate` compares with (the merge base with main when empty), and whether long targets are short.
BASE ?=
SHORT ?=

# One set of flags for every debug build: other flags would build everything again.
DEBUG_FLAGS := -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error
RELEASE_FLAGS := -c release

export SWIFT DEBUG_FLAGS

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help deps build test postgres postgres-stop test-postgres test-postgres-all test-postgres-processes \
	bench-postgres property differential chaos fuzz check lint layers compile-fail client-test sanitize valgrind \
	crash power faults races hostile soak trials mutants coverage demo demo-repo bench bench-pages perf-gate format \
	clean docs man recordings site site-test tutorials

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z -]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

deps: ## install what the build needs and the machine lacks (headers of SQLite and zlib, Foundation's libraries)
	@.ci/deps

build: deps ## build everything, debug
	$(SWIFT) build --build-tests $(DEBUG_FLAGS)

docs: deps ## the reference and the articles, in .build/docs; every public declaration has a comment
	@.ci/docs

test: build ## run all tests
	@.ci/test

postgres: ## start a private PostgreSQL server and print its URL
	@.ci/postgres start

postgres-stop: ## stop that server and remove its data
	@.ci/postgres stop

test-postgres-all: deps ## the same, and the tests of the graph over that server
	@.ci/postgres test all

test-postgres: deps ## the tests of the trait PostgreSQL, against a server of their own
	@.ci/postgres test

test-postgres-processes: deps ## 20 processes that save 500 times each on one PostgreSQL server, long
	@PERENNIAL_POSTGRES_PROCESSES=20 PERENNIAL_POSTGRES_SAVES=500 .ci/postgres test --filter StoreProcessTests

property: build ## random operations against a naive graph, long (STEPS=100000 SEED=n)
	PERENNIAL_PROPERTY_STEPS=$(STEPS) PERENNIAL_PROPERTY_RUNS=200 \
		$(if $(SEED),PERENNIAL_PROPERTY_SEED=$(SEED)) \
		.ci/test --filter 'PropertyTests|RandomChangeTests'

# Optimised, so in a folder of its own: other flags would build everything again.
DIFFERENTIAL := --scratch-path .build/differential -c release -Xswiftc -enable-testing

differential: deps ## random predicates in all engines, long (PREDICATES=1000000 SEED=n)
	$(SWIFT) build --build-tests $(DIFFERENTIAL)
	PERENNIAL_DIFFERENTIAL=$(PREDICATES) $(if $(SEED),PERENNIAL_PROPERTY_SEED=$(SEED)) \
		DEBUG_FLAGS="$(DIFFERENTIAL)" .ci/test --filter PredicateDifferentialTests

chaos: deps ## random changes of live results, long (CHANGES=1000000 SEED=n)
	$(SWIFT) build --build-tests $(DIFFERENTIAL)
	PERENNIAL_CHAOS=$(CHANGES) $(if $(SEED),PERENNIAL_PROPERTY_SEED=$(SEED)) \
		DEBUG_FLAGS="$(DIFFERENTIAL)" .ci/test --filter ResultsPropertyTests

fuzz: deps ## libFuzzer on the parser of predicates (SECONDS=60)
	@.ci/fuzz $(SECONDS)

crash power faults races hostile soak: deps ## stores that are killed, lose power, … (SHORT=1 SEED=n COUNT=n)
	@SHORT="$(SHORT)" .ci/reliability $@ $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

trials: ## the short forms of the trials of reliability, on what is built for tests
	@.ci/reliability all

coverage: deps ## which regions of the sources the tests reach, and those that must be reached
	@.ci/coverage

mutants: deps ## change what the code means in 200 places: do tests notice? up to an hour (COUNT=200 SEED=n)
	@.ci/mutants $(or $(COUNT),200) $(or $(SEED),2026)

# The tests run last, so that their closing line is the last one.
check: lint layers semantics build docs compile-fail tutorials client-test trials ## everything that must hold before a merge
	@.ci/test

lint: ## format, file length, headers, licence, unsafe code
	@.ci/lint

layers: ## targets depend only on targets below them
	@.ci/layers

semantics: ## every behaviour row of the object graph has a test that names it
	@.ci/semantics

compile-fail: build ## misuse that the compiler must refuse
	@.ci/compile-fail

tutorials: build ## every step of the tutorials compiles, and prints what they show
	@.ci/tutorials

client-test: deps ## a package outside the checkout uses HEAD as a versioned dependency
	@.ci/client-test

sanitize: deps ## run the tests under the thread and the address sanitizer (FILTER=)
	@.ci/sanitize "$(FILTER)"

valgrind: deps ## run the tests under valgrind, an hour after the build (FILTER=)
	@.ci/valgrind "$(FILTER)"

demo: deps ## import this checkout's history (or REPO=path), list it, count it
	@.ci/demo "$(REPO)" "$(STORE)"

demo-repo: deps ## write a synthetic git history (N=11000 DIR=.build/demo-repo)
	rm -rf .build/demo-repo
	$(SWIFT) run $(RELEASE_FLAGS) demo-repo --commits $(N) "$(DIR)"

man: deps ## write the manual pages of perennial, commits and movies into .build/man/man1
	@.ci/man

recordings: deps ## draw what the demos show in a terminal into Documentation/Recordings
	@.ci/recordings

# Where the site is to live: https://HOST/$(SITE_PATH).
SITE_PATH ?= perennial

site: deps ## write the documentation as a static site into .build/site (SITE_PATH=perennial)
	@SITE_PATH="$(SITE_PATH)" .ci/site

site-test: deps ## open pages of the site in headless Chromium, with screenshots in .build/site-test
	@SITE_PATH="$(SITE_PATH)" .ci/site-test

bench: deps ## compare with hand-written Swift and C (BENCH="--ops W1,W2 --rows 100000")
	$(SWIFT) build $(RELEASE_FLAGS) --product perennial-bench
ifeq ($(strip $(BENCH)),)
	@missed=0; \
	for rows in $(SIZES); do \
		.build/release/perennial-bench --ops W,A --rows $$rows --growth $(PAGES:%=--results "%") || missed=1; \
	done; \
	.build/release/perennial-bench --ops P,Q,H,B,R,J || missed=1; \
	exit $$missed
else
	.build/release/perennial-bench $(BENCH)
endif

bench-pages: deps ## the same with a sweep, alone, into Documentation/Benchmarks; over an hour (SIZES="100000")
	@missed=0; \
	$(MAKE) --no-print-directory bench PAGES=Documentation/Benchmarks || missed=1; \
	.build/release/perennial-bench --sweep 3000000 --results Documentation/Benchmarks && exit $$missed

bench-postgres: deps ## compare the store on PostgreSQL with hand-written libpq (BENCH="--ops P2 --cpu")
	@.ci/postgres bench $(BENCH)

perf-gate: ## instructions of ten workloads against the merge base (SHORT=1, BASE=ref, TOLERANCE=0.5)
	@.ci/deps valgrind
	@BASE="$(BASE)" SHORT="$(SHORT)" .ci/perf-gate

format: ## format all Swift files in place
	@.ci/lint --fix

clean: ## remove everything that was built
	rm -rf .build
