# The size of the object that LLVM's SPIR-V back end keeps between modules; 0 where it has none.
GEN += gen/targets/spirv_state.inc
gen/targets/spirv_state.inc: $(LLVM_PREFIX)/lib/libLLVMSPIRVCodeGen.a
	@mkdir -p $(@D)
	$(Q)nm -S $< 2>/dev/null | awk '/ [BD] _ZN4llvm19SPIRVModuleAnalysis3MAIE$$/ { size = "0x" $$2; name = $$4 } \
		END { printf "#define TRI_SPIRV_STATE_SIZE %s\n#define TRI_SPIRV_STATE_SYMBOL \"%s\"\n", size ? size : 0, name }' > $@

# include/tritcc/launch.h, which generated headers repeat, as bytes.
EXTRA_OBJS += obj/targets/launch_header.o

obj/targets/launch_header.o: $(srcdir)/include/tritcc/launch.h
	@mkdir -p $(@D) gen/targets
	@printf '%s\n' '.section .rodata' '.globl tri_launch_header, tri_launch_header_end' \
		'tri_launch_header: .incbin "$<"' 'tri_launch_header_end: .byte 0' \
		'.section .note.GNU-stack,"",@progbits' > gen/targets/launch_header.s
	$(Q)$(CC) -c gen/targets/launch_header.s -o $@
