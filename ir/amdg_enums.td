// The `amdg` dialect has no enumerations of its own.
#ifndef TRI_AMDG_ENUMS_TD
#define TRI_AMDG_ENUMS_TD

include "mlir/IR/EnumAttr.td"

#endif
