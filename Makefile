# Quire: no configure step. `make help` lists the targets.

VERSION  := 0.1.0
SONAME   := libquire.so.0
B        ?= build

# `make V=1` shows the commands.
Q         = $(if $(V),,@)

CC       ?= cc
CLANG    ?= clang
PKGS     := sqlite3 nettle libisal zlib
CSTD     := -std=c11 -D_GNU_SOURCE
OPT      ?= -O2 -g
WARN     := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes \
            -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings \
            -Wformat=2 -Wundef -Wvla -Werror
HARDEN   := -fstack-protector-strong -D_FORTIFY_SOURCE=2
INCLUDE  := -Iinclude -Isrc
CFLAGS   ?=
ALL_C     = $(CSTD) $(OPT) $(WARN) $(INCLUDE) -fPIC -fvisibility=hidden \
            -MMD -MP $(SAN) $(CFLAGS)
LIBS     := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

prefix   ?= /usr/local
bindir   ?= $(prefix)/bin
libdir   ?= $(prefix)/lib
incdir   ?= $(prefix)/include
mandir   ?= $(prefix)/share/man
DESTDIR  ?=

# The rooms that make the library, and the front rooms that stand on it.
ROOMS    := base store blob quire
FRONT    := cli
LIB_SRC  := $(sort $(foreach r,$(ROOMS),$(wildcard src/$(r)/*.c)))
CLI_SRC  := $(sort $(foreach r,$(FRONT),$(wildcard src/$(r)/*.c)))
LIB_OBJ  := $(LIB_SRC:%.c=$(B)/%.o)
CLI_OBJ  := $(CLI_SRC:%.c=$(B)/%.o)
TEST_SRC := $(sort $(wildcard tests/*/*.c))
TEST_OBJ := $(TEST_SRC:%.c=$(B)/%.o)
FUZZ_SRC := $(sort $(wildcard fuzz/*_fuzz.c))
FUZZERS  := $(FUZZ_SRC:fuzz/%_fuzz.c=%)

all: $(if $(CLI_SRC),$(B)/quire) $(B)/libquire.so $(B)/libquire.a

help:
	@echo 'make            build/quire, build/libquire.so, build/libquire.a'
	@echo 'make test       every test that is quick'
	@echo 'make check      the tests under sanitizers, and the fault sweep'
	@echo 'make fuzz       fuzz each parser for FUZZ_SECONDS (default 30)'
	@echo 'make bench      speed and memory beside their limits'
	@echo 'make lint       clang-tidy, cppcheck, format, include direction'
	@echo 'make format     lay the source out as make lint wants it'
	@echo 'make install    into DESTDIR/prefix (default /usr/local)'

# ---- objects, library, binary -------------------------------------------

$(B)/src/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_C) $(if $(SAN),,$(HARDEN)) -c $< -o $@

$(B)/quire: $(CLI_OBJ) $(LIB_OBJ)
	$(Q)$(CC) $(SAN) $(OPT) -o $@ $^ $(LIBS)

$(B)/libquire.so: $(LIB_OBJ) src/quire/symbols.map
	$(Q)$(CC) -shared $(SAN) $(OPT) -Wl,-soname,$(SONAME) \
	    -Wl,--version-script=src/quire/symbols.map -Wl,-z,defs \
	    -o $@ $(LIB_OBJ) $(LIBS)

# One object with everything but the public names made local: a program that
# links the archive can have its own buf_add.
$(B)/libquire.a: $(LIB_OBJ)
	$(Q)$(LD) -r -o $(B)/libquire.o $^
	$(Q)objcopy --wildcard --keep-global-symbol='quire_*' $(B)/libquire.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(B)/libquire.o

# ---- tests ---------------------------------------------------------------

# Every allocation and system call of ours passes through tests/support/wrap.c
# there, which can make the n-th one fail.
WRAPPED  := malloc calloc realloc open openat mkdirat read write pread \
            pwrite fsync fdatasync syncfs renameat linkat unlinkat ftruncate \
            fstat fstatat futimens renameat2 flock close lseek fdopendir \
            syscall strdup
WRAP     := $(foreach f,$(WRAPPED),-Wl,--wrap=$(f))

$(B)/tests/%.o: tests/%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_C) -Itests -c $< -o $@

$(B)/unit: $(TEST_OBJ) $(LIB_OBJ)
	$(Q)$(CC) $(SAN) $(OPT) $(WRAP) -o $@ $^ $(LIBS) -lcmocka -ljson-c

test: all $(B)/unit
	$(Q)tests/run-all $(B)

.PHONY: all help test check fuzz bench lint format install clean
clean:
	rm -rf $(B)

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TEST_OBJ:.o=.d)


