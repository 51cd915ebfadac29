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

.PHONY: help setup run start test lint bench rebuild tour engines-start engines-stop test-engines
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

run: setup ## Start everything embedded with the demo shop
	@node services/demo/main.ts

start: setup ## Start the bare server; settings come from the environment (docs/configuration.md)
	@node services/main.ts

tour: setup ## Follow one product from the demo shop's feed to an attributed sale, against `make run`
	@bash docs/tour.sh

test: setup ## Check types, lint and run the tests on the embedded engines
	@npx --no-install tsc --noEmit
	@npx --no-install biome check .
	@npx --no-install vitest run

lint: setup ## Check types and style
	@npx --no-install tsc --noEmit
	@npx --no-install biome check .

bench: engines-start ## Measure, as ratios against a baseline in the same run; DATA=folder adds the relevance measures
	@node test/bench/all.ts $(DATA)

engines-start: setup ## Start real Kafka, ClickHouse, Elasticsearch and Redis on this machine, without Docker
	@infra/local/engines.sh start

engines-stop: ## Stop them; their data stays in .engines/
	@infra/local/engines.sh stop

test-engines: engines-start ## Run the tests that need real engines, faults included
	@npx --no-install vitest run -c vitest.engines.config.ts

rebuild: setup ## Drop every projection, replay the log and prove that the answers are the same
	@node services/rebuild.ts
