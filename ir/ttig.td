// Operations of `ttig`. Names, operand order, attributes and syntax are those of Intel's Triton, which has no operation
// for stores.
#ifndef TRI_TTIG_TD
#define TRI_TTIG_TD

include "ir/ttig_base.td"

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

#endif
