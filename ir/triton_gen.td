// Operations of `triton_gen`. Names, operand order, attributes and syntax are those of Intel's Triton.
#ifndef TRI_TRITON_GEN_TD
#define TRI_TRITON_GEN_TD

include "ir/triton_gen_base.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class GEN_Op<string mnemonic, list<Trait> traits = []> : Op<GEN_Dialect, mnemonic, traits> {
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$operands,
      CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attrs), [{
    $_state.addTypes(types);
    $_state.addOperands(operands);
    $_state.addAttributes(attrs);
  }]>];
}

defvar MatrixElement = AnyTypeOf<[AnyI8, AnyI16, AnyI32, F32, F16, BF16]>;
defvar BlockElement = AnyTypeOf<[AnyI8, AnyI16, AnyI32, AnyI64, F32, F16, BF16]>;
defvar Matrix = FixedVectorOfRankAndType<[1], [MatrixElement]>;
defvar Scale = AnyTypeOf<[AnyI8, FixedVectorOfRankAndType<[1], [AnyI8]>]>;
def GEN_Ptr : Type<CPred<"::tri::gen::isPointer($_self)">, "pointer of the llvm dialect">;
def GEN_LocalPtr : Type<CPred<"::tri::gen::isPointer($_self, 3)">, "pointer to local memory">;
def GEN_BlockPtr : Type<
  CPred<"::tri::gen::isPointer($_self, 1) || ::tri::gen::isPointer($_self, 3)">, "pointer to global or local memory">;
defvar Word = AnyTypeOf<[I8, I16, I32, I64]>;
defvar Words = AnyTypeOf<[Word, FixedVectorOfLengthAndType<[2, 4, 8], [Word]>, FixedVectorOfLengthAndType<[16], [I8]>]>;

def GenL2Cache : Resource<"::tri::L2Cache">;
defvar PtrRead = Arg<GEN_Ptr, "", [MemRead]>;
defvar PtrWrite = Arg<GEN_Ptr, "", [MemWrite]>;
defvar LoadCache = DefaultValuedAttr<GEN_LoadCache, "::tri::gen::LoadCacheControl::DEFAULT">;
defvar StoreCache = DefaultValuedAttr<GEN_StoreCache, "::tri::gen::StoreCacheControl::DEFAULT">;

//===----------------------------------------------------------------------===//
// Waiting for each other
//===----------------------------------------------------------------------===//

def BarrierOp : GEN_Op<"barrier"> {
  let arguments = (ins GEN_MemFence:$mem_fence);
  let assemblyFormat = "` ` `{` `mem_fence` `=` $mem_fence `}` attr-dict";
}
def SplitBarrierArriveOp : GEN_Op<"split_barrier_arrive"> {
  let results = (outs GEN_LocalPtr:$bData);
  // The one type that it can have.
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &state) {
      state.addTypes(::tri::gen::localPointer(parser.getContext()));
      return parser.parseOptionalAttrDict(state.attributes);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { printer.printOptionalAttrDict((*this)->getAttrs()); }
  }];
  let hasCustomAssemblyFormat = 1;
}
def SplitBarrierWaitOp : GEN_Op<"split_barrier_wait"> {
  let arguments = (ins GEN_LocalPtr:$bData);
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &state) {
      ::mlir::OpAsmParser::UnresolvedOperand barrier;
      if (parser.parseOperand(barrier) || parser.parseOptionalAttrDict(state.attributes))
        return ::mlir::failure();
      return parser.resolveOperand(barrier, ::tri::gen::localPointer(parser.getContext()), state.operands);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      printer << ' ' << getBData();
      printer.printOptionalAttrDict((*this)->getAttrs());
    }
  }];
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Matrix instructions: D = C + A * B of rc rows
//===----------------------------------------------------------------------===//

defvar MatrixFormat = [{
  operands ` ` `{` `pa` `=` $pa `,` `pb` `=` $pb `,` `rc` `=` $rc `}` attr-dict `:` functional-type(operands, results)
}];

def DpasOp : GEN_Op<"dpas"> {
  let arguments = (ins Matrix:$c, Matrix:$a, Matrix:$b, GEN_PrecisionType:$pa, GEN_PrecisionType:$pb, I32Attr:$rc);
  let results = (outs Matrix:$d);
  let assemblyFormat = MatrixFormat;
  let hasVerifier = 1;
}
// A scale for 32 elements along K.
def ScaledDpasOp : GEN_Op<"bdpas", [AttrSizedOperandSegments]> {
  let arguments = (ins FixedVectorOfRankAndType<[1], [F32, BF16]>:$c, FixedVectorOfRankAndType<[1], [AnyI16]>:$a,
    FixedVectorOfRankAndType<[1], [AnyI32]>:$b, Optional<Scale>:$scaleA, Optional<Scale>:$scaleB,
    GEN_PrecisionType:$pa, GEN_PrecisionType:$pb, I32Attr:$rc);
  let results = (outs FixedVectorOfRankAndType<[1], [F32, BF16]>:$d);
  let assemblyFormat = MatrixFormat;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Blocks of a matrix in memory: x in elements, width and pitch in bytes
//===----------------------------------------------------------------------===//

defvar Surface = (ins I32:$base_width, I32:$base_height, I32:$base_pitch, I32:$x, I32:$y,
  I32Attr:$elem_size_in_bits, I32Attr:$tile_width, I32Attr:$tile_height, I32Attr:$v_blocks);
defvar BlockFormat = [{
  operands ` ` `{` `elem_size_in_bits` `=` $elem_size_in_bits `,` `tile_width` `=` $tile_width `,` `tile_height` `=`
  $tile_height `,` `v_blocks` `=` $v_blocks `,` `cache_control` `=` $cache_control `}` attr-dict `:` `(` type(operands)
  `)`
}];

def BlockLoadOp : GEN_Op<"2Dblockload"> {
  let arguments = !con((ins PtrRead:$ptr), Surface,
    (ins I1Attr:$transpose, I1Attr:$vnni_transform, LoadCache:$cache_control));
  let results = (outs FixedVectorOfNonZeroRankOf<[BlockElement]>:$res);
  let assemblyFormat = [{
    operands ` ` `{` `elem_size_in_bits` `=` $elem_size_in_bits `,` `tile_width` `=` $tile_width `,` `tile_height` `=`
    $tile_height `,` `v_blocks` `=` $v_blocks `,` `transpose` `=` $transpose `,` `vnni_transform` `=` $vnni_transform
    `,` `cache_control` `=` $cache_control `}` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def BlockStoreOp : GEN_Op<"2Dblockstore"> {
  let arguments = !con((ins PtrWrite:$ptr), Surface,
    (ins FixedVectorOfNonZeroRankOf<[BlockElement]>:$stored_val, StoreCache:$cache_control));
  let assemblyFormat = BlockFormat;
  let hasVerifier = 1;
}
def BlockPrefetchOp : GEN_Op<"2Dblockprefetch", [MemoryEffects<[MemWrite<GenL2Cache>]>]> {
  let arguments = !con((ins PtrRead:$ptr), Surface, (ins LoadCache:$cache_control));
  let assemblyFormat = BlockFormat;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory and values of a sub-group
//===----------------------------------------------------------------------===//

// Word i of a lane is number lane + i * lanes of a sub-group.
def GroupReadOp : GEN_Op<"sub_group_block_read"> {
  let arguments = (ins Arg<GEN_BlockPtr, "", [MemRead]>:$ptr);
  let results = (outs Words:$res);
  let assemblyFormat = "$ptr attr-dict `:` qualified(type($ptr)) `->` type($res)";
}
def GroupWriteOp : GEN_Op<"sub_group_block_write"> {
  let arguments = (ins Arg<GEN_BlockPtr, "", [MemWrite]>:$ptr, Words:$val);
  let assemblyFormat = "$ptr `,` $val attr-dict `:` qualified(type($ptr)) `,` type($val)";
}
defvar CacheFormat =
  "operands ` ` `{` `cache_control` `=` $cache_control `}` attr-dict `:` functional-type(operands, results)";
def PredicatedLoadOp : GEN_Op<"predicated_load"> {
  let arguments = (ins PtrRead:$ptr, I1:$predicate, AnyType:$default_value, LoadCache:$cache_control);
  let results = (outs AnyType:$res);
  let assemblyFormat = CacheFormat;
}
def PredicatedStoreOp : GEN_Op<"predicated_store"> {
  let arguments = (ins PtrWrite:$ptr, AnyType:$value, I1:$predicate, StoreCache:$cache_control);
  let assemblyFormat = CacheFormat;
}
// 32 addresses that all lanes know; what is there is spread over the lanes.
def GatherLoadOp : GEN_Op<"sub_group_gather_load", [MemoryEffects<[MemRead]>]> {
  let arguments = (ins FixedVectorOfLengthAndType<[32], [I64]>:$addrs, FixedVectorOfLengthAndType<[32], [I1]>:$preds);
  let results = (outs FixedVectorOfNonZeroRankOf<[AnyInteger, AnyFloat]>:$res);
  let assemblyFormat = "$addrs `,` $preds attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def BitcastShuffleOp : GEN_Op<"sub_group_bitcast_shuffle"> {
  let arguments = (ins FixedVectorOfNonZeroRankOf<[AnyInteger]>:$value);
  let results = (outs FixedVectorOfNonZeroRankOf<[AnyInteger]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}
def RoundToTf32Op : GEN_Op<"f_to_tf32", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyTypeOf<[F32, FixedVectorOfNonZeroRankOf<[F32]>]>:$val);
  let results = (outs AnyTypeOf<[F32, FixedVectorOfNonZeroRankOf<[F32]>]>:$res);
  let assemblyFormat = "$val attr-dict `:` type($val)";
}

#endif
