# The library functions that are written in the language go into the binary as text.
PRELUDE = $(sort $(wildcard $(srcdir)/frontend/prelude/*.tri))
GEN += gen/frontend/prelude_text.c
EXTRA_OBJS += obj/gen/frontend/prelude_text.o

gen/frontend/prelude_text.c: $(PRELUDE)
	@mkdir -p $(@D)
	$(Q){ echo '#include "frontend/prelude/prelude.h"'; \
	  echo 'const tri_prelude_file tri_prelude_files[] = {'; \
	  for f in $(PRELUDE); do \
	    echo "{\"<triton.language/$$(basename $$f .tri)>\","; \
	    sed '/^#:/d; s/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n"/' $$f; echo '},'; \
	  done; \
	  echo '{0, 0}};'; } > $@

GEN += gen/frontend/prelude_rows.inc
gen/frontend/prelude_rows.inc: $(PRELUDE) $(srcdir)/frontend/prelude/prelude.awk
	@mkdir -p $(@D)
	$(Q)LC_ALL=C awk -v what=rows -f $(srcdir)/frontend/prelude/prelude.awk $(PRELUDE) > $@

# The manual's text on functions with what these say of themselves.
gen/share/language.txt: $(PRELUDE) $(srcdir)/frontend/prelude/prelude.awk $(srcdir)/share/tritcc/language.txt
	@mkdir -p $(@D)
	$(Q)LC_ALL=C awk -v what=manual -f $(srcdir)/frontend/prelude/prelude.awk $(PRELUDE) $(srcdir)/share/tritcc/language.txt > $@

obj/gen/frontend/prelude_text.o: gen/frontend/prelude_text.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

# Kernels of installed or unpacked packages: make check-corpus DIR=.../site-packages[:...] ROWS=signatures.jsonl
# Where a row does not fit one version of a package, the next folder is tried (FlagGems: PyPI's 5.0.2, then commit 532ff438).
check-corpus: tritcc
	python3 $(srcdir)/tests/peer/corpus.py ./tritcc $(ROWS) $(DIR) $(if $(TABLE),-o $(TABLE))

# What tritcc makes beside what a Triton package makes, whose Python is PYTHON: this tree's kernels; with
# DIR=.../site-packages, the rows of ROWS=... and every kernel of the folders GUESS='liger_kernel/ops flag_gems/ops' whose
# types can be guessed. Kernels that other projects' tests and tutorials launch: tests/peer/record.py.
PYTHON = python3
PEER = GEMS_VENDOR=nvidia PYTHONPATH=$(srcdir)/tests/peer $(PYTHON) -W ignore
check-upstream: tritcc
	$(PEER) $(srcdir)/tests/peer/peer.py ./tritcc $(srcdir)/tests/peer/kernels.jsonl $(srcdir)/tests/peer
	for file in $(srcdir)/tests/frontend/api/*.tri; do $(PEER) $(srcdir)/tests/peer/peer.py ./tritcc $$file || exit 1; done
	$(if $(ROWS),$(PEER) $(srcdir)/tests/peer/peer.py ./tritcc $(ROWS) $(DIR))
	$(if $(GUESS),$(PEER) $(srcdir)/tests/peer/guess.py $(DIR) $(GUESS) -o guessed.jsonl)
	$(if $(GUESS),$(PEER) $(srcdir)/tests/peer/peer.py ./tritcc guessed.jsonl $(DIR))

.PHONY: check-corpus check-upstream

# The front end's time: bench/compile/frontend.sh.
bench/compile/frontend: obj/bench/compile/frontend.o libtritcc.a
	@mkdir -p $(@D)
	$(SAY) LINK $@
	$(Q)$(LINK) -o $@ $< libtritcc.a $(LIBS)
