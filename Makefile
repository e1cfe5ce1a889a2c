# Normscope: `make serve` shows the page, `make test` runs every test. Both install what is missing first.

SHELL := bash
.DEFAULT_GOAL := help
WITH_TOOLS := . scripts/env.sh &&

.PHONY: help serve build dist single-file test setup fmt lint size bench screenshots clean clean-cache

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

serve: build ## set up, build the release page, serve it on 127.0.0.1:8080 or the next free port (PORT= chooses one)
	@exec node scripts/serve.mjs dist

build: ## set up and build the release page into dist/
	@scripts/setup.sh build
	@scripts/build.sh

dist: build ## the folder dist/ for any static host, under any path (docs/hosting.md)
	@echo "dist/ is complete: every address in it is relative. docs/hosting.md has the headers that a host may set."

single-file: build ## the page as one file that opens from a disk, dist-single/normscope.html
	@$(WITH_TOOLS) node scripts/single-file.mjs

test: ## set up and run every check and test
	@scripts/setup.sh test
	@scripts/test.sh

setup: ## install everything that building and testing needs
	@scripts/setup.sh test

fmt: ## format the Rust code
	@$(WITH_TOOLS) cargo fmt --all

lint: ## formatting, clippy for every feature set, documentation, dependencies
	@scripts/setup.sh test
	@scripts/test.sh lint

size: build ## the size of the page's WebAssembly against its budget
	@scripts/check-size.sh

bench: build ## measure speed beside the peers (ONLY=peers,latency,counters,atlas,startup,native,memory,growth chooses sections)
	@scripts/setup-bench.sh
	@$(WITH_TOOLS) node bench/bench.mjs $(ONLY) && node bench/readme.mjs

screenshots: build ## pictures of the page in target/screenshots, and those of this README in docs
	@scripts/setup.sh test
	@$(WITH_TOOLS) node e2e/screenshots.mjs && node e2e/docs-pictures.mjs

clean: ## remove this checkout's build output
	@rm -rf dist dist-*
	@$(WITH_TOOLS) if command -v cargo >/dev/null; then cargo clean -p normscope; fi

clean-cache: ## remove the cache folder: tools and the build output of every checkout
	@$(WITH_TOOLS) rm -rf "$$NORMSCOPE_CACHE" && for link in e2e/node_modules bench/node_modules; do if [ -L $$link ]; then rm $$link; fi; done
