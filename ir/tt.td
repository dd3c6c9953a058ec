// Operations of `tt`. Names, operand order, attributes and syntax are those of upstream Triton.
#ifndef TRI_TT_TD
#define TRI_TT_TD

include "ir/tt_base.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/CastInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class TT_Op<string mnemonic, list<Trait> traits = []> : TritonOp<TT_Dialect, mnemonic, traits>;

defvar ElementwiseTraits = [Elementwise, Pure, SameShapeAndLayout];
class TT_Elementwise<string mnemonic, list<Trait> traits = []>
  : TT_Op<mnemonic, !listconcat(ElementwiseTraits, traits)>;

// Result types follow from the operands; layouts may be spelled differently.
def LayoutsMayDiffer : NativeOpTrait<"LayoutsMayDiffer", [], [{
  static bool isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r) {
    return ::tri::compatibleTypes(l, r);
  }
}]> {
  let cppNamespace = "::tri";
}
def AnyLayout : NativeOpTrait<"AnyLayout", [], [{
  static bool isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r) {
    return ::tri::compatibleShapes(l, r);
  }
}]> {
  let cppNamespace = "::tri";
}
def TT_InferTypes : TraitList<[DeclareOpInterfaceMethods<InferTypeOpInterface>, LayoutsMayDiffer]>;

// `types` of the operand named `of`, as the type of the operand `arg`.
class PointeeOf<string of, string arg> : TypesMatchWith<
  arg # " has the type that " # of # " points to", of, arg, "::tri::pointeeOf($_self)">;
class OptionalPointeeOf<string of, string arg> : OptionalTypesMatchWith<
  arg # " has the type that " # of # " points to", of, arg, "::tri::pointeeOf($_self)">;
class OptionalMaskOf<string of, string arg> : OptionalTypesMatchWith<
  arg # " is i1 in the shape of " # of, of, arg, "::tri::maskOf($_self)">;
class SameTypeAs<string of, string arg> : TypesMatchWith<
  arg # " has the type of " # of, of, arg, "$_self">;

//===----------------------------------------------------------------------===//
// Casts, arithmetic, pointers
//===----------------------------------------------------------------------===//

class TT_Cast<string mnemonic, list<Trait> traits = []> : TT_Elementwise<mnemonic, traits> {
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def IntToPtrOp : TT_Cast<"int_to_ptr"> {
  let arguments = (ins TT_I64Like:$src);
  let results = (outs TT_PtrLike:$result);
  let hasCanonicalizeMethod = 1;
  let hasFolder = 1;
}
def PtrToIntOp : TT_Cast<"ptr_to_int"> {
  let arguments = (ins TT_PtrLike:$src);
  let results = (outs TT_I64Like:$result);
  let hasFolder = 1;
}
def BitcastOp : TT_Cast<"bitcast"> {
  let arguments = (ins TT_Type:$src);
  let results = (outs TT_Type:$result);
  let hasFolder = 1;
  let hasVerifier = 1;
}
def FpToFpOp : TT_Elementwise<"fp_to_fp"> {
  let arguments = (ins TT_FloatLike:$src, OptionalAttr<TT_RoundingMode>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}
def ClampFOp : TT_Elementwise<"clampf", [SameOperandsAndResultType]> {
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max, TT_PropagateNan:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)";
}
def PreciseSqrtOp : TT_Elementwise<"precise_sqrt", [SameOperandsAndResultType]> {
  let arguments = (ins TT_FloatLike:$x);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}
def PreciseDivFOp : TT_Elementwise<"precise_divf", [SameOperandsAndResultType]> {
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}
// What Triton 3.9's ttgir has for divisions that may be off by two units in the last place.
def ApproxDivFOp : TT_Elementwise<"approx_divf", [SameOperandsAndResultType]> {
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}
def MulhiUIOp : TT_Elementwise<"mulhiui", [SameOperandsAndResultType]> {
  let arguments = (ins TT_IntLike:$x, TT_IntLike:$y);
  let results = (outs TT_IntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}
def AddPtrOp : TT_Elementwise<"addptr", [SameTypeAs<"result", "ptr">]> {
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def TT_PtrOrBlockPtr : AnyTypeOf<[TT_PtrLike, TT_BlockPtr]>;
// Dimensions of a block pointer in which an access may leave the tensor.
def TT_BoundaryCheck : DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">;

def MakeTensorPtrOp : TT_Op<"make_tensor_ptr", [Pure, SameVariadicOperandSize,
  TypesMatchWith<"base points to an element of the block", "result", "base", "::tri::elementPtrOf($_self)">]> {
  let arguments = (ins TT_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides, Variadic<I32>:$offsets,
    DenseI32ArrayAttr:$order);
  let results = (outs TT_BlockPtr:$result);
  let assemblyFormat =
    "$base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def AdvanceOp : TT_Op<"advance", [Pure, SameTypeAs<"ptr", "result">]> {
  let arguments = (ins TT_BlockPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_BlockPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($ptr)";
  let hasVerifier = 1;
}
def LoadOp : TT_Op<"load", [
  SameShapeAndLayout, AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
  PointeeOf<"ptr", "result">, OptionalMaskOf<"ptr", "mask">, OptionalPointeeOf<"ptr", "other">]> {
  let arguments = (ins TT_PtrOrBlockPtr:$ptr, Optional<TT_I1Like>:$mask, Optional<TT_Type>:$other,
    TT_BoundaryCheck:$boundaryCheck, OptionalAttr<TT_PaddingOption>:$padding, TT_CacheAttr:$cache,
    TT_EvictAttr:$evict, DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}
def StoreOp : TT_Op<"store", [
  SameShapeAndLayout, MemoryEffects<[MemWrite<GlobalMemory>]>,
  PointeeOf<"ptr", "value">, OptionalMaskOf<"ptr", "mask">]> {
  let arguments = (ins TT_PtrOrBlockPtr:$ptr, TT_Type:$value, Optional<TT_I1Like>:$mask,
    TT_BoundaryCheck:$boundaryCheck, TT_CacheAttr:$cache, TT_EvictAttr:$evict, UnitAttr:$ignore_cta);
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

defvar GlobalReadWrite = MemoryEffects<[MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>;

def AtomicRMWOp : TT_Op<"atomic_rmw", [
  SameShapeAndLayout, GlobalReadWrite, PointeeOf<"ptr", "result">, PointeeOf<"ptr", "val">,
  OptionalMaskOf<"ptr", "mask">]> {
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, TT_PtrLike:$ptr, TT_Type:$val, Optional<TT_I1Like>:$mask,
    TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
}
def AtomicCASOp : TT_Op<"atomic_cas", [
  SameShapeAndLayout, GlobalReadWrite, PointeeOf<"ptr", "result">, PointeeOf<"ptr", "cmp">, PointeeOf<"ptr", "val">]> {
  let arguments = (ins TT_PtrLike:$ptr, TT_Type:$cmp, TT_Type:$val, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "$sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)";
}
def AtomicLoadOp : TT_Op<"atomic_load", [
  SameShapeAndLayout, GlobalReadWrite, PointeeOf<"ptr", "result">, OptionalMaskOf<"ptr", "mask">]> {
  let arguments = (ins TT_PtrLike:$ptr, Optional<TT_I1Like>:$mask, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "$sem `,` $scope `,` $ptr (`,` $mask^)? attr-dict `:` functional-type(operands, $result)";
}
def AtomicStoreOp : TT_Op<"atomic_store", [
  SameShapeAndLayout, GlobalReadWrite, PointeeOf<"ptr", "val">, OptionalMaskOf<"ptr", "mask">]> {
  let arguments = (ins TT_PtrLike:$ptr, TT_Type:$val, Optional<TT_I1Like>:$mask, TT_MemSemantic:$sem,
    TT_MemSyncScope:$scope);
  let assemblyFormat = "$sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:` type($ptr)";
}
def AtomicPollOp : TT_Op<"atomic_poll", [GlobalReadWrite, PointeeOf<"ptr", "expected">]> {
  let arguments = (ins TT_Ptr:$ptr, TT_Int:$expected, Optional<I64>:$timeout, TT_MemSemantic:$sem,
    TT_MemSyncScope:$scope);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $expected (`timeout` $timeout^)? attr-dict `:` qualified(type($ptr)) `,`
    type($expected) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [Pure, SameVariadicOperandSize]> {
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
    DefaultValuedAttr<TT_PaddingOption, "::tri::tt::PaddingOption::ZERO">:$padding);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)";
  let hasVerifier = 1;
}
def DescriptorLoadOp : TT_Op<"descriptor_load", [MemoryEffects<[MemRead<GlobalMemory>]>]> {
  let arguments = (ins TT_AnyDesc:$desc, Variadic<I32>:$indices, TT_CacheAttr:$cache, TT_EvictAttr:$evict);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:`
    qualified(type($desc)) `->` type($result)
  }];
  let hasVerifier = 1;
}
def DescriptorStoreOp : TT_Op<"descriptor_store", [GlobalReadWrite]> {
  let arguments = (ins TT_AnyDesc:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasVerifier = 1;
}
def DescriptorReduceOp : TT_Op<"descriptor_reduce", [GlobalReadWrite]> {
  let arguments = (ins TT_DescriptorReduceKind:$kind, TT_AnyDesc:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}
def DescriptorGatherOp : TT_Op<"descriptor_gather", [MemoryEffects<[MemRead<GlobalMemory>]>]> {
  let arguments = (ins TT_AnyDesc:$desc, RankedTensorOf<[I16, I32]>:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def DescriptorScatterOp : TT_Op<"descriptor_scatter", [GlobalReadWrite]> {
  let arguments = (ins TT_AnyDesc:$desc, RankedTensorOf<[I16, I32]>:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

def GridDependencyWaitOp : TT_Op<"grid_dependency_wait", [GlobalReadWrite]> { let assemblyFormat = "attr-dict"; }
def GridDependencyLaunchOp : TT_Op<"grid_dependency_launch_dependents", [MemoryEffects<[MemWrite<GlobalMemory>]>]> {
  let assemblyFormat = "attr-dict";
}
def PrintOp : TT_Op<"print", [MemoryEffects<[MemWrite<GlobalMemory>]>]> {
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<TT_Type>:$args, DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
  let hasVerifier = 1;
}
def AssertOp : TT_Op<"assert", [MemoryEffects<[MemWrite<GlobalMemory>]>]> {
  let arguments = (ins TT_I1Like:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

//===----------------------------------------------------------------------===//
// Creation and shape
//===----------------------------------------------------------------------===//

def SplatOp : TT_Op<"splat", [Pure]> {
  let arguments = (ins TT_Type:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}
def UnsplatOp : TT_Op<"unsplat", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasVerifier = 1;
}
def ExpandDimsOp : TT_Op<"expand_dims", [
  Pure, TT_InferTypes]> {
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}
def ReshapeOp : TT_Op<"reshape", [Pure]> {
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict `:` type($src) `->`
    type($result)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}
def BroadcastOp : TT_Op<"broadcast", [Pure]> {
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}
def CatOp : TT_Op<"cat", [NoMemoryEffect, SameTypeOperands]> {
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}
// The layout of the result of a join, or of the operand of a split, may be any that keeps both
// elements of the last dimension in one thread: their verifiers check it.
def JoinOp : TT_Op<"join", [
  Pure, SameTypeOperands, DeclareOpInterfaceMethods<InferTypeOpInterface>, AnyLayout]> {
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}
def SplitOp : TT_Op<"split", [
  Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>, AnyLayout,
  SameTypeAs<"outLHS", "outRHS">]> {
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasVerifier = 1;
}
def TransOp : TT_Op<"trans", [
  Pure, TT_InferTypes]> {
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}
def MakeRangeOp : TT_Op<"make_range", [Pure]> {
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}
def GatherOp : TT_Op<"gather", [Pure, TT_InferTypes]> {
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, I32Attr:$axis, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def HistogramOp : TT_Op<"histogram", [Pure, OptionalMaskOf<"src", "mask">]> {
  let arguments = (ins TT_IntTensor:$src, Optional<RankedTensorOf<[I1]>>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)";
}

//===----------------------------------------------------------------------===//
// Program ids, matrix products
//===----------------------------------------------------------------------===//

class TT_ProgramQuery<string mnemonic> : TT_Op<mnemonic, [Pure]> {
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}
def GetProgramIdOp : TT_ProgramQuery<"get_program_id">;
def GetNumProgramsOp : TT_ProgramQuery<"get_num_programs">;

def DotOp : TT_Op<"dot", [Pure, SameTypeAs<"d", "c">]> {
  let arguments = (ins TT_FpIntTensor:$a, TT_FpIntTensor:$b, TT_FpIntTensor:$c,
    DefaultValuedAttr<TT_InputPrecision, "::tri::tt::InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TT_FpIntTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:` type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}
def DotScaledOp : TT_Op<"dot_scaled", [Pure, AttrSizedOperandSegments, SameTypeAs<"d", "c">]> {
  let arguments = (ins RankedTensorOf<[TT_Float, I8]>:$a, RankedTensorOf<[TT_Float, I8]>:$b, TT_FloatTensor:$c,
    Optional<RankedTensorOf<[I8, F8E4M3FN]>>:$a_scale, Optional<RankedTensorOf<[I8, F8E4M3FN]>>:$b_scale,
    TT_ScaleDotElemType:$a_elem_type, TT_ScaleDotElemType:$b_elem_type, BoolAttr:$fastMath,
    DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack, DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_FloatTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type
    attr-dict `:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

def ReduceOp : TT_Op<"reduce", [
  Pure, SameOperandsShape, SameLayoutOfOperands, SingleBlock,
  TT_InferTypes]> {
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<TT_Type>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}
def ReduceReturnOp : TT_Op<"reduce.return", [HasParent<"ReduceOp">, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}
def ScanOp : TT_Op<"scan", [
  Pure, SameOperandsShape, SameShapeAndLayout, SingleBlock, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}
def ScanReturnOp : TT_Op<"scan.return", [HasParent<"ScanOp">, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}
def MapElementwiseOp : TT_Op<"map_elementwise", [SameShapeAndLayout, RecursiveMemoryEffects]> {
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region AnyRegion:$scalarOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}
def MapElementwiseReturnOp : TT_Op<"map_elementwise.return", [
  HasParent<"MapElementwiseOp">, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

def ExternElementwiseOp : TT_Op<"extern_elementwise", [
  Elementwise, SameShapeAndLayout, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
  ConditionallySpeculatable]> {
  let arguments = (ins Variadic<TT_Type>:$srcs, StrAttr:$libname, StrAttr:$libpath, StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs TT_Type:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = "::mlir::Speculation::Speculatability getSpeculatability();";
}
def ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm", [
  Elementwise, SameShapeAndLayout, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
  ConditionallySpeculatable]> {
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure, I32Attr:$packed_element,
    Variadic<TT_Type>:$args);
  let results = (outs Variadic<TT_Type>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)";
  let extraClassDeclaration = "::mlir::Speculation::Speculatability getSpeculatability();";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

def FuncOp : TT_Op<"func", [AffineScope, AutomaticAllocationScope, FunctionOpInterface, IsolatedFromAbove,
                            HasParent<"::mlir::ModuleOp">]> {
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    bool isDeclaration() { return isExternal(); }
  }];
  let hasCustomAssemblyFormat = 1;
}
def CallOp : TT_Op<"call", [CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)";
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getOperandsMutable(); }
    ::mlir::CallInterfaceCallable getCallableForCallee() {
      return (*this)->getAttrOfType<::mlir::SymbolRefAttr>("callee");
    }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      (*this)->setAttr("callee", ::llvm::cast<::mlir::SymbolRefAttr>(callee));
    }
  }];
}
def ReturnOp : TT_Op<"return", [HasParent<"FuncOp">, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$srcs);
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
  let hasVerifier = 1;
}

#endif
