# The launcher: C compiled to bitcode, embedded into the compiler as bytes.
LAUNCH_SOURCES = $(sort $(wildcard $(srcdir)/runtime/launch/*.c))
LAUNCH_BITCODE = gen/runtime/launch.bc
EXTRA_OBJS += obj/runtime/launch.o

gen/runtime/launch/%.bc: $(srcdir)/runtime/launch/%.c $(srcdir)/runtime/launch/launch.h $(srcdir)/include/tritcc/launch.h
	@mkdir -p $(@D)
	$(SAY) CLANG launch/$*.c
	$(Q)$(CLANG) -std=c17 -Wall -Wextra -Werror -O2 -fPIC -fno-ident -D_GNU_SOURCE -I$(srcdir) -fno-stack-protector \
		-U_FORTIFY_SOURCE -ffile-prefix-map=$(srcdir)/= -emit-llvm -c $< -o $@

$(LAUNCH_BITCODE): $(LAUNCH_SOURCES:$(srcdir)/runtime/%.c=gen/runtime/%.bc)
	$(SAY) LINK launch.bc
	$(Q)$(LLVM_PREFIX)/bin/llvm-link $^ -o $@

obj/runtime/launch.o: $(LAUNCH_BITCODE)
	@mkdir -p $(@D)
	@printf '%s\n' '.section .rodata' '.globl tri_launch_bitcode, tri_launch_bitcode_end' \
		'.balign 16' 'tri_launch_bitcode: .incbin "$(LAUNCH_BITCODE)"' 'tri_launch_bitcode_end: .byte 0' \
		'.section .note.GNU-stack,"",@progbits' > gen/runtime/launch.s
	$(Q)$(CC) -c gen/runtime/launch.s -o $@
