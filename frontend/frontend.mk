# The library functions that are written in the language go into the binary as text.
GEN += gen/frontend/prelude_text.c
EXTRA_OBJS += obj/gen/frontend/prelude_text.o

gen/frontend/prelude_text.c: $(srcdir)/frontend/prelude/prelude.tri
	@mkdir -p $(@D)
	$(Q){ echo '#include "frontend/prelude.h"'; \
	  echo 'const char tri_prelude_text[] ='; \
	  sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n"/' $<; \
	  echo ';'; \
	  echo 'const size_t tri_prelude_size = sizeof tri_prelude_text - 1;'; } > $@

obj/gen/frontend/prelude_text.o: gen/frontend/prelude_text.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@
