/* Long basic blocks in pieces, in front of the selection of instructions (ir/codegen.cpp). */
#ifndef TRI_IR_BLOCKS_H
#define TRI_IR_BLOCKS_H

#include "llvm/Pass.h"

llvm::FunctionPass *tri_create_split_blocks();

#endif
