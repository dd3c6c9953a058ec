# The rules for kernels: this tree's, or, as they are installed, four folders up or beside the compiler.
TRITCC ?= tritcc
bin := $(dir $(realpath $(shell command -v $(TRITCC);)))
rules := $(wildcard ../../share/tritcc/tritcc.mk ../../../../tritcc/tritcc.mk $(addprefix $(bin),../share/tritcc/tritcc.mk share/tritcc/tritcc.mk))
include $(or $(firstword $(rules)),$(error share/tritcc/tritcc.mk is neither near '$(CURDIR)' nor beside '$(TRITCC)'))
.DEFAULT_GOAL := run
