# Make rules for kernels compiled by tritcc. Include this file and name `kernel.o` as a prerequisite:
#
#     include /usr/local/share/tritcc/tritcc.mk
#     vadd.o vadd.h: TRITCCFLAGS = -arch=native -sig '*fp32:16, *fp32:16, *fp32:16, i32, 1024'
#     main: main.o vadd.o
#     main.o: vadd.h
#
# TRITCC is the compiler; TRITCCFLAGS its options. Objects need -lm. A kernel's source is vadd.tri or vadd.py.
TRITCC ?= tritcc
TRITCCFLAGS ?=

%.o %.h: %.tri
	$(TRITCC) $(TRITCCFLAGS) -MD -MF $*.d -MT '$*.o $*.h' -emit=obj=$*.o,header=$*.h $<

%.o %.h: %.py
	$(TRITCC) $(TRITCCFLAGS) -MD -MF $*.d -MT '$*.o $*.h' -emit=obj=$*.o,header=$*.h $<
