// Enumerations of `ttg`.
#ifndef TRI_TTG_ENUMS_TD
#define TRI_TTG_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def TTG_BarrierNone : I32BitEnumAttrCaseNone<"None", "none">;
def TTG_BarrierLocal : I32BitEnumAttrCaseBit<"Local", 0, "local">;
def TTG_BarrierGlobalRead : I32BitEnumAttrCaseBit<"GlobalRead", 1, "global_read">;
def TTG_BarrierGlobalWrite : I32BitEnumAttrCaseBit<"GlobalWrite", 2, "global_write">;
def TTG_BarrierTensorRead : I32BitEnumAttrCaseBit<"TensorRead", 3, "tensor_read">;
def TTG_BarrierTensorWrite : I32BitEnumAttrCaseBit<"TensorWrite", 4, "tensor_write">;
def TTG_BarrierAll : I32BitEnumAttrCaseGroup<"All", [
  TTG_BarrierLocal, TTG_BarrierGlobalRead, TTG_BarrierGlobalWrite, TTG_BarrierTensorRead,
  TTG_BarrierTensorWrite], "all">;
def TTG_AddrSpace : I32BitEnumAttr<"AddrSpace", "memories that a barrier orders", [
  TTG_BarrierNone, TTG_BarrierLocal, TTG_BarrierGlobalRead, TTG_BarrierGlobalWrite, TTG_BarrierTensorRead,
  TTG_BarrierTensorWrite, TTG_BarrierAll]> {
  let cppNamespace = "::tri::ttg";
  let separator = "|";
  let printBitEnumPrimaryGroups = 1;
}

#endif
