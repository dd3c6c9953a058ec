# include/tritcc/launch.h, which generated headers repeat, as bytes.
EXTRA_OBJS += obj/targets/launch_header.o

obj/targets/launch_header.o: $(srcdir)/include/tritcc/launch.h
	@mkdir -p $(@D) gen/targets
	@printf '%s\n' '.section .rodata' '.globl tri_launch_header, tri_launch_header_end' \
		'tri_launch_header: .incbin "$<"' 'tri_launch_header_end: .byte 0' \
		'.section .note.GNU-stack,"",@progbits' > gen/targets/launch_header.s
	$(Q)$(CC) -c gen/targets/launch_header.s -o $@
