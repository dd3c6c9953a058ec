# Fuzz targets, when configure found libFuzzer: everything that reads the user's text is compiled with coverage and
# sanitizers; the rest comes out of the library as it is.
FUZZ_NAMES_yes = parse frontend ptx ir
FUZZ_TARGETS = $(FUZZ_NAMES_$(FUZZER):%=tests/fuzz/%)
FUZZ_SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
FUZZ_C = $(filter base/% frontend/% ir/% runtime/sim/nvptx/ptx/%,$(C_SOURCES))
FUZZ_OBJS = $(FUZZ_C:%.c=obj/fuzz/%.o) obj/fuzz/gen/frontend/prelude_text.o
# What a target spends its time in is optimised; the rest takes longer to optimise than the runs of `make check` take with
# it. `make check-all`, which runs for minutes, has -O1 for all.
FUZZ_OPT = -O0
FUZZ_HOT = $(filter base/% frontend/syntax/% runtime/sim/%,$(FUZZ_C))
$(FUZZ_HOT:%.c=obj/fuzz/%.o): private FUZZ_OPT = -O1
FUZZ_CFLAGS = -std=c17 $(WARNINGS) $(FUZZ_OPT) -g1 $(FUZZ_SANITIZE) -fsanitize=fuzzer-no-link $(DEFINES) $(INCLUDES)

fuzz-targets: $(FUZZ_TARGETS)

obj/fuzz/gen/%.o: gen/%.c
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -c $< -o $@

COMPILE_FUZZ = $(CLANG) $(FUZZ_CFLAGS)
$(eval $(call STAMP_RULE,obj/fuzz/flags,COMPILE_FUZZ))
obj/fuzz/%.o: $(srcdir)/%.c obj/fuzz/flags | $(GEN) $(IR_GEN)
	@mkdir -p $(@D)
	$(SAY) FUZZ $*.c
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -MMD -MP -c $< -o $@

tests/fuzz/frontend: obj/fuzz/tests/fuzz/frontend.o obj/fuzz/tests/fuzz/mutate.o
tests/fuzz/parse: obj/fuzz/tests/fuzz/parse.o
tests/fuzz/ptx: obj/fuzz/tests/fuzz/ptx.o
tests/fuzz/ir: obj/fuzz/tests/fuzz/ir.o
$(FUZZ_TARGETS): $(FUZZ_OBJS) libtritcc.a
	@mkdir -p $(@D)
	$(SAY) LINK $@
	$(Q)$(CLANG)++ -fsanitize=fuzzer $(FUZZ_SANITIZE) -B$(LLVM_PREFIX)/bin -fuse-ld=lld -Wl,--gc-sections -o $@ \
		$(filter obj/fuzz/tests/%,$^) $(FUZZ_OBJS) libtritcc.a $(LIBS)

.PHONY: fuzz-targets
