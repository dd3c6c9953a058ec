// The `nvws` dialect: values that one group of warps hands to another, before there are barriers for them. In text of
// Triton's passes for warp specialization.
#ifndef TRI_NVWS_BASE_TD
#define TRI_NVWS_BASE_TD

include "ir/ttg_base.td"
include "ir/nvws_enums.td"

def NVWS_Dialect : Dialect {
  let name = "nvws";
  let cppNamespace = "::tri::nvws";
  let summary = "groups of warps, and buffers that they hand to each other";
  let dependentDialects = ["::tri::ttg::TTGDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

def NVWS_AsyncOpAttr : EnumAttr<NVWS_Dialect, NVWS_AsyncOp, "async_op"> { let assemblyFormat = "`<` $value `>`"; }
def NVWS_AsyncOps : TypedArrayAttrBase<NVWS_AsyncOpAttr, "array of #nvws.async_op">;

def NVWS_ArefType : TypeDef<NVWS_Dialect, "Aref"> {
  let mnemonic = "aref";
  let summary = "buffers, several of each, that producers and consumers take in turns";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$buffers);
  let assemblyFormat = "`<` `[` $buffers `]` `>`";
}
def NVWS_TokenType : TypeDef<NVWS_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "who has a buffer, of a ring of which a tensor holds one token for each";
}

#endif
