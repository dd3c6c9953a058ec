// Operations of `ttng`. Names, operand order, attributes and syntax are those of upstream Triton.
#ifndef TRI_TTNG_TD
#define TRI_TTNG_TD

include "ir/ttng_base.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class TTNG_Op<string mnemonic, list<Trait> traits = []>
  : Op<TTNG_Dialect, mnemonic, !listconcat(traits, [TensorsAreLegal])>;

#endif
