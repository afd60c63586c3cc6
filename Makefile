# Makefile - builds, tests and installs ckrun; `make help` lists what can be made.
#
#   make MODE=debug        another build: release (default), debug, asan, ubsan, tsan, coverage
#   make WERROR=1          warnings are errors          make V=1         show the commands
#   make CFLAGS=-march=…   appended to the flags        make BUILD=DIR   build somewhere else
#   make test ONLY=base    only tests whose path contains the text

MODE ?= release
BUILD ?= build
PREFIX ?= /usr/local
CKRUN_DATA ?= ../shared/data

MODES := release debug asan ubsan tsan coverage fuzz
FLAGS_release = -O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 $(HARDENING)
FLAGS_debug := -O0 -g3
FLAGS_asan := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_ubsan := -O1 -g -fno-omit-frame-pointer -fsanitize=undefined -fno-sanitize-recover=all
FLAGS_tsan := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
FLAGS_coverage := -O0 -g --coverage
# What makes a fault harder to use, as far as this compiler has it; PIC, so that the objects can go
# into a shared object. Read from the program in tests/host/cli/hardened.t.
has_flag = $(shell $(CC) -Werror $(1) -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(1))
HARDENING = $(eval HARDENING := -fPIC $(foreach flag,-fstack-protector-strong \
  -fstack-clash-protection -ftrivial-auto-var-init=zero -fcf-protection=full,\
  $(call has_flag,$(flag))))$(HARDENING)
LINK_release := -pie -Wl,-z,relro,-z,now,-z,noexecstack
LINK_shared_release := -Wl,-z,relro,-z,now,-z,noexecstack,-z,defs
# For `make fuzz`, with a compiler of its own, which has libFuzzer. Warnings are those of CC.
# NULL + 0, which clang alone counts as an overflow, stands in many places and is C from C2y on.
CC_fuzz := clang-14
FLAGS_fuzz := -w -O1 -gline-tables-only -fno-sanitize-recover=all \
  -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize=pointer-overflow

# The one list of Debian packages: what `make deps` installs, and what .ci/run needs beyond make.
PACKAGES := gcc g++ libc6-dev pkg-config perl strace sqlite3 liblua5.4-dev libcjson-dev uuid-dev \
  libsqlite3-dev libzstd-dev libsodium-dev libuv1-dev libpcre2-dev libcurl4-openssl-dev \
  libpq-dev postgresql ca-certificates libedit2 libmicrohttpd-dev spin tmux
# What `make lint` needs besides. One version of clang-format: others lay out differently.
CLANG_FORMAT := clang-format-14
LINT_PACKAGES := lua-check $(CLANG_FORMAT)
# What `make fuzz` needs besides.
FUZZ_PACKAGES := $(CC_fuzz) libclang-rt-14-dev
PKG_NAMES := lua5.4 libcjson uuid sqlite3 libzstd libsodium libuv libpcre2-8

ifeq ($(filter $(MODE),$(MODES)),)
$(error MODE=$(MODE): must be one of $(MODES))
endif
ifeq ($(origin CC),default)
CC := gcc
endif
MAKEFLAGS += -r --no-print-directory
JOBS := $(shell nproc 2>/dev/null || echo 1)
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(JOBS)
endif
Q := $(if $(V),,@)

# Asked once, and only when a recipe needs it, so that `make test` can install the packages first.
pkg_config = $(or $(shell pkg-config $(1) $(PKG_NAMES) || echo),\
  $(error Packages are missing: run "make deps"))
PKG_CFLAGS = $(eval \
  PKG_CFLAGS := $(patsubst -I%,-isystem %,$(call pkg_config,--cflags)))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $(call pkg_config,--libs))$(PKG_LIBS)

PQ_CFLAGS = $(eval PQ_CFLAGS := $(patsubst -I%,-isystem %,$(if $(filter no,$(strip $(POSTGRES))),,\
  $(shell pkg-config --cflags libpq))))$(PQ_CFLAGS)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
  -Wwrite-strings -Wundef
WARNINGS_CXX := -Wall -Wextra -Wshadow -Wpointer-arith -Wundef -Wno-missing-field-initializers
compiler = $(or $(CC_$(1)),$(CC))
COMPILE = -std=gnu11 $(WARNINGS) $(if $(WERROR),-Werror) -D_GNU_SOURCE -I. $(PKG_CFLAGS) \
  -pthread
# Of programs that are built as those of others are, against what is installed.
EXAMPLE_FLAGS := $(if $(WERROR),-Werror) -I$(BUILD)/include
USER_FLAGS = $(CPPFLAGS) $(CFLAGS)

# Goals that promise to install what is missing.
installs_first = $(filter test test-unit test-interop demo bench campaign coverage fuzz,\
  $(MAKECMDGOALS))

# What there is. A file that is added, removed or renamed needs no change here.
find = $(sort $(foreach dir,$(wildcard $(1)),$(shell find $(dir) -type f -name '$(2)')))
CORE_C := $(call find,$(addprefix core/,base model redact personal store runtime effect),*.c)
# PostgreSQL where its library is, or is about to be installed; POSTGRES=no builds without. It is
# loaded at run time: only its header is needed here.
POSTGRES ?= $(if $(installs_first)$(shell pkg-config --exists libpq 2>/dev/null && echo yes),\
  yes,no)
POSTGRES_ABSENT := core/store/postgres/absent.c
POSTGRES_C := $(filter-out %/absent.c %/url_scheme.c,$(filter core/store/postgres/%,$(CORE_C)))
CORE_C := $(filter-out $(if $(filter no,$(strip $(POSTGRES))),$(POSTGRES_C),$(POSTGRES_ABSENT)),\
  $(CORE_C))
COMPILE_C := lua/compile.c
LUA_C := $(filter-out $(COMPILE_C),$(call find,lua,*.c))
HOST_C := $(filter-out core/host/main.c,$(call find,core/host,*.c))
MAIN_C := core/host/main.c
EMBEDDED := $(sort $(call find,lua policies,*.lua) $(call find,core/store,*.sql) \
  $(call find,core/host/ui/page,*) policies/project/cassette.jsonl)
BENCH_C := $(wildcard tests/bench/*.c)
TEST_C := $(filter-out $(BENCH_C) $(if $(filter no,$(strip $(POSTGRES))),tests/store/postgres/%),\
  $(call find,tests,test_*.c))
TOOL_C := $(filter-out $(BENCH_C),$(call find,tests,tool_*.c))
TEST_LIB_C := $(filter-out $(BENCH_C) $(TEST_C) $(TOOL_C) tests/store/postgres/%,\
  $(call find,tests,*.c))
TEST_SCRIPTS := $(call find,tests,*.t)
EXAMPLE_SOURCES := $(wildcard examples/embed/*.c examples/embed/*.cc)
HEADERS := $(call find,core lua,*.h)
FORMATTED = $(call find,core lua tests examples,*.[ch]) $(call find,examples,*.cc)
VERSION := $(shell sed -n 's/^\#define CK_VERSION "\(.*\)"/\1/p' core/base/version.h)
# Rises when a program that was built with an older ckrun.h would not run with this library.
SOVERSION := 0
SONAME := libckrun.so.$(SOVERSION)

only = $(if $(ONLY),$(foreach name,$(1),$(if $(findstring $(ONLY),$(name)),$(name))),$(1))
programs = $(TEST_C:%.c=$(BUILD)/$(1)/%.t)
tools = $(TOOL_C:%.c=$(BUILD)/$(1)/%)
examples = $(patsubst examples/embed/%,$(BUILD)/$(1)/examples/%,$(basename $(EXAMPLE_SOURCES)))
libraries = $(addprefix $(BUILD)/$(1)/,libckrun.a $(SONAME))
runtime = $(BUILD)/$(1)/ckrun
# Before everything that is compiled, when the goal promises to install what is missing.
DEPS_FIRST := $(if $(installs_first),deps) \
  $(if $(filter fuzz,$(MAKECMDGOALS)),fuzz-deps)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
.PHONY: all help deps test test-unit test-interop demo bench campaign conformance coverage fuzz \
  fuzz-deps generated lint format install uninstall dist clean FORCE

all: $(call runtime,$(MODE)) $(call libraries,$(MODE)) ## build build/ckrun and the libraries
all: $(BUILD)/include/ckrun.h
ifeq ($(MODE),release)
all: $(BUILD)/ckrun
endif

help: ## list the targets
	@sed -n '1,/^$$/s/^#  / /p' Makefile
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

# install_missing PACKAGES: as root or through sudo; else the line to run is printed.
define install_missing
@there=$$(dpkg-query -W -f '$${Package}=$${db:Status-Status} ' $(1) 2>/dev/null); missing=; \
	for package in $(1); do \
	  case " $$there" in *" $$package=installed "*) ;; *) missing="$$missing $$package" ;; esac; \
	done; \
	[ -n "$$missing" ] || exit 0; \
	if [ "$$(id -u)" = 0 ]; then root=; \
	elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then root=sudo; \
	else echo "Packages are missing. Run as root:  apt-get install -y$$missing" >&2; exit 1; fi; \
	echo "Installing$$missing"; \
	$$root apt-get update -qq; \
	$$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing
endef

deps: ## install the Debian packages that are missing
	$(call install_missing,$(PACKAGES))

# ---- one set of rules for each mode, so that one run of make can build two of them ----

define mode_rules
$(BUILD)/$(1)/%.o: %.c $(BUILD)/flags.list | $(DEPS_FIRST)
	$$(call compile,$(1))
$(BUILD)/$(1)/examples/%.o: examples/embed/%.c $(BUILD)/include/ckrun.h $(BUILD)/flags.list \
  | $(DEPS_FIRST)
	$$(call compile,$(1),$$(compiler) -std=c11 $$(WARNINGS) $$(EXAMPLE_FLAGS))
$(BUILD)/$(1)/examples/%.o: examples/embed/%.cc $(BUILD)/include/ckrun.h $(BUILD)/flags.list \
  | $(DEPS_FIRST)
	$$(call compile,$(1),$$(CXX) -std=c++20 $$(WARNINGS_CXX) $$(EXAMPLE_FLAGS))

$(BUILD)/$(1)/embed.o: $(BUILD)/embed.S $(EMBEDDED) $(BUILD)/compiled/compiler \
  $(BUILD)/flags.list | $(DEPS_FIRST)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -c -o $$@ $$<

LIBRARY_$(1) := $(patsubst %.c,$(BUILD)/$(1)/%.o,$(CORE_C) $(LUA_C)) $(BUILD)/$(1)/embed.o
$(BUILD)/$(1)/libckrun.a: $$(LIBRARY_$(1))
$(BUILD)/$(1)/$(SONAME): $$(LIBRARY_$(1)) $(BUILD)/ckrun.map $(BUILD)/files.list
	@mkdir -p $$(@D)
	$$(if $$(Q),@echo "  LINK  $$@")
	$$(Q)$$(compiler) $$(FLAGS_$(1)) $$(LINK_shared_$(1)) $$(USER_FLAGS) -pthread -shared -o $$@ \
	  -Wl,-soname,$(SONAME),--version-script,$(BUILD)/ckrun.map,--as-needed $$(filter %.o,$$^) \
	  $$(LDFLAGS) $$(PKG_LIBS) -lm $$(LDLIBS)
$(BUILD)/$(1)/libckrun_host.a: $(HOST_C:%.c=$(BUILD)/$(1)/%.o)
$(BUILD)/$(1)/tests/libtests.a: $(TEST_LIB_C:%.c=$(BUILD)/$(1)/%.o)
$(BUILD)/$(1)/%.a: $(BUILD)/files.list
	@mkdir -p $$(@D)
	$$(if $$(Q),@echo "  AR    $$@")
	$$(Q)rm -f $$@ && ar qcs $$@ $$(filter %.o,$$^)

LIBS_$(1) := $(patsubst %,$(BUILD)/$(1)/%.a,libckrun_host libckrun)

$(BUILD)/$(1)/ckrun: $(MAIN_C:%.c=$(BUILD)/$(1)/%.o) $$(LIBS_$(1))
	$$(call link,$(1))
$(call programs,$(1)): $(BUILD)/$(1)/%.t: $(BUILD)/$(1)/%.o $(BUILD)/$(1)/tests/libtests.a \
  $$(LIBS_$(1))
	$$(call link,$(1),$$(call own_flags,$$*))
$(call tools,$(1)): $(BUILD)/$(1)/%: $(BUILD)/$(1)/%.o $(BUILD)/$(1)/tests/libtests.a $$(LIBS_$(1))
	$$(call link,$(1),$$(call own_flags,$$*))
$(call examples,$(1)): $(BUILD)/$(1)/examples/%: $(BUILD)/$(1)/examples/%.o \
  $(BUILD)/$(1)/libckrun.a
	$$(call link,$(1),$$(if $$(wildcard examples/embed/$$*.cc),-lstdc++))
$(BUILD)/$(1)/tests/bench/bench: $(BENCH_C:%.c=$(BUILD)/$(1)/%.o) \
  $(BUILD)/$(1)/tests/libtests.a $$(LIBS_$(1))
	$$(call link,$(1),$$(COUNTED))
endef

# What bench_parts.c counts.
COUNTED = $(shell sed -n 's|^WRAP.PART_[A-Z]*, [^,]*, \([a-z0-9_]*\),.*|-Wl,--wrap=\1|p; \
  s|^WRAP_VOID.PART_[A-Z]*, \([a-z0-9_]*\),.*|-Wl,--wrap=\1|p' tests/bench/bench_parts.c)

# compile MODE, PROGRAM: of sources that are not ckrun's own the compiler and its flags.
define compile
@mkdir -p $(@D)
$(if $(Q),@echo "  CC    $@")
$(Q)$(or $(2),$(compiler) $(COMPILE) $(if $(findstring store/postgres/,$<),$(PQ_CFLAGS))) \
  $(FLAGS_$(1)) $(USER_FLAGS) -MMD -MP -c -o $@ $<
endef

define link
@mkdir -p $(@D)
$(if $(Q),@echo "  LINK  $@")
$(Q)$(compiler) $(FLAGS_$(1)) $(LINK_$(1)) $(USER_FLAGS) -pthread -o $@ $(filter %.o %.a,$^) \
  $(2) $(LDFLAGS) \
  $(PKG_LIBS) -lm $(LDLIBS)
endef
# A test may ask for flags of the linker in a line of its own:  /* link: -Wl,--wrap=malloc */
own_flags = $(shell sed -n 's|^/\* link: \(.*\) \*/$$|\1|p' $(1).c)

$(foreach mode,$(MODES),$(eval $(call mode_rules,$(mode))))

$(BUILD)/ckrun: $(BUILD)/release/ckrun
	@ln -f $< $@

# The public header and the names that it declares; examples and programs of others see no more.
$(BUILD)/include/ckrun.h: core/public_header.awk $(HEADERS)
	@mkdir -p $(@D)
	$(Q)awk -f $< core/ckrun.h >$@
$(BUILD)/ckrun.map: core/public_header.awk $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(Q)awk -v map=1 -v soversion=$(SOVERSION) -f $< core/ckrun.h >$@

# Lists that are written only when they differ: what depends on them is made again exactly then.
LIST_files = $(CORE_C) $(LUA_C) $(HOST_C) $(TEST_LIB_C)
LIST_embed = $(EMBEDDED)
LIST_flags = $(CC) $(foreach mode,$(MODES),$(FLAGS_$(mode)) $(LINK_$(mode))) $(USER_FLAGS) \
  $(LDFLAGS)
$(BUILD)/files.list $(BUILD)/embed.list $(BUILD)/flags.list: $(BUILD)/%.list: FORCE
	@mkdir -p $(@D)
	@text='$(subst ','\'',$(LIST_$*))'; \
	[ -f $@ ] && [ "$$(cat $@)" = "$$text" ] || printf '%s\n' "$$text" >$@

# The shipped Lua, compiled. Where the program of the build cannot run, nothing is: each start
# compiles the texts then.
$(BUILD)/compile: $(COMPILE_C) $(BUILD)/flags.list | $(DEPS_FIRST)
	@mkdir -p $(@D)
	$(Q)$(compiler) $(COMPILE) $(FLAGS_release) $(USER_FLAGS) -o $@ $< $(LDFLAGS) $(PKG_LIBS) -lm
$(BUILD)/compiled/compiler: $(BUILD)/compile $(EMBEDDED)
	@rm -rf $(@D)
	$(Q)$< $(@D) $(EMBEDDED) || for name in $(EMBEDDED) compiler; do \
	  mkdir -p $$(dirname $(@D)/$$name) && : >$(@D)/$$name; done

# Each text as it is, a NUL behind it, its compiled form, and the table of embed.h; make sorts as
# strcmp does.
$(BUILD)/embed.S: $(BUILD)/embed.list Makefile
	@n=0; { \
	for name in $(EMBEDDED); do n=$$((n + 1)); \
	  printf '\t.section .rodata.ck_embedded,"a"\n'; \
	  printf '.Lname%d:\t.asciz "%s"\n.Lbegin%d:\t.incbin "%s"\n.Lend%d:\t.byte 0\n' \
	    $$n $$name $$n $$name $$n; \
	  printf '.Lcode%d:\t.incbin "%s"\n.Lcode_end%d:\n' $$n $(BUILD)/compiled/$$name $$n; \
	  printf '\t.section .data.rel.ro.ck_embedded,"aw"\n'; \
	  printf '\t.dc.a .Lname%d, .Lbegin%d, .Lend%d, .Lcode%d, .Lcode_end%d\n' $$n $$n $$n $$n $$n; \
	done; printf '\t.dc.a 0, 0, 0, 0, 0\n'; } >$@.rows; \
	{ printf '\t.section .data.rel.ro.ck_embedded,"aw"\n\t.balign 16\n\t.globl ck_embedded_table\n'; \
	printf '\t.type ck_embedded_table, %%object\nck_embedded_table:\n'; cat $@.rows; \
	printf '\t.size ck_embedded_table, . - ck_embedded_table\n'; \
	printf '\t.section .rodata.ck_embedded,"a"\n\t.globl ck_embedded_compiler\n'; \
	printf '\t.type ck_embedded_compiler, %%object\nck_embedded_compiler:\n'; \
	printf '\t.incbin "%s"\n\t.byte 0\n' $(BUILD)/compiled/compiler; \
	printf '\t.size ck_embedded_compiler, . - ck_embedded_compiler\n'; \
	printf '\t.section .note.GNU-stack,"",%%progbits\n'; } >$@; \
	rm -f $@.rows

# ---- tests ----

# The environment of the tests, for one mode. Under the sanitizers some loops are shorter.
test_env = CKRUN='$(abspath $(if $(filter release,$(1)),$(BUILD)/ckrun,$(BUILD)/$(1)/ckrun))' \
  CKRUN_BUILD='$(abspath $(BUILD)/$(1))' CKRUN_DATA='$(abspath $(CKRUN_DATA))' \
  CKRUN_COUNTERS='$(abspath $(BUILD)/$(1))/output/counters' \
  CKRUN_SPARSE='$(filter-out release debug,$(1))' ASAN_OPTIONS=detect_leaks=1 \
  UBSAN_OPTIONS=print_stacktrace=1
# The tests of one half, a mode and its tests, or of several with -- in between; what failed is
# reported again behind the last.
half = $(call test_env,$(1)) $(call long_first,$(2))
stages = PROVEFLAGS='-j$(TEST_JOBS) $(PROVEFLAGS)' tests/stages.sh
# Tests wait for a quarter of their time: for programs, for locks, for time to pass.
TEST_JOBS := $(shell expr $(JOBS) + 1)
# Those that take longest begin first, so that none of them is alone at the end.
LONG := $(addprefix tests/,worlds/test_worlds.t fault/io_errors.t mutants/two.t \
  fault/out_of_memory.t oracle/imports.t fault/bit_rot.t crash/ten_steps.t protocol/model.t \
  host/run/recover.t examples/profiles.t)
long_first = $(foreach name,$(LONG),$(filter %$(name),$(1))) $(filter-out $(LONG:%=\%%),$(1))

# Scripts that also run against the sanitized program: those that neither trace it, nor load
# something in front of it, nor look at what it costs.
SANITIZED_SCRIPTS := $(filter-out tests/lua/policy_tool/bench.t,$(filter tests/host/% \
  tests/examples/% tests/lua/policy_tool/% tests/lua/import/% tests/crash/once.t \
  tests/crash/orphans.t tests/checkers/resumes.t tests/replay/tau_whole.t \
  tests/fault/bad_stores.t,$(TEST_SCRIPTS)))

TESTED := $(foreach mode,release asan,\
  $(foreach kind,runtime programs tools,$(call $(kind),$(mode)))) $(BUILD)/ckrun \
  $(call examples,release) $(call examples,asan)
test: deps $(TESTED) ## run all tests, C tests also under asan and ubsan
	$(Q)$(stages) $(call half,release,$(call only,$(TEST_SCRIPTS) $(call programs,release))) -- \
	  $(call half,asan,$(call only,$(SANITIZED_SCRIPTS) $(call programs,asan)))

test-unit: deps $(call programs,$(MODE)) $(call tools,$(MODE)) ## run the C tests in MODE
	$(Q)$(stages) $(call half,$(MODE),$(call only,$(call programs,$(MODE))))

test-interop: deps all ## run sessions with agents and servers from the npm registry, if reached
	$(Q)$(stages) $(call half,$(MODE),tests/interop/interop.sh tests/interop/conformance.sh \
	  :: $(abspath $(BUILD))/interop)

demo: deps all ## a session that crashes and resumes, in seconds
	$(call test_env,$(MODE)) examples/airline/demo.sh

bench: deps all $(BUILD)/release/tests/bench/bench ## print figures; PARTS=1: a step's parts
	$(if $(PARTS),BENCH_PARTS=1) $(call test_env,release) $(BUILD)/release/tests/bench/bench

campaign: deps all $(call tools,$(MODE)) ## the long attacks: kills, faults, power loss
	$(call test_env,$(MODE)) tests/campaign.sh

# What the targets of tests/fuzz reach, and no more: all of it is built anew for coverage.
FUZZ_C := $(filter-out lua/flow/% lua/policy_tool/% $(addprefix core/,effect/acp/% effect/mcp/% \
  runtime/execution/% runtime/history/% runtime/simulation/%),$(CORE_C) $(LUA_C)) \
  $(filter tests/fuzz/% tests/redact/% tests/store/history.c tests/dice.c \
  tests/tap.c,$(TEST_LIB_C))
$(BUILD)/fuzz/libfuzz.a: $(FUZZ_C:%.c=$(BUILD)/fuzz/%.o) $(BUILD)/fuzz/embed.o
$(BUILD)/fuzz/fuzzer: $(BUILD)/fuzz/tests/fuzz/libfuzzer.o $(BUILD)/fuzz/libfuzz.a
	$(call link,fuzz,-fsanitize=fuzzer)
fuzz-deps: deps
	$(call install_missing,$(FUZZ_PACKAGES))
fuzz: deps $(BUILD)/fuzz/fuzzer ## look for inputs that break a promise; SECONDS=5 each, TARGET=json
	$(Q)$(call test_env,fuzz) JOBS=$(JOBS) FUZZ_SEED=$(FUZZ_SEED) tests/fuzz/run.sh $(BUILD)/fuzz \
	  $(or $(SECONDS),5) $(TARGET)

# The tests that also run against the sanitized program; what fails of them says so first. Counters
# that do not fit, of an object that was built again, are told in gcov.err.
COVERED := $(foreach kind,runtime programs tools examples,$(call $(kind),coverage))
coverage: deps $(COVERED) ## what of the code the tests run, by room; ONLY=store/, HOLES=25
	$(Q)find $(BUILD)/coverage -name '*.gcda' -delete
	$(Q)export GCOV_ERROR_FILE='$(abspath $(BUILD))/coverage/gcov.err'; \
	$(stages) $(call half,coverage,\
	  $(call only,$(SANITIZED_SCRIPTS) $(call programs,coverage))); held=$$?; \
	HOLES=$(HOLES) tests/coverage.pl $(BUILD)/coverage && exit $$held

# From outside: a program that is given needs no build, and neither is this one built then.
conformance: $(if $(CKRUN),,all) ## hold CKRUN=PATH with STORE=URL to the promises, with figures
	$(Q)CKRUN='$(or $(CKRUN),$(abspath $(BUILD)/ckrun))' STORE='$(STORE)' tests/conformance/run.sh

GENERATED := lua/ck/meta.lua policies/README.md
generated: $(BUILD)/release/tests/lua/policy/tool_generated ## make annotations and tables anew
	@for file in $(GENERATED); do \
	  $< $$file >$(BUILD)/generated || exit 1; \
	  cmp -s $(BUILD)/generated $$file || cp $(BUILD)/generated $$file || exit 1; \
	done

lint: ## check rooms, layers, format and Lua files
	$(call install_missing,$(LINT_PACKAGES))
	luacheck -q $(wildcard lua policies examples)
	$(CLANG_FORMAT) --dry-run -Werror $(FORMATTED)
	prove --norc --exec '' tests/test_layers.t tests/test_width.t

format: ## lay the C files out as lint wants them
	$(call install_missing,$(CLANG_FORMAT))
	$(CLANG_FORMAT) -i $(FORMATTED)

# ---- installation ----

# Where things lie once installed; a packager sets PREFIX, LIBDIR (such as
# /usr/lib/x86_64-linux-gnu) and DESTDIR, under which all of it is put meanwhile.
BINDIR := $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR := $(PREFIX)/include
SHARE := $(PREFIX)/share
DATADIR := $(SHARE)/ckrun
DOCDIR := $(SHARE)/doc/ckrun
MANDIR := $(SHARE)/man
BASH_COMPLETION := $(SHARE)/bash-completion/completions/ckrun
ZSH_COMPLETION := $(SHARE)/zsh/site-functions/_ckrun
FISH_COMPLETION := $(SHARE)/fish/vendor_completions.d/ckrun.fish
PRINTED := $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)
LIBRARIES := $(addprefix $(LIBDIR)/,libckrun.a libckrun.so $(SONAME) libckrun.so.$(VERSION))
# What authors of policies and flows read, and where an editor finds the annotations; under
# DATADIR as in the repository.
DATA_FILES := $(call find,lua/ck,*.lua) $(call find,policies examples,*)
DOC_FILES := $(wildcard *.md $(addsuffix /README.md,core lua policies examples)) \
  core/host/JSON.md LICENSE

define PKG_CONFIG_TEXT
prefix=$(PREFIX)
libdir=$(LIBDIR:$(PREFIX)/%=$${prefix}/%)
includedir=$${prefix}/include

Name: ckrun
Description: runtime for durable agent sessions
Version: $(VERSION)
Requires.private: $(filter-out libcjson,$(PKG_NAMES))
Cflags: -I$${includedir}
Libs: -L$${libdir} -lckrun
Libs.private: -pthread -lm
endef
export PKG_CONFIG_TEXT

install: all ## install under DESTDIR and PREFIX: program, library, manual, completions, policies
	$(call install_program,755,$(call runtime,$(MODE)),$(BINDIR)/ckrun)
	$(call install_program,644,$(BUILD)/$(MODE)/libckrun.a,$(LIBDIR)/libckrun.a)
	$(call install_program,644,$(BUILD)/$(MODE)/$(SONAME),$(LIBDIR)/libckrun.so.$(VERSION))
	$(Q)ln -sf libckrun.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	$(Q)ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libckrun.so
	$(call install_program,644,$(BUILD)/include/ckrun.h,$(INCLUDEDIR)/ckrun.h)
	@for file in $(DATA_FILES); do \
	  if [ -x $$file ]; then mode=755; else mode=644; fi; \
	  install -D -m $$mode $$file $(DESTDIR)$(DATADIR)/$$file || exit 1; done
	@for file in $(DOC_FILES); do \
	  install -D -m 644 $$file $(DESTDIR)$(DOCDIR)/$$file || exit 1; done
	@install -d $(addprefix $(DESTDIR),$(LIBDIR)/pkgconfig $(sort $(dir $(PRINTED))))
	@printf '%s\n' "$$PKG_CONFIG_TEXT" >$(DESTDIR)$(LIBDIR)/pkgconfig/ckrun.pc
	$(Q)install -d $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5
	$(call runtime,$(MODE)) help --man --all | awk -v to=$(DESTDIR)$(MANDIR) '$(SPLIT_MAN)'
	$(call runtime,$(MODE)) help --completion bash >$(DESTDIR)$(BASH_COMPLETION)
	$(call runtime,$(MODE)) help --completion zsh >$(DESTDIR)$(ZSH_COMPLETION)
	$(call runtime,$(MODE)) help --completion fish >$(DESTDIR)$(FISH_COMPLETION)
# Each page begins with .TH NAME SECTION.
SPLIT_MAN := /^\.TH / { close(page); page = to "/man" $$3 "/" tolower($$2) "." $$3 } \
  { print >page }
install_program = $(Q)install -D -m $(1) $(2) $(DESTDIR)$(3)

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR),$(BINDIR)/ckrun $(LIBRARIES) $(INCLUDEDIR)/ckrun.h \
	  $(LIBDIR)/pkgconfig/ckrun.pc $(PRINTED))
	rm -f $(addprefix $(DESTDIR)$(MANDIR)/,man1/ckrun.1 man1/ckrun-*.1 man5/ckrun-*.5)
	rm -rf $(DESTDIR)$(DATADIR) $(DESTDIR)$(DOCDIR)

# The files of the repository, or of an unpacked tarball, which makes the same one again: nothing in
# it tells when, where or by whom it was made.
DIST := ckrun-$(VERSION)
EPOCH = $(or $(SOURCE_DATE_EPOCH),$(shell \
  if [ -e .git ]; then git log -1 --format=%ct; else stat -c %Y CHANGELOG.md; fi))
dist: ## make build/ckrun-VERSION.tar.gz, from which it can be built and installed
	@mkdir -p $(BUILD)
	$(Q){ if [ -e .git ]; then git ls-files -z; \
	  else find . -path ./build -prune -o -type f -printf '%P\0'; fi; } | \
	  LC_ALL=C sort -z >$(BUILD)/dist.list
	$(Q)tar --create --format=gnu --null --verbatim-files-from --files-from=$(BUILD)/dist.list \
	  --transform='s|^|$(DIST)/|' --mtime=@$(EPOCH) --owner=0 --group=0 --numeric-owner \
	  --mode=u+rw,go=rX | gzip -n -9 >$(BUILD)/$(DIST).tar.gz.part
	$(Q)mv $(BUILD)/$(DIST).tar.gz.part $(BUILD)/$(DIST).tar.gz
	@echo $(BUILD)/$(DIST).tar.gz

clean: ## remove the build folder
	rm -rf $(BUILD)

-include $(call find,$(BUILD),*.d)
