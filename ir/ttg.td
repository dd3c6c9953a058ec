// Operations of `ttg`. Names, operand order, attributes and syntax are those of upstream Triton.
#ifndef TRI_TTG_TD
#define TRI_TTG_TD

include "ir/ttg_base.td"
include "ir/ttg_enums.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/ViewLikeInterface.td"

class TTG_Op<string mnemonic, list<Trait> traits = []> : TritonOp<TTG_Dialect, mnemonic, traits>;

class TTG_PointeeOf<string of, string arg> : TypesMatchWith<
  arg # " has the type that " # of # " points to", of, arg, "::tri::pointeeOf($_self)">;

//===----------------------------------------------------------------------===//
// Registers and shared memory
//===----------------------------------------------------------------------===//

def ConvertLayoutOp : TTG_Op<"convert_layout", [SameOperandsAndResultShape, SameOperandsAndResultElementType, Pure]> {
  let arguments = (ins TT_Tensor:$src, UnitAttr:$force_warp_shuffle);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def LocalAllocOp : TTG_Op<"local_alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins Optional<TT_Tensor>:$src, OptionalAttr<I32Attr>:$alignment);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}
def LocalDeallocOp : TTG_Op<"local_dealloc"> {
  let arguments = (ins Arg<TTG_MemDescType, "", [MemFree<SharedMemory>]>:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src))";
}
def LocalLoadOp : TTG_Op<"local_load"> {
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<SharedMemory>]>:$src, Optional<TTG_AsyncTokenType>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)";
  let hasVerifier = 1;
}
def LocalStoreOp : TTG_Op<"local_store"> {
  let arguments = (ins TT_Tensor:$src, Arg<TTG_MemDescType, "", [MemWrite<SharedMemory>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))";
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}
def LocalGatherOp : TTG_Op<"local_gather"> {
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<SharedMemory>]>:$src, TT_IntTensor:$indices, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` attr-dict `:` qualified(type($src)) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}
def LocalScatterOp : TTG_Op<"local_scatter"> {
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<SharedMemory>]>:$dst, TT_Tensor:$values,
    TT_IntTensor:$indices, I32Attr:$axis);
  let assemblyFormat = [{
    $dst `[` $indices `]` `,` $values attr-dict `:` qualified(type($dst)) `,` type($indices) `,` type($values)
  }];
  let hasVerifier = 1;
}
def LocalAtomicScatterRMWOp : TTG_Op<"local_atomic_scatter_rmw"> {
  let arguments = (ins TT_RMWOp:$atomic_rmw_op,
    Arg<TTG_MemDescType, "", [MemRead<SharedMemory>, MemWrite<SharedMemory>]>:$dst, TT_IntTensor:$indices,
    TT_Tensor:$values, Optional<RankedTensorOf<[I1]>>:$mask, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $dst `[` $indices `]` `,` $values (`,` $mask^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Views of buffers
//===----------------------------------------------------------------------===//

class TTG_View<string mnemonic, list<Trait> traits = []> : TTG_Op<mnemonic, !listconcat([Pure], traits)> {
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}
def MemDescIndexOp : TTG_View<"memdesc_index"> {
  let arguments = (ins TTG_MemDescType:$src, I32:$index);
  let assemblyFormat = [{
    $src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
}
def MemDescSubsliceOp : TTG_View<"memdesc_subslice"> {
  let arguments = (ins TTG_MemDescType:$src, DenseI32ArrayAttr:$offsets);
  let assemblyFormat = [{
    $src `[` custom<Offsets>($offsets) `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
  let hasFolder = 1;
}
def MemDescTransOp : TTG_View<"memdesc_trans"> {
  let arguments = (ins TTG_MemDescType:$src, DenseI32ArrayAttr:$order);
  let hasFolder = 1;
}
def MemDescReshapeOp : TTG_View<"memdesc_reshape"> { let arguments = (ins TTG_MemDescType:$src); }
def MemDescReinterpretOp : TTG_View<"memdesc_reinterpret"> {
  let arguments = (ins TTG_MemDescType:$src);
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies, synchronisation
//===----------------------------------------------------------------------===//

def AsyncCopyGlobalToLocalOp : TTG_Op<"async_copy_global_to_local", [
  AttrSizedOperandSegments,
  OptionalTypesMatchWith<"mask is i1 in the shape of src", "src", "mask", "::tri::maskOf($_self)">,
  OptionalTypesMatchWith<"other has the type that src points to", "src", "other", "::tri::pointeeOf($_self)">]> {
  let arguments = (ins Arg<TT_PtrTensor, "", [MemRead<GlobalMemory>]>:$src,
    Arg<TTG_MemDescType, "", [MemWrite<SharedMemory>]>:$result, Optional<RankedTensorOf<[I1]>>:$mask,
    Optional<TT_Tensor>:$other, TT_CacheAttr:$cache, TT_EvictAttr:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile, DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncTokenType:$token);
  let assemblyFormat = [{
    $src `,` $result (`mask` $mask^)? (`other` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}
def AsyncCommitGroupOp : TTG_Op<"async_commit_group"> {
  let arguments = (ins Variadic<TTG_AsyncTokenType>:$inputTokens);
  let results = (outs TTG_AsyncTokenType:$asyncToken);
  let assemblyFormat = "(`tokens` $inputTokens^)? attr-dict";
}
def AsyncWaitOp : TTG_Op<"async_wait"> {
  let arguments = (ins Variadic<TTG_AsyncTokenType>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncTokenType:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}
def BarrierOp : TTG_Op<"barrier"> {
  let arguments = (ins TTG_AddrSpace:$addrSpace);
  let assemblyFormat = "custom<AddrSpaces>($addrSpace) attr-dict";
}
// The spelling of older text; it means `ttg.barrier local`.
def LocalBarrierOp : TTG_Op<"local_barrier"> { let assemblyFormat = "attr-dict"; let hasCanonicalizeMethod = 1; }
def GlobalScratchAllocOp : TTG_Op<"global_scratch_alloc", [MemoryEffects<[MemAlloc<GlobalMemory>]>]> {
  let arguments = (ins I32Attr:$nbytes, I32Attr:$alignment);
  let results = (outs TT_Ptr:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

//===----------------------------------------------------------------------===//
// Small ones
//===----------------------------------------------------------------------===//

def Fp4ToFpOp : TTG_Op<"fp4_to_fp", [Pure]> {
  let arguments = (ins RankedTensorOf<[I8]>:$src, I32Attr:$axis);
  let results = (outs TT_FloatTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}
def WarpIdOp : TTG_Op<"warp_id", [Pure]> {
  let arguments = (ins UnitAttr:$omitUniformHint);
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def PredicateStageOp : TTG_Op<"predicate_stage", [Pure, AllTypesMatch<["iv", "ub", "step"]>]> {
  let arguments = (ins AnySignlessIntegerOrIndex:$iv, AnySignlessIntegerOrIndex:$ub, AnySignlessIntegerOrIndex:$step,
    I32Attr:$maxStage, I32Attr:$stage);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $iv `,` $ub `,` $step `maxStage` $maxStage `stage` $stage attr-dict `:` type($iv) `->` type($result)
  }];
}
def MaskOp : TTG_Op<"mask", [SingleBlock, RecursiveMemoryEffects]> {
  let arguments = (ins I1:$pred);
  let results = (outs Variadic<AnyType>:$result);
  let regions = (region SizedRegion<1>:$region);
}
def MaskReturnOp : TTG_Op<"mask.return", [HasParent<"MaskOp">, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def InlineAsmOp : TTG_Op<"inline_asm", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure, Variadic<AnyType>:$args);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$asm_string attr-dict ($args^)? `:` functional-type($args, results)";
}

//===----------------------------------------------------------------------===//
// Warp specialization
//===----------------------------------------------------------------------===//

def WarpSpecializeOp : TTG_Op<"warp_specialize", [
  RecursiveMemoryEffects, RecursivelySpeculatable,
  DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>]> {
  let arguments = (ins Variadic<AnyType>:$explicitCaptures, DenseI32ArrayAttr:$partitionNumWarps,
    OptionalAttr<DenseI32ArrayAttr>:$warpGroupStartIds, OptionalAttr<DenseI32ArrayAttr>:$requestedRegisters,
    OptionalAttr<DenseI32ArrayAttr>:$actualRegisters);
  let results = (outs Variadic<AnyType>:$defaultPassthrough);
  let regions = (region MinSizedRegion<1>:$defaultRegion, SizedRegion<1>:$partitionOpHolder);
  let extraClassDeclaration = [{
    ::mlir::RegionRange getPartitionRegions();
  }];
  let hasCanonicalizeMethod = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def WarpSpecializePartitionsOp : TTG_Op<"warp_specialize.partitions", [
  IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable, Terminator, HasParent<"WarpSpecializeOp">]> {
  // Empty but in the generic form of Triton 3.7 and newer, whose captures are given to the holder once parsed.
  let arguments = (ins Variadic<AnyType>:$explicitCaptures);
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$partitionRegions);
}
def WarpYieldOp : TTG_Op<"warp_yield", [Pure, Terminator, ReturnLike, HasParent<"WarpSpecializeOp">]> {
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
  let hasVerifier = 1;
}
def WarpReturnOp : TTG_Op<"warp_return", [Pure, Terminator, ReturnLike, HasParent<"WarpSpecializePartitionsOp">]> {
  let assemblyFormat = "attr-dict";
}

#endif
