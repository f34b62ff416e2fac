# A thin front to CMake: one word for each thing one wants done.
#
# The work happens in $(BUILD), which `make clean` removes as a whole.  Where a
# target needs packages, scripts/install-deps.sh sees to them first.

BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)

# Extra options for configuring, for example CMAKE_FLAGS=-DRADDLE_WERROR=ON
CMAKE_FLAGS ?=

# make's own idea of CC is "cc"; we mean gcc unless told otherwise.
ifeq ($(origin CC),default)
CC = gcc
endif

MAKEFLAGS += --no-print-directory

deps := scripts/install-deps.sh

# No test waits for time to pass; the limit only ends one that hangs.  But tests wait for programs
# that they start: one more than there are cores keeps these busy.
limit = 300
ctest = ctest --output-on-failure --parallel $$(($(JOBS) + 1)) --no-tests=error --timeout $(limit)

# $(call compile,FOLDER,COMPILER,OPTIONS,TARGET): configure once, then build what changed.
define compile
	@test -f $(1)/Makefile || cmake -S . -B $(1) -DCMAKE_C_COMPILER=$(2) $(3) $(CMAKE_FLAGS)
	@cmake --build $(1) --parallel $(JOBS) --target $(or $(4),all)
endef

.PHONY: all tests check demo bench san soak mutate accept install format clean help

all: ## build the library and the tool into build/ (this is the default)
	@$(deps) build
	$(call compile,$(BUILD),$(CC),,library_and_tool)

tests: ## build all there is: also the examples and the tests
	@$(deps) build
	$(call compile,$(BUILD),$(CC))

check: ## build with gcc and with clang, run all tests (what CI does)
	@$(deps) test
	$(call compile,$(BUILD),$(CC))
	$(call compile,$(BUILD)/clang,clang)
	$(ctest) --test-dir $(BUILD)/clang --label-regex quick
	$(ctest) --test-dir $(BUILD)

demo: all ## show what Raddle does, in a minute
	@BUILD="$$(realpath $(BUILD))" SOURCE="$$PWD" scripts/demo.sh

bench: ## measure Raddle and its peers (PARTS: tests threads zoo specs events gates mocks)
	@$(deps) bench
	$(call compile,$(BUILD),$(CC))
	@cmake --build $(BUILD) --parallel $(JOBS) --target bench_programs
	@BUILD="$$(realpath $(BUILD))" SOURCE="$$PWD" bench/run.sh $(PARTS)

san: ## run all tests under AddressSanitizer, LeakSanitizer and UBSan
	@$(deps) test
	$(call compile,$(BUILD)/san,$(CC),-DRADDLE_SANITIZE=ON)
	$(ctest) --test-dir $(BUILD)/san

soak: SEED ?= $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
soak: limit = 7200
soak: ## run the tests longer and from a fresh seed (SEED=n repeats a run)
	@$(deps) soak
	$(call compile,$(BUILD),$(CC))
	@seed=$(SEED); echo "soak: seed $$seed (repeat with: make soak SEED=$$seed)"; \
	RADDLE_SOAK=1 RADDLE_SOAK_SEED=$$seed $(ctest) --test-dir $(BUILD)

mutate: SEED ?= 1
mutate: ## do the unit tests notice changes in src? (SEED, COUNT, JOBS, FOLDER, AGAIN=1)
	@$(deps) test
	$(call compile,$(BUILD),$(CC))
	@nice -n 10 python3 tests/mutate.py --seed $(SEED) $(if $(COUNT),--count $(COUNT)) --jobs $(JOBS) \
	    $(if $(FOLDER),--folder '$(FOLDER)') $(if $(AGAIN),--again) $(BUILD)

accept: ## take what the tests print now as what they should print (tests/expected)
	@$(deps) test
	$(call compile,$(BUILD),$(CC))
	ACCEPT=1 $(ctest) --test-dir $(BUILD)

# The dynamic linker keeps a list of the libraries in system folders; it has to
# hear of ours, unless the installation is only being staged for a package.
install: all ## install under PREFIX (default /usr/local); DESTDIR is honoured
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$$(realpath -m "$(PREFIX)")"
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

format: ## lay out all C files as .clang-format says
	@$(deps) format
	find src include tests examples bench -name expected -prune -o -name '*.[ch]' -print0 | \
	    xargs -0 -r clang-format -i

clean: ## remove everything that was built
	rm -rf $(BUILD)

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.* ## /\1: /p' $(MAKEFILE_LIST) | \
	    while IFS=: read -r name what; do printf 'make %-8s %s\n' "$$name" "$$what"; done
