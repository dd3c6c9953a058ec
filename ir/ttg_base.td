// The `ttg` dialect: layouts, and memory that a group of threads shares.
#ifndef TRI_TTG_BASE_TD
#define TRI_TTG_BASE_TD

include "ir/tt_base.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::tri::ttg";
  let summary = "layouts, shared memory, asynchronous copies";
  let dependentDialects = ["::tri::tt::TTDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

// Every layout stores its fields as a row of words (layout/encoding_words.h) and, for the kinds that
// have one, the parent. Syntax, checks and all arithmetic work on the plain C form tri_encoding.
class LayoutAttr<Dialect dialect, string name, string asm, string kindName, list<Trait> traits = []>
  : AttrDef<dialect, name, traits> {
  let mnemonic = asm;
  let parameters = (ins ArrayRefParameter<"int32_t">:$words, OptionalParameter<"::mlir::Attribute">:$parent);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  string kind = kindName;
  let extraClassDeclaration = "static constexpr tri_encoding_kind kind = " # kindName # ";";
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser &parser, ::mlir::Type) {
      return ::tri::parseLayout<$cppClass>(parser);
    }
    void $cppClass::print(::mlir::AsmPrinter &printer) const { ::tri::printLayout(*this, printer); }
    ::llvm::LogicalResult $cppClass::verify(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::llvm::ArrayRef<int32_t> words, ::mlir::Attribute parent) {
      return ::tri::verifyLayout(emitError, words, parent);
    }
  }];
}
class TTG_Layout<string name, string asm, string kind> : LayoutAttr<TTG_Dialect, name, asm, kind>;

def TTG_Blocked : TTG_Layout<"BlockedEncoding", "blocked", "TRI_ENC_BLOCKED">;
def TTG_Linear : TTG_Layout<"LinearEncoding", "linear", "TRI_ENC_LINEAR">;
def TTG_GenericLinear : TTG_Layout<"GenericLinearEncoding", "generic_linear", "TRI_ENC_GENERIC_LINEAR">;
def TTG_Slice : TTG_Layout<"SliceEncoding", "slice", "TRI_ENC_SLICE">;
def TTG_DotOperand : TTG_Layout<"DotOperandEncoding", "dot_op", "TRI_ENC_DOT_OP">;
def TTG_NvidiaMma : TTG_Layout<"NvidiaMmaEncoding", "nvidia_mma", "TRI_ENC_NVIDIA_MMA">;
def TTG_AmdMfma : TTG_Layout<"AmdMfmaEncoding", "amd_mfma", "TRI_ENC_AMD_MFMA">;
def TTG_AmdWmma : TTG_Layout<"AmdWmmaEncoding", "amd_wmma", "TRI_ENC_AMD_WMMA">;
def TTG_SwizzledShared : TTG_Layout<"SwizzledSharedEncoding", "swizzled_shared", "TRI_ENC_SWIZZLED_SHARED">;
def TTG_NvmmaShared : TTG_Layout<"NvmmaSharedEncoding", "nvmma_shared", "TRI_ENC_NVMMA_SHARED">;
def TTG_PaddedShared : TTG_Layout<"PaddedSharedEncoding", "padded_shared", "TRI_ENC_PADDED_SHARED">;
def TTG_SharedLinear : TTG_Layout<"SharedLinearEncoding", "shared_linear", "TRI_ENC_SHARED_LINEAR">;
def TTG_PartitionedShared
  : TTG_Layout<"PartitionedSharedEncoding", "partitioned_shared", "TRI_ENC_PARTITIONED_SHARED">;
def TTG_AmdRotatingShared
  : TTG_Layout<"AmdRotatingSharedEncoding", "amd_rotating_shared", "TRI_ENC_AMD_ROTATING_SHARED">;

def TTG_SharedMemorySpace : AttrDef<TTG_Dialect, "SharedMemorySpace"> {
  let mnemonic = "shared_memory";
  let summary = "memory space of buffers that the threads of a block share";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def TTG_MemDescType : TypeDef<TTG_Dialect, "MemDesc"> {
  let mnemonic = "memdesc";
  let summary = "a buffer, or a view of one";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
    "::mlir::Attribute":$encoding, "::mlir::Attribute":$memorySpace, "bool":$isMutable,
    ArrayRefParameter<"int64_t">:$allocShape);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    int64_t getNumElements() const;
    bool isSharedMemory() const;
  }];
}
def TTG_AsyncTokenType : TypeDef<TTG_Dialect, "AsyncToken"> {
  let mnemonic = "async.token";
  let summary = "orders asynchronous operations";
}

#endif
