# Quire. No configure step: `make help` lists what there is to make.

VERSION  := 0.1.0
SONAME   := libquire.so.0
B        ?= build

# `make V=1` shows the commands.
Q         = $(if $(V),,@)

CC       ?= cc
CLANG    ?= clang
PKGS     := sqlite3 nettle libisal zlib libpcre2-8
CSTD     := -std=c11 -D_GNU_SOURCE
OPT      ?= -O2 -g
WARN     := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes \
            -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings \
            -Wformat=2 -Wundef -Wvla -Werror
HARDEN   := $(if $(SAN),,-fstack-protector-strong -D_FORTIFY_SOURCE=2)
INCLUDE  := -Iinclude -Isrc
CFLAGS   ?=
COMPILE   = $(CC) $(CSTD) $(OPT) $(WARN) $(HARDEN) $(INCLUDE) -fPIC \
            -fvisibility=hidden -MMD -MP $(SAN) $(CFLAGS)
LINK      = $(CC) $(SAN) $(OPT) $(LDFLAGS)
LIBS     := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

prefix   ?= /usr/local
bindir   ?= $(prefix)/bin
libdir   ?= $(prefix)/lib
incdir   ?= $(prefix)/include
mandir   ?= $(prefix)/share/man
datadir  ?= $(prefix)/share
DESTDIR  ?=

# The modules of the library, and those of the binary that stand on it.
LIB_DIRS := base secrets store search catalog blob gc session output artifact memory jp workspace sync \
            sandbox diff api/core api/sync api check purge slash export import \
            $(patsubst src/%/,%,$(sort $(wildcard src/import/*/)))
SERVER_DIRS := mcp http view server server/routes server/openapi server/mcp
CLI_DIRS := cli/core cli/cmd
sources   = $(sort $(foreach d,$(1),$(wildcard src/$(d)/*.c)))
LIB_SRC  := $(call sources,$(LIB_DIRS))
SERVER_SRC := $(call sources,$(SERVER_DIRS))
CLI_SRC  := $(SERVER_SRC) $(call sources,$(CLI_DIRS))
TEST_SRC := $(sort $(wildcard tests/*/*.c))
BENCH_SRC := $(sort $(wildcard bench/*.c))
FUZZERS  := $(patsubst fuzz/%_fuzz.c,%,$(sort $(wildcard fuzz/*_fuzz.c)))
objects   = $(1:%.c=$(B)/%.o)
LIB_OBJ  := $(call objects,$(LIB_SRC))
CLI_OBJ  := $(call objects,$(CLI_SRC)) $(B)/web_assets.o
TEST_OBJ := $(call objects,$(TEST_SRC))
WEB      := $(sort $(patsubst web/%,%,$(shell find web -name '*.html' -o \
            -name style.css -o -name '*.js' -o -name '*.svg')))
WEB_SRC  := $(B)/web_assets.c
SERVER_OBJ := $(call objects,$(SERVER_SRC)) $(WEB_SRC:.c=.o)
BENCH_OBJ := $(call objects,$(BENCH_SRC))

all: $(B)/quire $(B)/libquire.so $(B)/libquire.a

help:
	@echo 'make            build/quire, build/libquire.so, build/libquire.a'
	@echo 'make test       every quick test; `./test --help` runs some of them'
	@echo 'make check      the tests under address, undefined and thread'
	@echo '                sanitizers, the fault sweep among them; and the other'
	@echo '                programs of the session format, from npm'
	@echo 'make check-long the long forms of the tests, for hours'
	@echo 'make check-cluster  what stores to PostgreSQL and S3, over servers'
	@echo '                that it starts on loopback (tools/setup cluster)'
	@echo 'make fuzz       fuzz each parser, FUZZ_SECONDS=30 each'
	@echo 'make bench      speed and memory beside their limits'
	@echo 'make lint       clang-tidy, cppcheck, format, include direction,'
	@echo '                calls in one direction'
	@echo 'make format     lay the source out as lint wants it'
	@echo 'make man        the man pages, in build/man'
	@echo 'make wheel      the binding for Python, with the library, in build/wheel'
	@echo 'make node-package  the binding for Node with its addon, in build/node'
	@echo 'make install    into DESTDIR/prefix (prefix=/usr/local)'
	@echo 'make clean      remove build/'

# ---- objects, library, binary -------------------------------------------

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(if $(filter tests/%,$<),-Itests) -c $< -o $@

# The viewer's files, compressed, as a source.
$(B)/embed-web: tools/embed_web.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(CSTD) $(WARN) -O1 -o $@ $< -lnettle -lz

$(WEB_SRC): $(B)/embed-web $(WEB:%=web/%) $(wildcard web/*.css) $(shell find web -type d)
	$(Q)$(B)/embed-web web $(WEB) >$@.new && mv $@.new $@

$(WEB_SRC:.c=.o): $(WEB_SRC)
	$(Q)$(COMPILE) -c $< -o $@

$(B)/quire: $(CLI_OBJ) $(LIB_OBJ)
	$(Q)$(LINK) -o $@ $^ $(LIBS)

$(B)/libquire.so: $(LIB_OBJ) src/api/symbols.map
	$(Q)$(LINK) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs \
	    -Wl,--version-script=src/api/symbols.map -o $@ $(LIB_OBJ) $(LIBS)

# One object with everything but the public names made local: a program that
# links the archive can have a buf_add of its own.
$(B)/libquire.a: $(LIB_OBJ)
	$(Q)$(LD) -r -o $(B)/libquire.o $^
	$(Q)objcopy --wildcard --keep-global-symbol='quire_*' $(B)/libquire.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(B)/libquire.o

# ---- tests ---------------------------------------------------------------

# In the test program every allocation and system call of ours passes through
# tests/support/wrap.c, which can make the n-th one fail.
WRAPPED  := malloc calloc realloc open openat mkdirat read write pread \
            pwrite fsync fdatasync syncfs renameat linkat unlinkat ftruncate \
            fstat fstatat futimens renameat2 flock close lseek fdopendir \
            syscall strdup fchmod socket bind fcntl statx nanosleep
WRAP     := $(foreach f,$(WRAPPED),-Wl,--wrap=$(f))

$(B)/unit: $(TEST_OBJ) $(SERVER_OBJ) $(LIB_OBJ)
	$(Q)$(LINK) $(WRAP) -o $@ $^ $(LIBS) -lcmocka -lpthread

# The server with what the conformance suite of MCP wants to find; see
# tests/mcp/conformance. Not part of any other target.
FIXED    := src/mcp/dispatch.c src/mcp/server.c
FIXTURES := $(FIXED:%.c=$(B)/fixtures/%.o) \
            $(B)/fixtures/tests/mcp/fixtures/fixtures.o

$(B)/fixtures/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -DQUIRE_FIXTURES -Itests/mcp/fixtures -c $< -o $@

$(B)/quire-fixtures: $(FIXTURES) $(LIB_OBJ) \
                     $(filter-out $(call objects,$(FIXED)),$(CLI_OBJ))
	$(Q)$(LINK) -o $@ $^ $(LIBS)

# A fuzz target replayed over its corpus, without a fuzzer.
$(B)/replay/%: $(B)/fuzz/%_fuzz.o $(B)/fuzz/replay.o $(SERVER_OBJ) $(LIB_OBJ)
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ $(LIBS) -ljson-c

REPLAYS  := $(FUZZERS:%=$(B)/replay/%)
unit: $(B)/unit
replays: $(REPLAYS)
.SECONDARY: $(FUZZERS:%=$(B)/fuzz/%_fuzz.o) $(B)/fuzz/replay.o

test: all man $(B)/unit $(REPLAYS)
	$(Q)tests/run-all $(B)

# The same tests where a mistake cannot hide. The thread sanitizer runs those
# that have threads.
ASAN     := -fsanitize=address,undefined -fno-sanitize-recover=all \
            -fno-omit-frame-pointer
TSAN     := -fsanitize=thread

check: test
	$(Q)$(MAKE) B=$(B)/asan SAN='$(ASAN)' OPT='-O1 -g' test
	$(Q)$(MAKE) B=$(B)/ubsan CC=$(CLANG) SAN='$(ASAN)' OPT='-O1 -g' \
	    $(B)/ubsan/unit
	$(Q)tests/support/unit-report $(B)/ubsan/unit
	$(Q)$(MAKE) B=$(B)/tsan CC=$(CLANG) SAN='$(TSAN)' OPT='-O1 -g' \
	    $(B)/tsan/unit
	$(Q)tests/support/unit-report $(B)/tsan/unit threads
	$(Q)QUIRE=$(B)/quire tests/interop/live >$(B)/interop.log || \
	    { [ $$? -eq 77 ] || { grep -A5 '^not ok' $(B)/interop.log; exit 1; }; }
	$(Q)tail -n 1 $(B)/interop.log
	$(Q)QUIRE=$(B)/quire tests/interop/agents >$(B)/agents.log || \
	    { [ $$? -eq 77 ] || { grep -A5 '^not ok' $(B)/agents.log; exit 1; }; }
	$(Q)tail -n 1 $(B)/agents.log

# Hours: every step of what `test` strides through, and an hour of writers,
# forks, removals and collections beside each other.
check-long: all $(B)/unit
	$(Q)QUIRE_LONG=1 tests/faults/run $(B)
	$(Q)QUIRE_LONG=1 tests/support/unit-report $(B)/unit

# PostgreSQL and Ceph's S3 gateway (or S3=swift), for the time of the tests.
S3 ?= rgw
check-cluster: $(B)/unit
	$(Q)tests/cluster/check $(B) $(S3)

# ---- fuzzing, measuring, reading -----------------------------------------

FUZZ_SECONDS ?= 30
FUZZ_FLAGS := -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all

$(B)/fuzzer/%: fuzz/%_fuzz.c $(SERVER_SRC) $(WEB_SRC) $(LIB_SRC)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(CSTD) -O1 -g $(INCLUDE) $(FUZZ_FLAGS) -o $@ $^ $(LIBS) \
	    -ljson-c

fuzz: $(FUZZERS:%=$(B)/fuzzer/%)
	$(Q)for f in $(FUZZERS); do \
	    mkdir -p $(B)/found/$$f && \
	    $(B)/fuzzer/$$f -max_total_time=$(FUZZ_SECONDS) -timeout=10 \
	        -print_final_stats=1 -artifact_prefix=$(B)/found/$$f- \
	        $(B)/found/$$f fuzz/corpus/$$f || exit 1; \
	done

$(B)/bench-program: $(BENCH_OBJ) $(LIB_OBJ)
	$(Q)$(LINK) -o $@ $^ $(LIBS)

bench: all $(B)/bench-program
	$(Q)CC='$(CC)' $(B)/bench-program $(BENCH)
	$(Q)case '$(BENCH)' in ''|*viewer*) bench/viewer $(B) ;; esac
	$(Q)case '$(BENCH)' in ''|*bindings*) bench/bindings $(B) ;; esac

SOURCES  := $(wildcard include/*.h include/quire/*.h src/*/*.[ch] src/*/*/*.[ch] tests/*/*.[ch] fuzz/*.c \
            bench/*.[ch])

lint: $(B)/quire
	$(Q)tools/long-files
	$(Q)clang-format --dry-run -Werror $(SOURCES)
	$(Q)tools/check-includes
	$(Q)tools/check-calls $(B)
	$(Q)tools/check-prose
	$(Q)cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr \
	    --enable=warning,performance,portability --suppress=missingInclude \
	    -D__x86_64__ $(INCLUDE) $(LIB_SRC) $(CLI_SRC)
	$(Q)clang-tidy --quiet --warnings-as-errors='*' $(LIB_SRC) $(CLI_SRC) \
	    -- $(CSTD) $(INCLUDE)

format:
	$(Q)clang-format -i $(SOURCES)

# ---- man pages, installing -----------------------------------------------

# From the command table by way of scdoc; the others are written by hand.
MAN_HAND := $(patsubst man/%.scd,%,$(wildcard man/*.scd))

$(B)/man/.done: $(B)/quire $(wildcard man/*.scd)
	@mkdir -p $(@D)
	$(Q)for p in $$($(B)/quire help --man-list); do \
	    $(B)/quire help --man $$p | scdoc >$(@D)/$$p.1 || exit 1; done
	$(Q)for p in $(MAN_HAND); do \
	    scdoc <man/$$p.scd >$(@D)/$$p || exit 1; done
	$(Q)touch $@

man: $(B)/man/.done

$(B)/quire.pc: tools/quire.pc.in Makefile
	@mkdir -p $(@D)
	$(Q)sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' \
	    -e 's|@incdir@|$(incdir)|' -e 's|@version@|$(VERSION)|' \
	    -e 's|@pkgs@|$(PKGS)|' $< >$@

D         = $(DESTDIR)
install: all man
	$(Q)rm -f $(B)/quire.pc && $(MAKE) -s $(B)/quire.pc
	$(Q)install -Dm755 $(B)/quire $(D)$(bindir)/quire
	$(Q)install -Dm644 include/quire.h $(D)$(incdir)/quire.h
	$(Q)install -d $(D)$(incdir)/quire
	$(Q)install -m644 include/quire/*.h $(D)$(incdir)/quire
	$(Q)install -Dm644 $(B)/libquire.a $(D)$(libdir)/libquire.a
	$(Q)install -Dm755 $(B)/libquire.so $(D)$(libdir)/libquire.so.$(VERSION)
	$(Q)ln -sf libquire.so.$(VERSION) $(D)$(libdir)/$(SONAME)
	$(Q)ln -sf $(SONAME) $(D)$(libdir)/libquire.so
	$(Q)install -Dm644 $(B)/quire.pc $(D)$(libdir)/pkgconfig/quire.pc
	$(Q)for p in $(B)/man/*.[1-9]; do \
	    install -Dm644 $$p $(D)$(mandir)/man$${p##*.}/$${p##*/}; done
	$(Q)install -d $(D)$(datadir)/bash-completion/completions \
	    $(D)$(datadir)/zsh/site-functions \
	    $(D)$(datadir)/fish/vendor_completions.d
	$(Q)$(B)/quire completion bash \
	    >$(D)$(datadir)/bash-completion/completions/quire
	$(Q)$(B)/quire completion zsh >$(D)$(datadir)/zsh/site-functions/_quire
	$(Q)$(B)/quire completion fish \
	    >$(D)$(datadir)/fish/vendor_completions.d/quire.fish

# ---- bindings --------------------------------------------------------------

wheel: $(B)/libquire.so
	$(Q)QUIRE_WHEEL_LIBRARY=$(B)/libquire.so python3 -B bindings/python/build_backend.py $(B)/wheel

node-package: $(B)/libquire.a
	$(Q)QUIRE_BUILD=$(abspath $(B)) node bindings/node/build.js
	$(Q)mkdir -p $(B)/node
	$(Q)npm pack --silent --ignore-scripts --pack-destination $(abspath $(B))/node ./bindings/node

clean:
	rm -rf $(B)

.PHONY: all help wheel node-package unit replays test check check-long check-cluster fuzz bench lint format man install clean

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TEST_OBJ:.o=.d) \
    $(BENCH_OBJ:.o=.d) $(FUZZERS:%=$(B)/fuzz/%_fuzz.d)
