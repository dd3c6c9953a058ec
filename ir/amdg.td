// Operations of `amdg`. Names, operand order, attributes and syntax are those of upstream Triton's AMD back end.
#ifndef TRI_AMDG_TD
#define TRI_AMDG_TD

include "ir/amdg_base.td"
include "ir/tt_enums.td"

class AMDG_Op<string mnemonic, list<Trait> traits = []> : TritonOp<AMDG_Dialect, mnemonic, traits>;

defvar Buffer = TTG_MemDescType;
defvar BufferRead = Arg<TTG_MemDescType, "", [MemRead<SharedMemory>]>;
defvar BufferWrite = Arg<TTG_MemDescType, "", [MemWrite<SharedMemory>]>;
defvar BufferReadWrite = Arg<TTG_MemDescType, "", [MemRead<SharedMemory>, MemWrite<SharedMemory>]>;
defvar PtrRead = Arg<TT_Ptr, "", [MemRead<GlobalMemory>]>;
defvar PtrWrite = Arg<TT_Ptr, "", [MemWrite<GlobalMemory>]>;
defvar PtrReadWrite = Arg<TT_Ptr, "", [MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>;
defvar DescRead = Arg<TT_AnyDesc, "", [MemRead<GlobalMemory>]>;
defvar DescWrite = Arg<TT_AnyDesc, "", [MemWrite<GlobalMemory>]>;
defvar Offsets = RankedTensorOf<[I32]>;
defvar Mask = RankedTensorOf<[I1]>;

//===----------------------------------------------------------------------===//
// Buffer operations: a pointer that is the same for all lanes, and offsets of 32 bits from it
//===----------------------------------------------------------------------===//

class PtrToElementOf<string of> : TypesMatchWith<
  "ptr points to the elements of " # of, of, "ptr", "::tri::pointerToElementOf($_self)">;
class OffsetsLike<string of> : TypesMatchWith<
  "offsets are i32 in the shape of " # of, of, "offsets", "::tri::offsetsOf($_self)">;
class MaskLike<string of> : OptionalTypesMatchWith<
  "mask is i1 in the shape of " # of, of, "mask", "::tri::maskOf($_self)">;

def BufferLoadOp : AMDG_Op<"buffer_load", [
  AttrSizedOperandSegments, SameLayout, PtrToElementOf<"result">, OffsetsLike<"result">, MaskLike<"result">,
  OptionalTypesMatchWith<"other has the type of the result", "result", "other", "$_self">]> {
  let arguments = (ins PtrRead:$ptr, Offsets:$offsets, Optional<I32>:$stride, TT_CacheAttr:$cache,
    Optional<Mask>:$mask, Optional<TT_Tensor>:$other, DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache) (`stride` `=` $stride^)?
    attr-dict `:` custom<BlockType>(type($result))
  }];
}
def BufferStoreOp : AMDG_Op<"buffer_store", [
  AttrSizedOperandSegments, SameLayout, PtrToElementOf<"value">, OffsetsLike<"value">, MaskLike<"value">]> {
  let arguments = (ins TT_Tensor:$value, PtrWrite:$ptr, Offsets:$offsets, Optional<I32>:$stride, TT_CacheAttr:$cache,
    Optional<Mask>:$mask, DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let assemblyFormat = [{
    $value `,` $ptr `[` $offsets `]` (`,` $mask^)? oilist(`cacheModifier` `=` $cache) (`stride` `=` $stride^)?
    attr-dict `:` custom<BlockType>(type($value))
  }];
}
def BufferLoadToLocalOp : AMDG_Op<"buffer_load_to_local", [AttrSizedOperandSegments, MaskLike<"offsets">]> {
  let arguments = (ins BufferWrite:$dest, PtrRead:$ptr, Offsets:$offsets, Optional<Mask>:$mask,
    Optional<TT_Tensor>:$other, Optional<I32>:$stride, TT_CacheAttr:$cache,
    DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`mask` `=` $mask^)? (`other` `=` $other^)? (`stride` `=` $stride^)?
    `` custom<CacheOfCopy>($cache) `into` $dest
    attr-dict `:` custom<PointerOfCopy>(type($ptr)) `[` type($offsets) `]` type($other) `->` type($dest)
  }];
  let hasVerifier = 1;
}
def BufferAtomicRMWOp : AMDG_Op<"buffer_atomic_rmw", [
  AttrSizedOperandSegments, SameLayout, PtrToElementOf<"result">, OffsetsLike<"result">, MaskLike<"result">,
  TypesMatchWith<"value has the type of the result", "result", "value", "$_self">]> {
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, PtrReadWrite:$ptr, Offsets:$offsets, TT_Tensor:$value,
    Optional<I32>:$stride, TT_MemSemantic:$sem, TT_MemSyncScope:$scope, Optional<Mask>:$mask);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $value `,` $ptr `[` $offsets `]` (`,` $mask^)? (`stride` `=` $stride^)?
    attr-dict `:` custom<BlockType>(type($result))
  }];
}
def BufferAtomicCASOp : AMDG_Op<"buffer_atomic_cas", [
  SameLayout, PtrToElementOf<"result">, OffsetsLike<"result">,
  TypesMatchWith<"val has the type of the result", "result", "val", "$_self">,
  TypesMatchWith<"cmp has the type of the result", "result", "cmp", "$_self">]> {
  let arguments = (ins PtrReadWrite:$ptr, Offsets:$offsets, TT_Tensor:$cmp, TT_Tensor:$val, Optional<I32>:$stride,
    TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $cmp `,` $val `,` $ptr `[` $offsets `]` (`stride` `=` $stride^)?
    attr-dict `:` custom<BlockType>(type($result))
  }];
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

def ExtractSliceOp : AMDG_Op<"extract_slice", [Pure]> {
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$static_offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source $static_offsets attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}
def ConcatOp : AMDG_Op<"concat", [Pure]> {
  let arguments = (ins Variadic<TT_Tensor>:$sources);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$sources attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
}
// Other registers of the same threads: those along the last two dimensions change places.
def InThreadTransposeOp : AMDG_Op<"in_thread_transpose", [Pure]> {
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}
class AMDG_Upcast<string mnemonic, list<Trait> traits = []>
  : AMDG_Op<mnemonic, !listconcat([Pure], traits)> {
  let results = (outs RankedTensorOf<[F16, BF16]>:$output);
  let assemblyFormat = "$input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)";
}
def ScaledUpcastFp4Op : AMDG_Upcast<"scaled_upcast_fp4"> {
  let arguments = (ins RankedTensorOf<[I8]>:$input, RankedTensorOf<[BF16, I8]>:$scale, I32Attr:$axis);
  let hasVerifier = 1;
}
def ScaledUpcastFp8Op : AMDG_Upcast<"scaled_upcast_fp8", [SameShapeAndLayout]> {
  let arguments = (ins RankedTensorOf<[F8E4M3FN, F8E5M2]>:$input, RankedTensorOf<[BF16, I8]>:$scale);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

class AMDG_PackedLoad<string mnemonic> : AMDG_Op<mnemonic> {
  let arguments = (ins BufferRead:$src, Optional<TTG_AsyncTokenType>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)";
}
def LocalLoadPackedTransposedOp : AMDG_PackedLoad<"local_load_packed_transposed">;
// Its name up to 3.8.
def LocalLoadPackedTranposedOp : AMDG_PackedLoad<"local_load_packed_tranposed">;
def AsyncCopyLocalToGlobalOp : AMDG_Op<"async_copy_local_to_global", [
  OptionalTypesMatchWith<"mask is i1 in the shape of dst", "dst", "mask", "::tri::maskOf($_self)">]> {
  let arguments = (ins BufferRead:$src, Arg<TT_PtrTensor, "", [MemWrite<GlobalMemory>]>:$dst,
    Optional<Mask>:$mask, TT_CacheAttr:$cache, TT_EvictAttr:$evict, DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $src `,` $dst (`mask` $mask^)? `` custom<PolicyOfCopy>($cache, $evict)
    attr-dict `:` qualified(type($src)) `->` type($dst)
  }];
}

//===----------------------------------------------------------------------===//
// Waits and barriers
//===----------------------------------------------------------------------===//

// Until at most so many instructions are under way; ttg.async_wait counts groups.
def AsyncWaitOp : AMDG_Op<"async_wait"> {
  let arguments = (ins Variadic<TTG_AsyncTokenType>:$asyncToken, I32Attr:$num_inst);
  let results = (outs TTG_AsyncTokenType:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}
def MemoryCounterWaitOp : AMDG_Op<"memory_counter_wait"> {
  let arguments = (ins OptionalAttr<I32Attr>:$load, OptionalAttr<I32Attr>:$store, OptionalAttr<I32Attr>:$ds);
  let assemblyFormat = "oilist(`load` `(` $load `)` | `store` `(` $store `)` | `ds` `(` $ds `)`) attr-dict";
}
// A barrier for the threads whose predicate holds.
def CondBarrierOp : AMDG_Op<"cond_barrier"> {
  let arguments = (ins I1:$pred);
  let assemblyFormat = "$pred attr-dict";
}
def InitBarrierOp : AMDG_Op<"init_barrier"> {
  let arguments = (ins BufferWrite:$alloc, I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
}
def WaitBarrierOp : AMDG_Op<"wait_barrier"> {
  let arguments = (ins BufferReadWrite:$alloc, I32:$phase);
  let assemblyFormat = "$alloc `,` $phase attr-dict `:` qualified(type($alloc))";
}
def ArriveBarrierOp : AMDG_Op<"arrive_barrier"> {
  let arguments = (ins BufferReadWrite:$alloc, I32Attr:$count);
  let results = (outs I32:$result);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc)) `->` type($result)";
}
def AsyncCopyMbarrierArriveOp : AMDG_Op<"async_copy_mbarrier_arrive"> {
  let arguments = (ins BufferReadWrite:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}
def ClusterBarrierArriveOp : AMDG_Op<"cluster_barrier_arrive"> { let assemblyFormat = "attr-dict"; }
def ClusterBarrierWaitOp : AMDG_Op<"cluster_barrier_wait"> { let assemblyFormat = "attr-dict"; }
// A mark that scheduling passes of 3.6 and 3.7 leave.
def InstructionSchedHint : AMDG_Op<"instruction_sched_hint"> {
  let arguments = (ins AnyAttr:$variant);
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// gfx1250: boxes of a descriptor
//===----------------------------------------------------------------------===//

def UpdateTensorDescriptorOp : AMDG_Op<"update_tensor_descriptor", [
  Pure, AttrSizedOperandSegments, AllTypesMatch<["desc", "result"]>]> {
  let arguments = (ins TT_AnyDesc:$desc, Variadic<I32>:$add_offsets, Variadic<I32>:$set_bounds, Optional<I32>:$pred,
    UnitAttr:$clamp_bounds);
  let results = (outs TT_AnyDesc:$result);
  let assemblyFormat = [{
    $desc oilist(`add_offsets` `=` `[` $add_offsets `]` | `set_bounds` `=` `[` $set_bounds `]` | `pred` `=` $pred)
    attr-dict `:` qualified(type($desc))
  }];
  let hasVerifier = 1;
}
def AsyncTDMCopyGlobalToLocalOp : AMDG_Op<"async_tdm_copy_global_to_local"> {
  let arguments = (ins DescRead:$desc, BufferWrite:$result,
    Arg<Optional<Buffer>, "", [MemWrite<SharedMemory>]>:$barrier, TT_CacheAttr:$cache,
    OptionalAttr<I32Attr>:$warp_used_hint);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $desc `into` $result (`,` `barrier` `=` $barrier^)? attr-dict `:` qualified(type($desc))
    (`,` qualified(type($barrier))^)? `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}
def AsyncTDMFusedCopyGlobalToLocalOp : AMDG_Op<"async_tdm_fused_copy_global_to_local", [SameVariadicOperandSize]> {
  let arguments = (ins Arg<Variadic<TT_AnyDesc>, "", [MemRead<GlobalMemory>]>:$descs,
    Arg<Variadic<Buffer>, "", [MemWrite<SharedMemory>]>:$dests, DenseI32ArrayAttr:$warp_used_hints,
    TT_CacheAttr:$cache);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = "$descs `into` $dests attr-dict `:` qualified(type($descs)) `->` qualified(type($dests))";
}
def AsyncTDMCopyLocalToGlobalOp : AMDG_Op<"async_tdm_copy_local_to_global"> {
  let arguments = (ins DescWrite:$desc, BufferRead:$src, Arg<Optional<Buffer>, "", [MemWrite<SharedMemory>]>:$barrier,
    TT_CacheAttr:$cache);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $desc `from` $src (`,` `barrier` `=` $barrier^)? attr-dict `:` qualified(type($src))
    (`,` qualified(type($barrier))^)? `->` qualified(type($desc))
  }];
  let hasVerifier = 1;
}
def AsyncTDMScatterOp : AMDG_Op<"async_tdm_scatter"> {
  let arguments = (ins DescWrite:$desc, RankedTensorOf<[I16, I32]>:$dst_row_indices, BufferRead:$src,
    Arg<Optional<Buffer>, "", [MemWrite<SharedMemory>]>:$barrier);
  let results = (outs TTG_AsyncTokenType:$retToken);
  let assemblyFormat = [{
    $desc `[` $dst_row_indices `]` `from` $src (`,` `barrier` `=` $barrier^)? attr-dict `:`
    qualified(type($dst_row_indices)) `,` qualified(type($src)) (`,` qualified(type($barrier))^)?
    `->` qualified(type($desc))
  }];
  let hasVerifier = 1;
}
def AsyncTDMGatherOp : AMDG_Op<"async_tdm_gather"> {
  let arguments = (ins DescRead:$desc, RankedTensorOf<[I16, I32]>:$src_row_indices, BufferWrite:$dst,
    Arg<Optional<Buffer>, "", [MemWrite<SharedMemory>]>:$barrier);
  let results = (outs TTG_AsyncTokenType:$retToken);
  let assemblyFormat = [{
    $desc `[` $src_row_indices `]` `to` $dst (`,` `barrier` `=` $barrier^)? attr-dict `:`
    qualified(type($src_row_indices)) `,` qualified(type($dst)) (`,` qualified(type($barrier))^)?
    `->` qualified(type($desc))
  }];
  let hasVerifier = 1;
}
def AsyncTDMWait : AMDG_Op<"async_tdm_wait"> {
  let arguments = (ins Variadic<TTG_AsyncTokenType>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncTokenType:$retToken);
  let assemblyFormat = "$asyncToken attr-dict";
}
def AsyncTDMIntrinsicWait : AMDG_Op<"async_tdm_intrinsic_wait"> {
  let arguments = (ins Variadic<TTG_AsyncTokenType>:$asyncToken, I32Attr:$count);
  let results = (outs TTG_AsyncTokenType:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}
def TDMPrefetchOp : AMDG_Op<"tdm_prefetch", [MemoryEffects<[MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>]> {
  let arguments = (ins TT_AnyDesc:$desc, Variadic<I32>:$indices, I1:$pred, BoolAttr:$speculative,
    UnitAttr:$returnOffsets);
  let results = (outs Optional<TT_Tensor>:$maybeOffsets);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $pred `,` `speculative` `=` $speculative (`returnOffsets` $returnOffsets^)? attr-dict
    `:` qualified(type($desc)) (`->` type($maybeOffsets)^)?
  }];
}

#endif
