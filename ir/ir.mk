# The dialect island: generated headers, C++ objects, precompiled header.
IR_TD = $(wildcard $(srcdir)/ir/*.td)
IR_DIALECTS = tt ttg ttng nvws ttig amdg triton_gen
IR_TBLGEN = $(MLIR_TBLGEN) -I$(srcdir) -I$(LLVM_INCLUDE)
IR_SHARDS_tt = 0 1 2 3 4 5
IR_SHARDS_ttg = 0 1 2 3
IR_SHARDS_ttng = 0 1 2 3
IR_SHARDS_nvws = 0 1
IR_SHARDS_ttig = 0 1
IR_SHARDS_amdg = 0 1
IR_SHARDS_triton_gen = 0 1
IR_DEFS_tt = 6
IR_DEFS_ttg = 4
IR_DEFS_ttng = 4
IR_DEFS_nvws = 2
IR_DEFS_ttig = 2
IR_DEFS_amdg = 2
IR_DEFS_triton_gen = 2

IR_GEN = $(foreach d,$(IR_DIALECTS),$(foreach k,dialect ops enums types attrs,gen/ir/$(d)_$(k).h.inc gen/ir/$(d)_$(k).cpp.inc))
IR_CXX_SOURCES = $(patsubst $(srcdir)/%.cpp,%,$(sort $(wildcard $(srcdir)/ir/*.cpp)))
IR_SHARD_OBJS = $(foreach d,$(IR_DIALECTS),$(foreach s,$(IR_SHARDS_$(d)),obj/ir/$(d)_defs_$(s).o))
IR_CXX_OBJS = $(IR_CXX_SOURCES:%=obj/%.o) $(IR_SHARD_OBJS)

define IR_GEN_RULES
gen/ir/$(1)_dialect.h.inc: $(IR_TD)
	@mkdir -p $$(@D)
	$$(SAY) TBLGEN $(1)
	$$(Q)$$(IR_TBLGEN) -gen-dialect-decls -dialect=$(1) $$(srcdir)/ir/$(1)_base.td -o $$@
gen/ir/$(1)_dialect.cpp.inc: $(IR_TD)
	@mkdir -p $$(@D)
	$$(Q)$$(IR_TBLGEN) -gen-dialect-defs -dialect=$(1) $$(srcdir)/ir/$(1)_base.td -o $$@
gen/ir/$(1)_ops.h.inc: $(IR_TD)
	@mkdir -p $$(@D)
	$$(Q)$$(IR_TBLGEN) -gen-op-decls -op-shard-count=$(IR_DEFS_$(1)) $$(srcdir)/ir/$(1).td -o $$@
gen/ir/$(1)_ops.cpp.inc: $(IR_TD) $(srcdir)/ir/known_fields.awk
	@mkdir -p $$(@D)
	$$(Q)$$(IR_TBLGEN) -gen-op-defs -op-shard-count=$(IR_DEFS_$(1)) $$(srcdir)/ir/$(1).td -o $$@.tmp
	$$(Q)awk -f $$(srcdir)/ir/known_fields.awk $$@.tmp > $$@.new
	$$(Q)mv $$@.new $$@ && rm $$@.tmp
gen/ir/$(1)_types.h.inc: $(IR_TD)
	@mkdir -p $$(@D)
	$$(Q)$$(IR_TBLGEN) -gen-typedef-decls -typedefs-dialect=$(1) $$(srcdir)/ir/$(1)_base.td -o $$@
gen/ir/$(1)_types.cpp.inc: $(IR_TD)
	@mkdir -p $$(@D)
	$$(Q)$$(IR_TBLGEN) -gen-typedef-defs -typedefs-dialect=$(1) $$(srcdir)/ir/$(1)_base.td -o $$@
gen/ir/$(1)_attrs.h.inc: $(IR_TD)
	@mkdir -p $$(@D)
	$$(Q)$$(IR_TBLGEN) -gen-attrdef-decls -attrdefs-dialect=$(1) $$(srcdir)/ir/$(1)_base.td -o $$@
gen/ir/$(1)_attrs.cpp.inc: $(IR_TD)
	@mkdir -p $$(@D)
	$$(Q)$$(IR_TBLGEN) -gen-attrdef-defs -attrdefs-dialect=$(1) $$(srcdir)/ir/$(1)_base.td -o $$@
gen/ir/$(1)_enums.h.inc: $(IR_TD)
	@mkdir -p $$(@D)
	$$(Q)$$(IR_TBLGEN) -gen-enum-decls $$(srcdir)/ir/$(1)_enums.td -o $$@
gen/ir/$(1)_enums.cpp.inc: $(IR_TD)
	@mkdir -p $$(@D)
	$$(Q)$$(IR_TBLGEN) -gen-enum-defs $$(srcdir)/ir/$(1)_enums.td -o $$@
endef
$(foreach d,$(IR_DIALECTS),$(eval $(call IR_GEN_RULES,$(d))))

# LLVM's own clang, where it is, compiles the island: in half of gcc's time, and with a precompiled
# header of an eighth of the size. Sanitizers must be one compiler's throughout.
IR_CLANG = $(wildcard $(LLVM_PREFIX)/bin/clang++)
IR_CXX_yes = $(CXX)
IR_CXX_no = $(if $(IR_CLANG),$(filter ccache,$(CXX)) $(IR_CLANG)$(CROSS:%= --target=%),$(CXX))
IR_CXX = $(or $(IR_CXX_$(SANITIZERS)),$(IR_CXX_no)) $(CXXFLAGS_LLVM)

# Not through ccache: the header holds the path and size of what it was made from.
# One header with all of MLIR that the island uses, compiled once. Compilers take NAME.gch for an
# -include'd NAME.
IR_PCH = obj/ir/dialects.h.gch
# (before the first build, and after one that wrote no list of what the header includes, the two of ours)
$(IR_PCH): $(addprefix $(srcdir)/layout/,encoding.h linear.h)
$(eval $(call STAMP_RULE,obj/ir/flags,IR_CXX))
# Templates that the header needs are instantiated in it, not by each file again: a third of a file's time.
IR_PCH_FLAGS = $(if $(findstring clang,$(firstword $(filter-out ccache,$(IR_CXX)))),-Xclang -fno-pch-timestamp \
	-fpch-instantiate-templates)
$(IR_PCH): $(srcdir)/ir/dialects.h $(IR_GEN) obj/ir/flags
	@mkdir -p $(@D)
	$(SAY) PCH ir/dialects.h
	$(Q)$(filter-out ccache,$(IR_CXX)) $(IR_PCH_FLAGS) -x c++-header -MMD -MP -MF obj/ir/dialects.d -c $(srcdir)/ir/dialects.h -o $@
	@echo '#include "ir/dialects.h"' > obj/ir/dialects.h

# Back ends of this LLVM that ir/llvm.c does not start.
obj/ir/machine_code.o: gen/ir/no_targets.inc
gen/ir/no_targets.inc: $(LLVM_PREFIX)/bin/llvm-config
	@mkdir -p $(@D)
	$(Q)$(LLVM_CONFIG) --targets-built | tr -s ' ' '\n' | sed -n -e '/^\(X86\|AArch64\|NVPTX\|SPIRV\|AMDGPU\)$$/d' -e 's/..*/NO_TARGET(&)/p' > $@

obj/ir/%.o: $(srcdir)/ir/%.cpp $(IR_PCH)
	$(SAY) CXX ir/$*.cpp
	$(Q)$(IR_CXX) -include obj/ir/dialects.h -MMD -MP -c $< -o $@

define IR_SHARD_RULE
obj/ir/$(1)_defs_$(2).o: $(srcdir)/ir/op_defs.inc $(srcdir)/ir/op_syntax.h $(IR_PCH)
	$$(SAY) CXX $(1) ops $(2)
	$$(Q)$$(IR_CXX) -include obj/ir/dialects.h -DTRI_DIALECT_DEFS='"ir/$(1)_ops.cpp.inc"' -DGET_OP_DEFS_$(2) -x c++ -c $$< -o $$@
endef
$(foreach d,$(IR_DIALECTS),$(foreach s,$(IR_SHARDS_$(d)),$(eval $(call IR_SHARD_RULE,$(d),$(s)))))
