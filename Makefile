# Endcap. `make help` lists the targets. Everything a target needs is installed by `make setup`, which each one runs first.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# Node 24 is taken from PATH when it is there, else from a package of the npm registry, into .node/.
NODE_MAJOR := 24
NODE_FOUND := $(shell node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
NODE_PACKAGE := node-linux-$(if $(filter aarch64 arm64,$(shell uname -m)),arm64,x64)
NODE_HOME := $(CURDIR)/.node/node_modules
ifeq ($(shell test $(NODE_FOUND) -ge $(NODE_MAJOR) && echo yes),yes)
NODE_READY :=
else
NODE_READY := .node/ready
export PATH := $(NODE_HOME)/.bin:$(PATH)
endif

# Compiled code is kept between starts: each saves a third of its processor time.
export NODE_COMPILE_CACHE ?= $(CURDIR)/node_modules/.cache/endcap-code

# Without these limits new objects take 128 MB in each busy thread, each of some forty threads gets an arena of malloc, and malloc keeps
# what was freed of large pieces (50 MB). Errors name lines of the sources, not of the bundle.
SERVER := MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 node --max-semi-space-size=16 --enable-source-maps

.PHONY: help setup build client run start test test-long lint bench backup restore migrate rebuild repartition restore-log tour traffic engines-start engines-stop test-engines \
  chromium test-browser
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-14s %s\n", $$1, $$2 }'

.node/ready:
	@mkdir -p .node
	npm install --prefix .node --no-save --no-audit --no-fund --loglevel=error $(NODE_PACKAGE)@$(NODE_MAJOR) npm@11
	@touch $@

node_modules/.package-lock.json: package.json package-lock.json $(NODE_READY)
	npm install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

setup: $(NODE_READY) node_modules/.package-lock.json ## Install Node 24 (when the machine's is older) and the packages

build: setup services/panel/dist/index.html services/selection/script/dist/script.js dist/services-main.js ## Build what browsers load and starts run, where sources are newer

services/panel/dist/index.html: package-lock.json $(shell find services/panel/web services/panel/*.ts services/domain schemas -type f) | setup
	@npx --no-install vite build --config services/panel/vite.config.ts --logLevel warn
	@touch $@

services/selection/script/dist/script.js: package-lock.json services/selection/script/build.ts $(shell find services/selection/script/web -type f) | setup
	@node services/selection/script/build.ts
	@touch $@

dist/services-main.js: package-lock.json $(shell find schemas services streams infra -name '*.ts' -not -path '*/web/*') | setup
	@node infra/bundle.ts
	@touch $@

# Its generator needs TypeScript 5, whose compiler is still written in JavaScript.
OPENAPI_TYPESCRIPT := npm exec --yes --package=openapi-typescript@7.13.0 --package=typescript@5.9.3 -- openapi-typescript
CLIENT := services/panel/web/client/schema.d.ts
client: setup ## Write the panel's typed client from the OpenAPI of the program
	@set -o pipefail; trap 'rm -f $(CLIENT).new' EXIT; { node test/services/panel/openapi.ts stamp && \
	  node test/services/panel/openapi.ts | $(OPENAPI_TYPESCRIPT); } > $(CLIENT).new && mv $(CLIENT).new $(CLIENT)

run: build ## Start everything embedded with the demo shop
	@$(SERVER) dist/services-demo-main.js

start: build ## Start the bare server; settings come from the environment (docs/configuration.md)
	@$(SERVER) dist/services-main.js

traffic: setup ## Send shoppers to a running `make run`: RATE visits a second (10) for SECONDS (30)
	@node services/demo/traffic/main.ts

tour: setup ## Follow one product from the demo shop's feed to an attributed sale, against `make run`
	@bash docs/tour.sh

# The suites need not bundle again what make has bundled.
test test-browser: export TEST_PROGRAM_IS_BUNDLED := yes

test: lint dist/services-main.js ## Check types and style, and run the tests on the embedded engines
	@npx --no-install vitest run

# Each folder of browser code has a tsconfig.json of its own. The compiler in one thread and without garbage collection takes half
# of the processor time, and less than 1 GB.
lint: setup ## Check types and style
	@printf '%s\n' . services/panel services/selection/script/web test/browser | \
	  GOGC=off xargs -P 2 -I{} node_modules/.bin/tsc --noEmit --singleThreaded -p {}
	@node_modules/.bin/biome check .

test-long: lint ## The same with many more cases of every property and many more kills: an hour and more
	@TEST_LONG=1 npx --no-install vitest run

bench: engines-start ## Measure against baselines into docs/benchmarks.md; ONLY=measures; DATA=folder adds the relevance measures
	@node test/bench/all.ts $(DATA)

engines-start: setup ## Start real Kafka, ClickHouse, Elasticsearch and Redis on this machine, without Docker
	@infra/local/engines.sh start

engines-stop: ## Stop them; their data stays in .engines/
	@infra/local/engines.sh stop

test-engines: engines-start ## Run the tests that need real engines, faults included
	@npx --no-install vitest run -c vitest.engines.config.ts

chromium: ## Install Debian's Chromium without windows when it is missing and apt-get is there
	@command -v chromium-headless-shell >/dev/null || \
	  { apt-get update -qq && apt-get install -y -qq chromium-headless-shell >/dev/null; } || command -v chromium >/dev/null || \
	  { echo 'test-browser needs the command chromium-headless-shell or chromium' >&2; exit 1; }

test-browser: build chromium ## Run the tests in Chromium
	@npx --no-install vitest run -c vitest.browser.config.ts

backup: setup ## Back an embedded installation up into FILE, also while it runs (docs/operating.md)
	@nice node services/backup.ts "$(FILE)"

restore: setup ## Fill an empty data folder (DATA_DIR) from the backup FILE
	@node services/restore.ts "$(FILE)"

rebuild: setup ## Replay the log and prove that the answers are the same; ENGINE=elasticsearch|clickhouse|redis for one, beside what serves
	@ENGINE=$(ENGINE) TABLE=$(TABLE) REPLACE=$(REPLACE) node services/rebuild.ts

migrate: setup ## Carry an embedded installation (DATA_DIR) over into real engines, whose addresses are set
	@node services/migrate.ts

restore-log: setup ## Prepare a mirror of the log in Kafka for a start on it (docs/restore.md)
	@node services/restore-log.ts $(ARGS)

repartition: setup ## Add partitions to topics in Kafka, as KAFKA_TOPIC_PARTITIONS asks for (docs/operating.md)
	@node services/repartition.ts
