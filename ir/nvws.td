// Operations of `nvws`. Names, operand order, attributes and syntax are those of upstream Triton.
#ifndef TRI_NVWS_TD
#define TRI_NVWS_TD

include "ir/nvws_base.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class NVWS_Op<string mnemonic, list<Trait> traits = []> : TritonOp<NVWS_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Buffers that are handed on
//===----------------------------------------------------------------------===//

def ArefCreateOp : NVWS_Op<"aref.create", [
  Pure, RangedTypesMatchWith<"the reference names the types of its buffers", "result", "buffers",
    "::llvm::cast<::tri::nvws::ArefType>($_self).getBuffers()">]> {
  let arguments = (ins Variadic<TTG_MemDescType>:$buffers);
  let results = (outs NVWS_ArefType:$result);
  let assemblyFormat = "$buffers attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def ArefPhiOp : NVWS_Op<"aref.phi", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyType:$local, AnyType:$remote);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$local `,` $remote attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def ArefBufferOp : NVWS_Op<"aref.buffer"> {
  let arguments = (ins NVWS_ArefType:$aref, TTG_AsyncTokenType:$token, Optional<I32>:$stage);
  let results = (outs Variadic<TTG_MemDescType>:$buffers);
  let assemblyFormat = [{
    $aref (`[` $stage^ `]`)? `,` $token attr-dict `:` type($aref) `,` type($token) `->` type(results)
  }];
}
class NVWS_Enter<string mnemonic> : NVWS_Op<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = (ins NVWS_ArefType:$aref, Optional<I32>:$stage, Optional<I32>:$phase);
  let results = (outs Variadic<TTG_MemDescType>:$buffers, TTG_AsyncTokenType:$token);
  let assemblyFormat = "$aref (`[` $stage^ `,` $phase `]`)? attr-dict `:` type($aref) `->` type(results)";
  let hasVerifier = 1;
}
class NVWS_Exit<string mnemonic> : NVWS_Op<mnemonic> {
  let arguments = (ins NVWS_ArefType:$aref, TTG_AsyncTokenType:$token, Optional<I32>:$stage,
    NVWS_AsyncOps:$async_ops);
  let assemblyFormat = [{
    $aref (`[` $stage^ `]`)? `,` $token $async_ops attr-dict `:` type($aref) `,` type($token)
  }];
}
def ArefPutEnterOp : NVWS_Enter<"aref.put.enter">;
def ArefPutExitOp : NVWS_Exit<"aref.put.exit">;
def ArefGetEnterOp : NVWS_Enter<"aref.get.enter">;
def ArefGetExitOp : NVWS_Exit<"aref.get.exit">;

def CLCTryCancelOp : NVWS_Op<"clc_try_cancel"> {
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<SharedMemory>]>:$result);
  let assemblyFormat = "$result attr-dict `:` qualified(type($result))";
}
def DescriptorLoadOp : NVWS_Op<"descriptor_load"> {
  let arguments = (ins Arg<TT_AnyDesc, "", [MemRead<GlobalMemory>]>:$desc, Variadic<I32>:$indices, I32Attr:$txCount,
    Arg<TTG_MemDescType, "", [MemWrite<SharedMemory>]>:$result, TT_CacheAttr:$cache, TT_EvictAttr:$evict);
  let assemblyFormat = [{
    $desc `[` $indices `]` $txCount $result oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type(operands)
  }];
}
def DescriptorGatherOp : NVWS_Op<"descriptor_gather"> {
  let arguments = (ins Arg<TT_AnyDesc, "", [MemRead<GlobalMemory>]>:$desc, RankedTensorOf<[I32]>:$x_offsets,
    I32:$y_offset, I32Attr:$txCount, Arg<TTG_MemDescType, "", [MemWrite<SharedMemory>]>:$result);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` $txCount $result attr-dict `:` type(operands)";
}

//===----------------------------------------------------------------------===//
// Groups of warps
//===----------------------------------------------------------------------===//

def WarpGroupOp : NVWS_Op<"warp_group", [RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let arguments = (ins DenseI32ArrayAttr:$numWarps);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$partitionRegions);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def WarpGroupYieldOp : NVWS_Op<"warp_group.yield", [Pure, Terminator, ReturnLike, HasParent<"WarpGroupOp">]> {
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
}
def WarpGroupReturnOp : NVWS_Op<"warp_group.return", [Pure, Terminator, HasParent<"WarpGroupOp">]> {
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

defvar Tokens = TensorOf<[NVWS_TokenType]>;

def CreateTokenOp : NVWS_Op<"create_token"> {
  let arguments = (ins I32Attr:$numBuffers, NVWS_TokenLoadType:$loadType);
  let results = (outs Tokens:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
class NVWS_Wait<string mnemonic> : NVWS_Op<mnemonic> {
  let arguments = (ins Tokens:$token, I32:$idx, I1:$phase);
  let assemblyFormat = "$token `,` $idx `,` $phase attr-dict `:` type(operands)";
}
class NVWS_Signal<string mnemonic> : NVWS_Op<mnemonic> {
  let arguments = (ins Tokens:$token, I32:$idx);
  let assemblyFormat = "$token `,` $idx attr-dict `:` type(operands)";
}
def ProducerAcquireOp : NVWS_Wait<"producer_acquire">;
def ProducerCommitOp : NVWS_Signal<"producer_commit">;
def ConsumerWaitOp : NVWS_Wait<"consumer_wait">;
def ConsumerReleaseOp : NVWS_Signal<"consumer_release">;

#endif
