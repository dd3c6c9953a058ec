// Enumerations of `nvws`.
#ifndef TRI_NVWS_ENUMS_TD
#define TRI_NVWS_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def NVWS_AsyncOp : I32Enum<"AsyncOp", "what is still under way when a buffer is left", [
  I32EnumCase<"NONE", 0, "none">, I32EnumCase<"TMALoad", 1, "tma_load">, I32EnumCase<"TC5MMA", 2, "tc5mma">,
  I32EnumCase<"TMEMCopy", 3, "tmem_copy">, I32EnumCase<"CpAsync", 4, "cp_async">, I32EnumCase<"WGMMA", 5, "wgmma">,
  I32EnumCase<"CLC", 6, "clc">]> {
  let cppNamespace = "::tri::nvws";
}
def NVWS_TokenLoadType : I32EnumAttr<"TokenLoadType", "what fills the buffers of a token", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"AsyncLoadOp", 1, "asyncLoadOp">,
  I32EnumAttrCase<"TMALoadOp", 2, "tmaLoadOp">, I32EnumAttrCase<"LocalStoreOp", 3, "localStoreOp">,
  I32EnumAttrCase<"TmemLoadOp", 4, "TmemLoadOp">]> {
  let cppNamespace = "::tri::nvws";
}

#endif
