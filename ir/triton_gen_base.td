// The `triton_gen` dialect: what Intel's GPUs do for a sub-group, on values of the `llvm` dialect.
#ifndef TRI_TRITON_GEN_BASE_TD
#define TRI_TRITON_GEN_BASE_TD

include "ir/triton_gen_enums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def GEN_Dialect : Dialect {
  let name = "triton_gen";
  let cppNamespace = "::tri::gen";
  let summary = "barriers, matrix instructions, blocks of two dimensions, values of other lanes";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

class GEN_Attr<string name, string asm> : AttrDef<GEN_Dialect, name> { let mnemonic = asm; }

// Of the pointer that is operand `operand` of the operation that carries it.
class GEN_Control<string kind> : GEN_Attr<kind # "CacheControlDecoration", !tolower(kind) # "_cache_control"> {
  let parameters = (ins "uint32_t":$level, kind # "Control":$control, "uint32_t":$operand);
  let assemblyFormat = "`<` $level `,` $control `,` $operand `>`";
}
def GEN_LoadControlAttr : GEN_Control<"Load">;
def GEN_StoreControlAttr : GEN_Control<"Store">;

def GEN_Decorations : GEN_Attr<"DecorationCacheControl", "decoration_cache_control"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$decorations);
  let assemblyFormat = "`<` $decorations `>`";
  let genVerifyDecl = 1;
}

#endif
