/* Pieces of syntax that the generated parsers and printers call. */
#ifndef TRI_IR_OP_SYNTAX_H
#define TRI_IR_OP_SYNTAX_H

#include "ir/dialects.h"

namespace tri::ttg {

/* `0, 16` */
inline mlir::ParseResult parseOffsets(mlir::OpAsmParser &parser, mlir::DenseI32ArrayAttr &offsets)
{
    llvm::SmallVector<int32_t> values;
    auto one = [&]() -> mlir::ParseResult { return parser.parseInteger(values.emplace_back()); };
    if (parser.parseCommaSeparatedList(one))
        return mlir::failure();
    offsets = parser.getBuilder().getDenseI32ArrayAttr(values);
    return mlir::success();
}
inline void printOffsets(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::DenseI32ArrayAttr offsets)
{
    llvm::interleaveComma(offsets.asArrayRef(), printer);
}

} // namespace tri::ttg

#endif
