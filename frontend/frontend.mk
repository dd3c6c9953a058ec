# The library functions that are written in the language go into the binary as text.
PRELUDE = $(sort $(wildcard $(srcdir)/frontend/prelude/*.tri))
GEN += gen/frontend/prelude_text.c
EXTRA_OBJS += obj/gen/frontend/prelude_text.o

gen/frontend/prelude_text.c: $(PRELUDE)
	@mkdir -p $(@D)
	$(Q){ echo '#include "frontend/prelude.h"'; \
	  echo 'const tri_prelude_file tri_prelude_files[] = {'; \
	  for f in $(PRELUDE); do \
	    echo "{\"<triton.language/$$(basename $$f .tri)>\","; \
	    sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n"/' $$f; echo '},'; \
	  done; \
	  echo '{0, 0}};'; } > $@

obj/gen/frontend/prelude_text.o: gen/frontend/prelude_text.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

# Kernels of installed or unpacked packages: make check-corpus DIR=.../site-packages ROWS=signatures.jsonl
check-corpus: tritcc
	python3 $(srcdir)/tests/peer/corpus.py ./tritcc $(ROWS) $(DIR) $(if $(TABLE),-o $(TABLE))

# The same rows beside a Triton package, whose Python is PYTHON: make check-upstream DIR=... ROWS=... PYTHON=...
PYTHON = python3
check-upstream: tritcc
	$(PYTHON) $(srcdir)/tests/peer/peer.py ./tritcc $(srcdir)/tests/peer/kernels.jsonl $(srcdir)/tests/peer
	$(if $(ROWS),GEMS_VENDOR=nvidia $(PYTHON) $(srcdir)/tests/peer/peer.py ./tritcc $(ROWS) $(DIR))

.PHONY: check-corpus check-upstream
