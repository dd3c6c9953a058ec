# What only the driver knows: its version, and where configure was told to look for CUDA.
obj/driver/%.o obj/run/%.o: private DEFINES += -DTRI_VERSION='"$(VERSION)"' -DTRI_CUDA_PREFIX='"$(CUDA_PREFIX)"'

# --version says what was built: git's commit, or that of the tarball.
COMMIT := $(shell cat $(srcdir)/COMMIT 2>/dev/null || git -C $(srcdir) rev-parse --short=12 HEAD 2>/dev/null)
obj/driver/info.o: private DEFINES += -DTRI_COMMIT='"$(COMMIT)"'
obj/driver/info.o: obj/driver/commit
$(eval $(call STAMP_RULE,obj/driver/commit,COMMIT))

# The texts of the manual that --explain and editors show go into the binary.
TEXTS = explain language
GEN += $(TEXTS:%=gen/driver/%_text.c)
EXTRA_OBJS += $(TEXTS:%=obj/gen/driver/%_text.o)
gen/driver/explain_text.c: $(srcdir)/share/tritcc/explain.txt
gen/driver/language_text.c: gen/share/language.txt
$(TEXTS:%=gen/driver/%_text.c): gen/driver/%_text.c:
	@mkdir -p $(@D)
	$(Q){ echo 'extern const char tri_$*_text[];'; echo 'const char tri_$*_text[] ='; \
	  sed '/^#/d; s/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n"/' $<; echo ';'; } > $@
obj/gen/driver/%_text.o: gen/driver/%_text.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

# The explorer's page: the template with its style and script.
PAGE_PARTS = $(addprefix $(srcdir)/driver/page/,page.html page.css page.js)
GEN += gen/driver/page_text.c
EXTRA_OBJS += obj/gen/driver/page_text.o
gen/driver/page_text.c: $(PAGE_PARTS)
	@mkdir -p $(@D)
	$(Q){ echo 'extern const char tri_page_text[];'; echo 'const char tri_page_text[] ='; \
	  sed -e '/@css@/{r $(srcdir)/driver/page/page.css' -e 'd}' -e '/@js@/{r $(srcdir)/driver/page/page.js' -e 'd}' $< | \
	  sed 's/\\/\\\\/g; s/"/\\"/g; s/?/\\?/g; s/.*/"&\\n"/'; echo ';'; } > $@
