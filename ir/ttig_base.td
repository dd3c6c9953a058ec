// The `ttig` dialect: what Intel's GPUs add.
#ifndef TRI_TTIG_BASE_TD
#define TRI_TTIG_BASE_TD

include "ir/ttg_base.td"
include "ir/ttig_enums.td"

def TTIG_Dialect : Dialect {
  let name = "ttig";
  let cppNamespace = "::tri::ttig";
  let summary = "matrix units of sub-groups, and loads and stores of blocks of two dimensions";
  let dependentDialects = ["::tri::ttg::TTGDialect"];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

class TTIG_Layout<string name, string asm, string kind> : LayoutAttr<TTIG_Dialect, name, asm, kind>;
def TTIG_Dpas : TTIG_Layout<"DpasEncoding", "dpas", "TRI_ENC_INTEL_DPAS">;
def TTIG_Block : TTIG_Layout<"Subgroup2DBlockEncoding", "subgroup_2d_block", "TRI_ENC_INTEL_BLOCK">;
def TTIG_Warp : TTIG_Layout<"WarpEncoding", "warp", "TRI_ENC_INTEL_WARP">;

#endif
