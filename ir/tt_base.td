// The `tt` dialect: what every kernel is made of, before layouts exist.
#ifndef TRI_TT_BASE_TD
#define TRI_TT_BASE_TD

include "ir/tt_enums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::tri::tt";
  let summary = "tile programs: pointers, tensors, memory, reductions";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect"];
  let useDefaultAttributePrinterParser = 0;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 0;
  let extraClassDeclaration = [{
    void registerTypes();
    // Before Triton 3.3 buffers were types of this dialect.
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;
    // No attributes of our own: text of Triton 3.9 has one, which is taken apart (ir/releases.cpp).
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute, ::mlir::DialectAsmPrinter &) const override {}

    // The release of Triton whose spelling is printed: 306 for 3.6; 0 for ours, which is 3.8's.
    unsigned release = 0;
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class TT_TypeDef<string name, string asm> : TypeDef<TT_Dialect, name> { let mnemonic = asm; }

def TT_PtrType : TT_TypeDef<"Ptr", "ptr"> {
  let summary = "address of an element";
  let parameters = (ins "::mlir::Type":$pointee, "unsigned":$space);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 1;
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee, "unsigned":$space), [{
    return $_get(pointee.getContext(), pointee, space);
  }]>];
}

def TT_TensorDescType : TT_TypeDef<"TensorDesc", "tensordesc"> {
  let summary = "bounds, strides and block shape of a tensor in global memory";
  let parameters = (ins "::mlir::RankedTensorType":$block);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 1;
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$block), [{
    return $_get(block.getContext(), block);
  }]>];
  let extraClassDeclaration = [{
    /// The block as loads and stores see it: integers have no sign.
    ::mlir::RankedTensorType getSignlessBlock();
  }];
}

// Any descriptor, ours or another dialect's.
def TT_AnyDesc : Type<CPred<"::tri::isTensorDesc($_self)">, "tensor descriptor">;

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64], "floating-point">;
def TT_FloatTensor : RankedTensorOf<[TT_Float]>;
def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor]>;

def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "integer">;
def TT_IntTensor : RankedTensorOf<[TT_Int]>;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor]>;
def TT_I1Like : AnyTypeOf<[I1, RankedTensorOf<[I1]>]>;
def TT_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>]>;

def TT_Ptr : Type<CPred<"::tri::isElementPtr($_self)">, "pointer", "::tri::tt::PtrType">;
// A pointer to a block of a tensor in memory, with its bounds: the form of older text, which
// rewrite-tensor-pointer removes. Nothing but loads, stores and the ops that make one take it.
def TT_BlockPtr : Type<CPred<"::tri::isBlockPtr($_self)">, "pointer to a block", "::tri::tt::PtrType">;
def TT_PtrTensor : RankedTensorOf<[TT_Ptr]>;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, TT_PtrTensor]>;

def TT_FpIntTensor : RankedTensorOf<[TT_Float, TT_Int]>;
def TT_FpIntLike : AnyTypeOf<[TT_Float, TT_Int, TT_FpIntTensor]>;
def TT_Tensor : RankedTensorOf<[TT_Float, TT_Int, TT_Ptr]>;
def TT_Type : AnyTypeOf<[TT_FloatLike, TT_IntLike, TT_PtrLike, TT_AnyDesc]>;

def TT_CacheAttr : DefaultValuedAttr<TT_CacheModifier, "::tri::tt::CacheModifier::NONE">;
def TT_EvictAttr : DefaultValuedAttr<TT_EvictionPolicy, "::tri::tt::EvictionPolicy::NORMAL">;

//===----------------------------------------------------------------------===//
// Traits, memory
//===----------------------------------------------------------------------===//

// Sizes of all tensors, and their layouts against the launch shape in force.
def TensorsAreLegal : NativeOpTrait<"TensorsAreLegal"> { let cppNamespace = "::tri"; }
// Operands and results agree in shape and layout.
def SameShapeAndLayout : NativeOpTrait<"SameShapeAndLayout"> { let cppNamespace = "::tri"; }
// The same of the operands alone.
def SameLayoutOfOperands : NativeOpTrait<"SameLayoutOfOperands"> { let cppNamespace = "::tri"; }
// Operands and results agree in layout, where they have one.
def SameLayout : NativeOpTrait<"SameLayout"> { let cppNamespace = "::tri"; }

def GlobalMemory : Resource<"::tri::GlobalMemory">;
def SharedMemory : Resource<"::tri::SharedMemory">;
def TensorMemory : Resource<"::tri::TensorMemory">;
//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

// Any operation of ours. One general builder: C code builds by name, and the builders that ODS
// makes otherwise are a third of all generated code.
class TritonOp<Dialect dialect, string mnemonic, list<Trait> traits>
  : Op<dialect, mnemonic, !listconcat(traits, [TensorsAreLegal])> {
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$operands,
      CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attrs), [{
    $_state.addTypes(types);
    $_state.addOperands(operands);
    $_state.addAttributes(attrs);
  }]>];
}

#endif
