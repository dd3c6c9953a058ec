# LLVM IR without the processor that it was made for. (Not at the end of a pipe, which would hide that clang failed.)
STRIP_PROCESSOR = sed -e '/^target /d' \
	-e 's/"\(target-cpu\|target-features\|tune-cpu\|min-legal-vector-width\)"="[^"]*"//g'

# The launcher: C compiled to assembly for each kind of host, embedded into the compiler as text. Its code needs no more
# than each processor of the kind has.
LAUNCH_SOURCES = $(sort $(wildcard $(srcdir)/runtime/launch/*.c))
LAUNCH_HOSTS = x86_64 aarch64
EXTRA_OBJS += obj/runtime/launch.o

gen/runtime/launch/%.ll: $(srcdir)/runtime/launch/%.c $(wildcard $(srcdir)/runtime/launch/*.def) \
		$(srcdir)/runtime/launch/launch.h $(srcdir)/include/tritcc/launch.h
	@mkdir -p $(@D)
	$(SAY) CLANG launch/$*.c
	$(Q)$(CLANG) -std=c17 -Wall -Wextra -Werror -O2 -fPIC -fvisibility=hidden -fno-ident -D_GNU_SOURCE -I$(srcdir) \
		-fno-stack-protector -U_FORTIFY_SOURCE -ffile-prefix-map=$(srcdir)/= $(LAUNCH_FLAGS) -emit-llvm -S $< -o $@.host
	$(Q)$(STRIP_PROCESSOR) $@.host > $@

# asks the processor, so it is for x86 on every host, and for no other
gen/runtime/launch/x86.ll: LAUNCH_FLAGS = --target=x86_64-unknown-linux-gnu -ffreestanding
LAUNCH_IR = $(LAUNCH_SOURCES:$(srcdir)/runtime/%.c=gen/runtime/%.ll)

gen/runtime/launch-%.s: $(LAUNCH_IR) $(srcdir)/runtime/launch.awk $(srcdir)/runtime/pieces.awk
	$(SAY) LLC $(@F)
	$(Q)$(LLVM_PREFIX)/bin/llvm-link -suppress-warnings -S -o gen/runtime/launch-$*.linked \
		$(filter-out $(if $(filter aarch64,$*),%/x86.ll),$(filter %.ll,$^))
	$(Q)abi=$$(sed -n 's/^enum { TRI_RT_ABI = \([0-9]*\) };/\1/p' $(srcdir)/runtime/launch/launch.h) && test "$$abi" && \
		LC_ALL=C awk -v abi=$$abi -f $(srcdir)/runtime/launch.awk gen/runtime/launch-$*.linked gen/runtime/launch-$*.linked \
		> gen/runtime/launch-$*.ir
	$(Q)$(LLVM_PREFIX)/bin/llc -mtriple=$*-unknown-linux-gnu -O2 -relocation-model=pic -function-sections -data-sections \
		-asm-verbose=false gen/runtime/launch-$*.ir -o $@.whole
	$(Q)sed 's/\(^\|[^A-Za-z0-9_.]\)\.L/\1.Ltri_/g' $@.whole | LC_ALL=C awk -f $(srcdir)/runtime/pieces.awk > $@

obj/runtime/launch.o: $(LAUNCH_HOSTS:%=gen/runtime/launch-%.s)
	@mkdir -p $(@D)
	@{ echo '.section .rodata'; for h in $(LAUNCH_HOSTS); do printf '%s\n' ".globl tri_launch_$$h, tri_launch_$${h}_end" \
		".balign 16" "tri_launch_$$h: .incbin \"gen/runtime/launch-$$h.s\"" "tri_launch_$${h}_end: .byte 0"; done; \
		echo '.section .note.GNU-stack,"",@progbits'; } > gen/runtime/launch.s
	$(Q)$(CC) -c gen/runtime/launch.s -o $@

# Vector math for CPU kernels: bitcode that names no processor, so that it suits all.
EXTRA_OBJS += obj/runtime/vmath.o
VMATH_HEADERS = $(srcdir)/runtime/vmath/functions.h $(srcdir)/runtime/vmath/bessel.h $(srcdir)/runtime/vmath/bessel_of.h
gen/runtime/%.ll: $(srcdir)/runtime/vmath/%.c $(VMATH_HEADERS)
	@mkdir -p $(@D)
	$(SAY) CLANG vmath/$*.c
	$(Q)$(CLANG) -std=gnu17 -Wall -Wextra -Werror -O1 -ffp-contract=on -fno-math-errno -fno-ident -fno-stack-protector \
		-I$(srcdir) -ffile-prefix-map=$(srcdir)/= -emit-llvm -S $< -o $@.host
	$(Q)$(STRIP_PROCESSOR) $@.host > $@

gen/runtime/vmath.bc: gen/runtime/vmath.ll gen/runtime/libdevice.ll
	$(Q)$(LLVM_PREFIX)/bin/llvm-link -suppress-warnings $^ -o $@

# The names that targets/cpu/math.c may call.
GEN += gen/runtime/libdevice_names.inc
gen/runtime/libdevice_names.inc: gen/runtime/libdevice.ll
	$(Q)sed -n 's/^define [^@]*@tri_nv_\([a-z0-9_]*\).*/"\1",/p' $< | LC_ALL=C sort > $@

obj/runtime/vmath.o: gen/runtime/vmath.bc
	@mkdir -p $(@D)
	@printf '%s\n' '.section .rodata' '.globl tri_vmath_bitcode, tri_vmath_bitcode_end' \
		'.balign 16' 'tri_vmath_bitcode: .incbin "gen/runtime/vmath.bc"' 'tri_vmath_bitcode_end: .byte 0' \
		'.section .note.GNU-stack,"",@progbits' > gen/runtime/vmath.s
	$(Q)$(CC) -c gen/runtime/vmath.s -o $@

# The same functions, and C's elementary ones, for devices without a C library: AMD's have private memory apart.
EXTRA_OBJS += obj/runtime/device_math.o
DEVICE_MATH_FLAGS = --target=amdgcn-amd-amdhsa -nogpulib -mcode-object-version=5 -ffreestanding -std=gnu17 -Wall -Wextra -Werror -O1 -DTRI_DEVICE \
	-ffp-contract=on -fno-math-errno -fno-ident -I$(srcdir)/runtime/vmath/device -I$(srcdir) \
	-ffile-prefix-map=$(srcdir)/=
gen/runtime/device/%.ll: $(srcdir)/runtime/vmath/%.c $(VMATH_HEADERS) \
		$(srcdir)/runtime/vmath/device/math.h $(srcdir)/runtime/vmath/device/string.h
	@mkdir -p $(@D)
	$(SAY) CLANG vmath/$*.c
	$(Q)$(CLANG) $(DEVICE_MATH_FLAGS) -emit-llvm -S $< -o $@

gen/runtime/device_math.bc: gen/runtime/device/libdevice.ll gen/runtime/device/cmath.ll
	$(Q)$(LLVM_PREFIX)/bin/llvm-link -suppress-warnings $^ -o $@

obj/runtime/device_math.o: gen/runtime/device_math.bc
	@mkdir -p $(@D)
	@printf '%s\n' '.section .rodata' '.globl tri_device_math_bitcode, tri_device_math_bitcode_end' \
		'.balign 16' 'tri_device_math_bitcode: .incbin "gen/runtime/device_math.bc"' \
		'tri_device_math_bitcode_end: .byte 0' '.section .note.GNU-stack,"",@progbits' > gen/runtime/device_math.s
	$(Q)$(CC) -c gen/runtime/device_math.s -o $@
