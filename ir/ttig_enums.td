// Enumerations of `ttig`.
#ifndef TRI_TTIG_ENUMS_TD
#define TRI_TTIG_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def TTIG_BlockIOMode : I32EnumAttr<"BlockIOMode", "along which dimension of a block neighbours in memory lie", [
  I32EnumAttrCase<"RowMajor", 0, "row_major">, I32EnumAttrCase<"ColumnMajor", 1, "column_major">]> {
  let cppNamespace = "::tri::ttig";
}

#endif
