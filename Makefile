# Every command of the project; each target calls one script in ci/.
.DEFAULT_GOAL := help
.PHONY: help demo test lint types imports readme bench performance measure browser screenshots clean

# `make PYTHON=/path/to/python3` chooses the Python that .venv is made with.
export PYTHON

help: ## list the commands
	@sh ci/help.sh

demo: ## scan the two examples of the README, from nothing
	@sh ci/demo.sh

test: ## run the whole test suite
	@sh ci/test.sh

lint: ## check the code with ruff
	@sh ci/lint.sh

types: ## check the types with mypy
	@sh ci/types.sh

imports: ## check the import rules with import-linter
	@sh ci/imports.sh

readme: ## rewrite the README's output blocks from real runs
	@sh ci/readme.sh

bench: ## compare speed, calls, import time and memory with 0.1.2
	@sh ci/bench.sh

performance: ## measure scale, calls in flight, other tools; rewrites docs/performance.md
	@sh ci/performance.sh

measure: ## simulate false alarms, power and calls; rewrites docs/measurement.md
	@sh ci/measure.sh

browser: ## install the Chromium that the tests of the HTML report drive
	@sh ci/browser.sh

screenshots: ## take the pictures of the HTML report in docs/screenshots
	@sh ci/screenshots.sh

clean: ## remove what the commands made, except .venv
	@sh ci/clean.sh
