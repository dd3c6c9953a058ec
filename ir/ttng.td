// Operations of `ttng`. Names, operand order, attributes and syntax are those of upstream Triton.
#ifndef TRI_TTNG_TD
#define TRI_TTNG_TD

include "ir/ttng_base.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class TTNG_Op<string mnemonic, list<Trait> traits = []> : TritonOp<TTNG_Dialect, mnemonic, traits>;

defvar Buffer = TTG_MemDescType;
defvar BufferRead = Arg<TTG_MemDescType, "", [MemRead<SharedMemory>]>;
defvar BufferWrite = Arg<TTG_MemDescType, "", [MemWrite<SharedMemory>]>;
defvar TensorRead = Arg<TTG_MemDescType, "", [MemRead<TensorMemory>]>;
defvar TensorWrite = Arg<TTG_MemDescType, "", [MemWrite<TensorMemory>]>;
defvar DescRead = Arg<TT_AnyDesc, "", [MemRead<GlobalMemory>]>;
defvar DescWrite = Arg<TT_AnyDesc, "", [MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>;

//===----------------------------------------------------------------------===//
// Warp-group matrix products
//===----------------------------------------------------------------------===//

def WarpGroupDotOp : TTNG_Op<"warp_group_dot", [
  DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
  TypesMatchWith<"c has the type of d", "d", "c", "$_self">]> {
  let arguments = (ins AnyTypeOf<[TT_FpIntTensor, TTG_MemDescType]>:$a, Buffer:$b, TT_FpIntTensor:$c,
    Optional<I1>:$useC, DefaultValuedAttr<TT_InputPrecision, "::tri::tt::InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc, DefaultValuedAttr<BoolAttr, "false">:$isAsync);
  let results = (outs TT_FpIntTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` $useC^)? attr-dict `:` type($a) `*` qualified(type($b)) `->` type($d)
  }];
  let hasVerifier = 1;
}
def WarpGroupDotWaitOp : TTNG_Op<"warp_group_dot_wait", [
  AllTypesMatch<["inputs", "outputs"]>]> {
  let arguments = (ins Variadic<AnyTypeOf<[TT_FpIntTensor, TTG_MemDescType]>>:$inputs, I32Attr:$pendings,
    UnitAttr:$warpGroupLocal);
  let results = (outs Variadic<AnyTypeOf<[TT_FpIntTensor, TTG_MemDescType]>>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Barriers and fences
//===----------------------------------------------------------------------===//

def InitBarrierOp : TTNG_Op<"init_barrier"> {
  let arguments = (ins BufferWrite:$alloc, I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}
def InvalBarrierOp : TTNG_Op<"inval_barrier"> {
  let arguments = (ins BufferWrite:$alloc);
  let assemblyFormat = "$alloc attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}
def BarrierExpectOp : TTNG_Op<"barrier_expect"> {
  let arguments = (ins BufferWrite:$alloc, I32Attr:$size, I1:$pred);
  let assemblyFormat = "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))";
  let hasVerifier = 1;
}
def WaitBarrierOp : TTNG_Op<"wait_barrier", [AttrSizedOperandSegments]> {
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<SharedMemory>, MemWrite<SharedMemory>]>:$alloc, I32:$phase,
    Optional<I1>:$pred, Variadic<TTG_MemDescType>:$deps);
  let assemblyFormat = [{
    $alloc `,` $phase (`,` $pred^)? (`deps` $deps^)? attr-dict `:` qualified(type($alloc)) (`,` type($deps)^)?
  }];
  let hasVerifier = 1;
}
def ArriveBarrierOp : TTNG_Op<"arrive_barrier"> {
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<SharedMemory>, MemWrite<SharedMemory>]>:$alloc,
    I32Attr:$count, Optional<I1>:$pred);
  let assemblyFormat = "$alloc `,` $count (`,` $pred^)? attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}
def AsyncCopyMbarrierArriveOp : TTNG_Op<"async_copy_mbarrier_arrive"> {
  let arguments = (ins BufferWrite:$barrier, UnitAttr:$noIncrement);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}
def FenceAsyncSharedOp : TTNG_Op<"fence_async_shared"> {
  let arguments = (ins BoolAttr:$bCluster);
  let assemblyFormat = "attr-dict";
}
def FenceMbarrierInitOp : TTNG_Op<"fence_mbarrier_init_release_cluster"> {
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}
def ClusterBarrierOp : TTNG_Op<"cluster_barrier"> {
  let arguments = (ins DefaultValuedAttr<BoolAttr, "false">:$relaxed);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}
def ClusterArriveOp : TTNG_Op<"cluster_arrive"> {
  let arguments = (ins DefaultValuedAttr<BoolAttr, "false">:$relaxed);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}
def ClusterWaitOp : TTNG_Op<"cluster_wait"> {
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

def AsyncTMACopyGlobalToLocalOp : TTNG_Op<"async_tma_copy_global_to_local", [AttrSizedOperandSegments]> {
  let arguments = (ins DescRead:$desc, Variadic<I32>:$coord, Variadic<I16>:$offsets, BufferWrite:$barrier,
    BufferWrite:$result, I1:$pred, UnitAttr:$multicast, TT_CacheAttr:$cache, TT_EvictAttr:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let assemblyFormat = [{
    $desc `[` $coord `]` (`offsets` `=` `[` $offsets^ `]`)? $result `,` $barrier `,` $pred
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` qualified(type($desc)) `,`
    qualified(type($barrier)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}
def AsyncTMACopyLocalToGlobalOp : TTNG_Op<"async_tma_copy_local_to_global"> {
  let arguments = (ins DescWrite:$desc, Variadic<I32>:$coord, BufferRead:$src);
  let assemblyFormat = "$desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))";
  let hasVerifier = 1;
}
def AsyncTMAReduceOp : TTNG_Op<"async_tma_reduce"> {
  let arguments = (ins TT_DescriptorReduceKind:$kind, DescWrite:$desc, Variadic<I32>:$coord, BufferRead:$src);
  let assemblyFormat = [{
    $kind `,` $desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))
  }];
  let hasVerifier = 1;
}
def AsyncTMAGatherOp : TTNG_Op<"async_tma_gather"> {
  let arguments = (ins DescRead:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset, BufferWrite:$barrier,
    BufferWrite:$result, I1:$pred, UnitAttr:$multicast);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred attr-dict `:` type(operands)
  }];
  let hasVerifier = 1;
}
def AsyncTMAScatterOp : TTNG_Op<"async_tma_scatter"> {
  let arguments = (ins DescWrite:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset, BufferRead:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)";
  let hasVerifier = 1;
}
def AsyncTMAStoreWaitOp : TTNG_Op<"async_tma_store_wait"> {
  let arguments = (ins I32Attr:$pendings, UnitAttr:$read_only);
  let assemblyFormat = "attr-dict";
}
def AsyncSharedStoreOp : TTNG_Op<"async_shared_store"> {
  let arguments = (ins TT_Tensor:$src, BufferWrite:$dst, BufferWrite:$barrier);
  let assemblyFormat = [{
    $src `,` $dst `,` $barrier attr-dict `:` type($src) `->` qualified(type($dst)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}
def ReinterpretTensorDescOp : TTNG_Op<"reinterpret_tensor_descriptor", [Pure]> {
  let arguments = (ins TT_Ptr:$rawDesc);
  let results = (outs TT_AnyDesc:$result);
  let assemblyFormat = "$rawDesc attr-dict `:` qualified(type($rawDesc)) `to` qualified(type($result))";
}
// Whether the launcher made the maps that the kernel's tritcc.maps describe (passes/ttgir/host_tensormaps).
def TensormapsGivenOp : TTNG_Op<"tensormaps_given", [Pure]> {
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}
def TensormapCreateOp : TTNG_Op<"tensormap_create", [
  MemoryEffects<[MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>, AttrSizedOperandSegments]> {
  let arguments = (ins TT_Ptr:$desc_ptr, TT_Ptr:$global_address, Variadic<I32>:$box_dim, Variadic<I32>:$global_dim,
    Variadic<I64>:$global_stride, Variadic<I32>:$element_stride,
    ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<15>]>:$elem_type,
    ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>:$interleave_layout,
    ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<3>]>:$swizzle_mode,
    ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<1>]>:$fill_mode);
  let assemblyFormat = [{
    $desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,` `[` $global_stride `]` `,`
    `[` $element_stride `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def TensormapFenceproxyAcquireOp : TTNG_Op<"tensormap_fenceproxy_acquire", [
  MemoryEffects<[MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>]> {
  let arguments = (ins TT_Ptr:$desc_ptr);
  let assemblyFormat = "$desc_ptr attr-dict `:` qualified(type($desc_ptr))";
}

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

def TMEMAllocOp : TTNG_Op<"tmem_alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins Optional<TT_Tensor>:$src);
  let results = (outs Buffer:$result, Optional<TTG_AsyncTokenType>:$token);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def TMEMLoadOp : TTNG_Op<"tmem_load", [AttrSizedResultSegments]> {
  let arguments = (ins TensorRead:$src, Optional<TTG_AsyncTokenType>:$dep, OptionalAttr<TTNG_RedOpAttr>:$redOp,
    OptionalAttr<BoolAttr>:$abs, OptionalAttr<BoolAttr>:$NaN);
  let results = (outs TT_Tensor:$result, Optional<TTG_AsyncTokenType>:$token, Optional<TT_Tensor>:$red);
  let assemblyFormat = [{
    $src `` custom<Token>($dep, type($token)) attr-dict `:` qualified(type($src)) `->` type($result)
    (`,` type($red)^)?
  }];
  let hasVerifier = 1;
}
def TMEMWaitOp : TTNG_Op<"tmem_wait", [MemoryEffects<[MemRead<TensorMemory>, MemWrite<TensorMemory>]>]> {
  let arguments = (ins TTNG_TMEMWaitKind:$kind);
  let assemblyFormat = "$kind attr-dict";
}
def TMEMStoreOp : TTNG_Op<"tmem_store"> {
  let arguments = (ins TensorWrite:$dst, Optional<TTG_AsyncTokenType>:$dep, TT_Tensor:$src, I1:$pred);
  let results = (outs Optional<TTG_AsyncTokenType>:$token);
  let assemblyFormat = [{
    $src `,` $dst `` custom<Token>($dep, type($token)) `,` $pred attr-dict `:` type($src) `->` qualified(type($dst))
  }];
  let hasVerifier = 1;
}
def TMEMCopyOp : TTNG_Op<"tmem_copy"> {
  let arguments = (ins BufferRead:$src, TensorWrite:$dst, Optional<TTG_MemDescType>:$barrier);
  let assemblyFormat = [{
    $src `,` $dst (`,` $barrier^)? attr-dict `:` qualified(type($src)) `,` qualified(type($dst))
    (`,` qualified(type($barrier))^)?
  }];
  let hasVerifier = 1;
}
def TMEMSubSliceOp : TTNG_Op<"tmem_subslice", [Pure]> {
  let arguments = (ins Buffer:$src, I32Attr:$offset, DefaultValuedAttr<I32Attr, "1">:$dim);
  let results = (outs Buffer:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
class TTNG_Mma5<string mnemonic> : TTNG_Op<mnemonic, [
  AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let results = (outs Optional<TTG_AsyncTokenType>:$token);
  let hasVerifier = 1;
}
def TCGen5MMAOp : TTNG_Mma5<"tc_gen5_mma"> {
  let arguments = (ins Buffer:$a, Buffer:$b, Buffer:$d, Optional<TTG_AsyncTokenType>:$acc_dep, I1:$useD, I1:$pred,
    Variadic<TTG_MemDescType>:$barriers, Variadic<I1>:$barrier_preds, UnitAttr:$is_async, UnitAttr:$two_ctas,
    UnitAttr:$multicast, UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $useD `,` $pred ``
    custom<BarriersAndPreds>($barriers, $barrier_preds) attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,`
    qualified(type($d)) (`,` qualified(type($barriers))^)?
  }];
}
def TCGen5MMAScaledOp : TTNG_Mma5<"tc_gen5_mma_scaled"> {
  let arguments = (ins Buffer:$a, Buffer:$b, Buffer:$d, Optional<TTG_AsyncTokenType>:$acc_dep, Buffer:$a_scale,
    Buffer:$b_scale, TT_ScaleDotElemType:$a_type, TT_ScaleDotElemType:$b_type, I1:$useD, I1:$pred,
    Variadic<TTG_MemDescType>:$barriers, Variadic<I1>:$barrier_preds, UnitAttr:$is_async, UnitAttr:$two_ctas,
    UnitAttr:$multicast);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $a_scale `,` $b_scale `,` $useD `,` $pred
    `lhs` `=` $a_type `rhs` `=` $b_type `` custom<BarriersAndPreds>($barriers, $barrier_preds) attr-dict `:`
    qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($d)) `,` qualified(type($a_scale)) `,`
    qualified(type($b_scale)) (`,` qualified(type($barriers))^)?
  }];
}
def TCGen5CommitOp : TTNG_Op<"tc_gen5_commit", [AttrSizedOperandSegments]> {
  let arguments = (ins BufferWrite:$barrier, Optional<I1>:$pred, Variadic<TTG_MemDescType>:$descs);
  let assemblyFormat = [{
    $barrier (`,` $pred^)? (`descs` $descs^)? attr-dict `:` qualified(type($barrier)) (`,` type($descs)^)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Cluster launch control, packed arithmetic
//===----------------------------------------------------------------------===//

def CLCTryCancelOp : TTNG_Op<"clc_try_cancel"> {
  let arguments = (ins BufferWrite:$result, BufferWrite:$barrier, UnitAttr:$multicast);
  let assemblyFormat = "$result `,` $barrier attr-dict `:` qualified(type($result)) `,` qualified(type($barrier))";
  let hasVerifier = 1;
}
def CLCTryCancelSyncOp : TTNG_Op<"clc_try_cancel_sync"> {
  let results = (outs TT_Tensor:$response);
  let assemblyFormat = "attr-dict `:` type($response)";
  let hasVerifier = 1;
}
def CLCLoadResultOp : TTNG_Op<"clc_load_result"> {
  let arguments = (ins BufferRead:$src);
  let results = (outs I<128>:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` type($result)";
}
def CLCIsCanceledOp : TTNG_Op<"clc_is_canceled", [Pure]> {
  let arguments = (ins I<128>:$src);
  let results = (outs I1:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}
def CLCGetProgramIdOp : TTNG_Op<"clc_get_program_id", [Pure]> {
  let arguments = (ins I<128>:$src, TT_ProgramDim:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$src `,` $dim attr-dict `:` type($src) `->` type($result)";
}
def PackedArithOp : TTNG_Op<"packed_arith", [Pure]> {
  let arguments = (ins TTNG_PackedOp:$op_kind, Variadic<RankedTensorOf<[TT_Float, F8E8M0FNU, I8]>>:$args);
  let results = (outs TT_FloatTensor:$result);
  let assemblyFormat = "$op_kind $args attr-dict `:` functional-type($args, $result)";
  let hasVerifier = 1;
}

#endif
