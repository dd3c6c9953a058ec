// Operations of `ttig`. Names, operand order, attributes and syntax are those of Intel's Triton, which has no operation
// for stores.
#ifndef TRI_TTIG_TD
#define TRI_TTIG_TD

include "ir/ttig_base.td"
include "ir/tt_enums.td"

class TTIG_Op<string mnemonic, list<Trait> traits = []> : TritonOp<TTIG_Dialect, mnemonic, traits>;

defvar SurfaceRead = Arg<TT_Ptr, "", [MemRead<GlobalMemory>]>;
defvar SurfaceWrite = Arg<TT_Ptr, "", [MemWrite<GlobalMemory>]>;

//===----------------------------------------------------------------------===//
// Blocks of a matrix in memory: its first element, bytes of a row, rows, bytes from one row to the next; then the
// block's first element along a row, and its first row. What lies outside of the matrix reads as zero, and is not
// written. Blocks that are column_major have a column of theirs for each row of the matrix.
//===----------------------------------------------------------------------===//

def BlockLoadOp : TTIG_Op<"2d_block_load"> {
  let arguments = (ins SurfaceRead:$base_ptr, I32:$base_width, I32:$base_height, I32:$base_pitch, I32:$offset_x,
    I32:$offset_y, OptionalAttr<UnitAttr>:$pad_nan, TTIG_BlockIOMode:$memory_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $base_ptr `,` $base_width `,` $base_height `,` $base_pitch `[` $offset_x `,` $offset_y `]`
    `{` $memory_layout (`,` `pad_nan` $pad_nan^)? `}` attr-dict `:` type($base_ptr) `->` type($result)
  }];
  let hasVerifier = 1;
}
def BlockStoreOp : TTIG_Op<"2d_block_store"> {
  let arguments = (ins SurfaceWrite:$base_ptr, I32:$base_width, I32:$base_height, I32:$base_pitch, I32:$offset_x,
    I32:$offset_y, TT_Tensor:$value);
  let assemblyFormat = [{
    $base_ptr `,` $base_width `,` $base_height `,` $base_pitch `[` $offset_x `,` $offset_y `]` `,` $value
    attr-dict `:` type($base_ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

// The same of a tensor of pointers whose rows are base_pitch bytes apart: width in bytes and height of what is there at
// each of its messages.
def BlockLoadFromPtrOp : TTIG_Op<"2d_block_load_from_ptr", [AttrSizedOperandSegments]> {
  let arguments = (ins Arg<TT_PtrLike, "", [MemRead<GlobalMemory>]>:$ptr, I32:$base_pitch, Optional<TT_I1Like>:$mask,
    Optional<TT_Type>:$other, I32Attr:$base_width, I32Attr:$base_height, TTIG_BlockIOMode:$memory_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $ptr `,` $base_pitch (`,` $mask^ `,` $other)? ` ` `{` $memory_layout `}` attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Loads ahead into the cache, for loops
//===----------------------------------------------------------------------===//

def IntelL2Cache : Resource<"::tri::L2Cache">;

def PrefetchOp : TTIG_Op<"prefetch", [
  MemoryEffects<[MemWrite<IntelL2Cache>]>,
  OptionalTypesMatchWith<"mask is i1 in the shape of ptr", "ptr", "mask", "::tri::maskOf($_self)">]> {
  let arguments = (ins Arg<TT_PtrLike, "", [MemRead]>:$ptr, Optional<TT_I1Like>:$mask, TT_CacheModifier:$cache,
    TT_EvictionPolicy:$evict, BoolAttr:$isVolatile);
  let assemblyFormat = "$ptr (`,` $mask^)? attr-dict `:` type($ptr)";
}
def DescriptorPrefetchOp : TTIG_Op<"descriptor_prefetch", [MemoryEffects<[MemWrite<IntelL2Cache>]>]> {
  let arguments = (ins Arg<TT_TensorDescType, "", [MemRead]>:$desc, Variadic<I32>:$indices, TT_CacheAttr:$cache,
    TT_EvictAttr:$evict);
  let assemblyFormat = [{
    $desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:`
    qualified(type($desc))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

def AllocOp : TTIG_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let results = (outs TT_Ptr:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
// tt.broadcast whose operand may have another layout.
def BroadcastOp : TTIG_Op<"broadcast", [Pure, SameOperandsAndResultElementType]> {
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}
// Lanes exchange a square of elements through local memory.
def SubGroupTransposeOp : TTIG_Op<"sub_group_transpose", [
  AllTypesMatch<["src", "res"]>,
  TypesMatchWith<"local_buffer points to elements of src in local memory", "src", "local_buffer",
                 "::tri::ttig::localPointerTo($_self)">]> {
  let arguments = (ins TT_Ptr:$local_buffer, TT_Tensor:$src);
  let results = (outs TT_Tensor:$res);
  let assemblyFormat = "operands attr-dict `:` type($src)";
  let hasVerifier = 1;
}
// A field of a descriptor: lengths (i64), strides (i64), the base.
def ExtractDescOp : TTIG_Op<"extract_desc", [Pure]> {
  let arguments = (ins TT_TensorDescType:$desc, I32Attr:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$desc `[` $index `]` attr-dict `:` type($desc) `->` type($result)";
  let hasVerifier = 1;
}
def DescriptorGatherOp : TTIG_Op<"descriptor_gather", [MemoryEffects<[MemRead<GlobalMemory>]>]> {
  let arguments = (ins TT_TensorDescType:$desc, RankedTensorOf<[I16, I32]>:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def DescriptorScatterOp : TTIG_Op<"descriptor_scatter", [
  MemoryEffects<[MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>]> {
  let arguments = (ins TT_TensorDescType:$desc, RankedTensorOf<[I16, I32]>:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

#endif
