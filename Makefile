# The two commands of the README are `make demo` and `make test`; both set up what they need themselves.

CARGO ?= cargo
KILLS ?= 1000
SECONDS_EACH ?= 60
ONLY ?=
VENV := target/venv

.PHONY: demo test check unit end-to-end interop bench torture test-cockpit test-apps test-model sparql-suite fuzz clean

demo: ## Build the program, crawl the test web on loopback by topic and breadth first, compare
	@scripts/setup build
	$(CARGO) build --release --bin annalist
	target/release/annalist demo --job target/collections/demo

test: ## Set up, run all checks and tests
	@scripts/setup test
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	ANNALIST_VENV=$(CURDIR)/$(VENV) $(CARGO) test --workspace --no-fail-fast

bench: ## Print the benchmark table, write target/bench.json; ONLY=urlstore runs a part
	@scripts/setup bench
	$(CARGO) build --release --workspace --bins --examples
	target/release/annalist-bench $(if $(ONLY),--only $(ONLY))

torture: ## KILLS=1000 random kill -9 over one crawl after the other
	@scripts/setup test
	$(CARGO) build --release --workspace --bins
	ANNALIST_VENV=$(CURDIR)/$(VENV) ANNALIST_KILLS=$(KILLS) $(CARGO) test --release --workspace --test kill -- --nocapture

test-cockpit: ## The service at length: hostile strings one by one in a browser, made-up requests, KILLS=1000 kill -9
	@scripts/setup test
	ANNALIST_VENV=$(CURDIR)/$(VENV) ANNALIST_COCKPIT=whole ANNALIST_KILLS=$(KILLS) $(CARGO) test --workspace --test browsing --test machines --test killing -- --nocapture

test-apps: ## Crawl a real WordPress and a real MediaWiki with and without the helper; ONLY=wordpress runs a part
	@scripts/setup apps
	$(CARGO) build --release --bin annalist
	scripts/test-apps $(if $(ONLY),--only $(ONLY))

test-model: ## Models that mark names, which are not built by default: the tests of them, with the linter
	@scripts/setup build
	$(CARGO) clippy --workspace --features annalist-study/model,annalist/model --all-targets --quiet -- -D warnings
	$(CARGO) test --workspace --features annalist-study/model,annalist/model --test model --test modelling

sparql-suite: ## W3C's SPARQL query tests through annalist and pyoxigraph: nothing may pass in the latter only
	@scripts/setup sparql
	$(CARGO) build --release --bin annalist
	$(VENV)/bin/python scripts/sparql-suite target/release/annalist

fuzz: ## Coverage-guided fuzzing, where a nightly compiler and cargo-fuzz are there
	scripts/fuzz $(SECONDS_EACH)

clean:
	$(CARGO) clean
