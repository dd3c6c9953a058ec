/* LLVM's options are registered when something asks for them. */
#ifndef TRI_IR_LATE_OPTIONS_H
#define TRI_IR_LATE_OPTIONS_H

#include "llvm/Support/CommandLine.h"

namespace tri {
/* An option of the libraries by its name, without registering all; null: there is none. */
llvm::cl::Option *findOption(llvm::StringRef name);
} // namespace tri

#endif
