/* tt: functions and calls. */
#include "ir/dialects.h"

using namespace mlir;

namespace tri::tt {

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result)
{
    auto makeType = [](Builder &builder, ArrayRef<Type> args, ArrayRef<Type> results,
                       function_interface_impl::VariadicFlag,
                       std::string &) { return builder.getFunctionType(args, results); };
    return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                    getFunctionTypeAttrName(result.name), makeType,
                                                    getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer)
{
    function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                             getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols)
{
    auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
    if (!callee)
        return emitOpError() << "'" << getCallee() << "' does not name a function";
    FunctionType type = callee.getFunctionType();
    if (type.getNumInputs() != getNumOperands())
        return emitOpError("passes ") << getNumOperands() << " arguments, but '" << getCallee() << "' takes "
                                      << type.getNumInputs();
    for (unsigned i = 0; i < type.getNumInputs(); i++)
        if (getOperand(i).getType() != type.getInput(i))
            return emitOpError("argument ") << i << " is " << getOperand(i).getType() << ", but '" << getCallee()
                                            << "' takes " << type.getInput(i);
    if (TypeRange(type.getResults()) != TypeRange(getResultTypes()))
        return emitOpError("result types do not match those of '") << getCallee() << "'";
    return success();
}

LogicalResult ReturnOp::verify()
{
    auto func = cast<FuncOp>((*this)->getParentOp());
    ArrayRef<Type> results = func.getFunctionType().getResults();
    if (getNumOperands() != results.size())
        return emitOpError("returns ") << getNumOperands() << " values, but '" << func.getName() << "' has "
                                       << results.size() << " results";
    for (unsigned i = 0; i < results.size(); i++)
        if (getOperand(i).getType() != results[i])
            return emitOpError("value ") << i << " is " << getOperand(i).getType() << ", but '" << func.getName()
                                         << "' returns " << results[i];
    return success();
}

} // namespace tri::tt
