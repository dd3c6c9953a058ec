// Enumerations of `ttng`.
#ifndef TRI_TTNG_ENUMS_TD
#define TRI_TTNG_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def TTNG_ReduceModifier : I32EnumAttr<"TMEMLoadReduceModifier", "reduction while loading tensor memory", [
  I32EnumAttrCase<"MIN", 1, "min">, I32EnumAttrCase<"MAX", 2, "max">]> {
  let cppNamespace = "::tri::ttng";
}

#endif
