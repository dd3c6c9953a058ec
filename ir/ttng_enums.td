// Enumerations of `ttng`.
#ifndef TRI_TTNG_ENUMS_TD
#define TRI_TTNG_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def TTNG_ReduceModifier : I32Enum<"TMEMLoadReduceModifier", "reduction while loading tensor memory", [
  I32EnumCase<"MIN", 1, "min">, I32EnumCase<"MAX", 2, "max">]> {
  let cppNamespace = "::tri::ttng";
}
def TTNG_PackedOp : I32EnumAttr<"PackedOp", "arithmetic on pairs of elements", [
  I32EnumAttrCase<"ADD", 0, "add">, I32EnumAttrCase<"SUB", 1, "sub">, I32EnumAttrCase<"MUL", 2, "mul">,
  I32EnumAttrCase<"FMA", 3, "fma">, I32EnumAttrCase<"MIN", 4, "min">, I32EnumAttrCase<"MAX", 5, "max">]> {
  let cppNamespace = "::tri::ttng";
}
def TTNG_TMEMWaitKind : I32EnumAttr<"TMEMWaitKind", "what a wait for tensor memory waits for", [
  I32EnumAttrCase<"LOAD", 0, "load">, I32EnumAttrCase<"STORE", 1, "store">]> {
  let cppNamespace = "::tri::ttng";
}

#endif
