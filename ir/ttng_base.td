// The `ttng` dialect: what NVIDIA devices from Hopper on add.
#ifndef TRI_TTNG_BASE_TD
#define TRI_TTNG_BASE_TD

include "ir/ttg_base.td"
include "ir/ttng_enums.td"

def TTNG_Dialect : Dialect {
  let name = "ttng";
  let cppNamespace = "::tri::ttng";
  let summary = "warp-group matrix products, barriers in memory, tensor memory, bulk copies";
  let dependentDialects = ["::tri::ttg::TTGDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

class TTNG_Layout<string name, string asm, string kind> : LayoutAttr<TTNG_Dialect, name, asm, kind>;
def TTNG_TensorMemory
  : TTNG_Layout<"TensorMemoryEncoding", "tensor_memory_encoding", "TRI_ENC_TENSOR_MEMORY">;
def TTNG_TensorMemoryScales
  : TTNG_Layout<"TensorMemoryScalesEncoding", "tensor_memory_scales_encoding", "TRI_ENC_TENSOR_MEMORY_SCALES">;

def TTNG_TensorMemorySpace : AttrDef<TTNG_Dialect, "TensorMemorySpace"> {
  let mnemonic = "tensor_memory";
  let summary = "memory space of Blackwell's tensor memory";
}

def TTNG_RedOpAttr : EnumAttr<TTNG_Dialect, TTNG_ReduceModifier, "redOp"> { let assemblyFormat = "`<` $value `>`"; }

def TTNG_TensorDescIm2ColType : TypeDef<TTNG_Dialect, "TensorDescIm2Col"> {
  let mnemonic = "tensordesc_im2col";
  let summary = "descriptor whose loads gather image patches";
  let parameters = (ins "::mlir::RankedTensorType":$block);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif
