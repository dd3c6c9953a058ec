// The `amdg` dialect: what AMD's GPUs have beside the others. In text of Triton's passes for them.
#ifndef TRI_AMDG_BASE_TD
#define TRI_AMDG_BASE_TD

include "ir/ttg_base.td"

def AMDG_Dialect : Dialect {
  let name = "amdg";
  let cppNamespace = "::tri::amdg";
  let summary = "buffer operations, direct copies to shared memory, transposes inside of threads";
  let dependentDialects = ["::tri::ttg::TTGDialect"];
}

#endif
