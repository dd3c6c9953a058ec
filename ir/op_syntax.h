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

/* `local|global_read`; `none` and `all` stand alone. */
inline mlir::ParseResult parseAddrSpaces(mlir::OpAsmParser &parser, AddrSpaceAttr &spaces)
{
    uint32_t bits = 0;
    do {
        llvm::StringRef word;
        llvm::SMLoc at = parser.getCurrentLocation();
        if (parser.parseKeyword(&word))
            return mlir::failure();
        std::optional<AddrSpace> one = symbolizeAddrSpace(word);
        bool isAlone = one && (*one == AddrSpace::None || *one == AddrSpace::All);
        if (!one || (isAlone && bits))
            return parser.emitError(at, "'") << word << "' is not a memory that a barrier can name here";
        bits |= (uint32_t)*one;
        if (isAlone)
            break;
    } while (mlir::succeeded(parser.parseOptionalVerticalBar()));
    spaces = AddrSpaceAttr::get(parser.getContext(), (AddrSpace)bits);
    return mlir::success();
}
inline void printAddrSpaces(mlir::OpAsmPrinter &printer, mlir::Operation *, AddrSpaceAttr spaces)
{
    printer << stringifyAddrSpace(spaces.getValue());
}

} // namespace tri::ttg

namespace tri::ttng {

using Unresolved = mlir::OpAsmParser::UnresolvedOperand;

/* `[%dep]`, or `[]` for a token result without operand, or nothing. */
inline mlir::ParseResult parseToken(mlir::OpAsmParser &parser, std::optional<Unresolved> &dep, mlir::Type &token)
{
    if (mlir::failed(parser.parseOptionalLSquare()))
        return mlir::success();
    token = ttg::AsyncTokenType::get(parser.getContext());
    if (mlir::succeeded(parser.parseOptionalRSquare()))
        return mlir::success();
    if (parser.parseOperand(dep.emplace()) || parser.parseRSquare())
        return mlir::failure();
    return mlir::success();
}
inline void printToken(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Value dep, mlir::Type token)
{
    if (!token)
        return;
    printer << "[";
    if (dep)
        printer << dep;
    printer << "]";
}

/* `, %bar[%pred]` for each barrier. */
inline mlir::ParseResult parseBarriersAndPreds(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<Unresolved> &barriers,
                                               llvm::SmallVectorImpl<Unresolved> &preds)
{
    while (mlir::succeeded(parser.parseOptionalComma()))
        if (parser.parseOperand(barriers.emplace_back()) || parser.parseLSquare() ||
            parser.parseOperand(preds.emplace_back()) || parser.parseRSquare())
            return mlir::failure();
    return mlir::success();
}
inline void printBarriersAndPreds(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::OperandRange barriers,
                                  mlir::OperandRange preds)
{
    for (auto [barrier, pred] : llvm::zip(barriers, preds))
        printer << ", " << barrier << "[" << pred << "]";
}

} // namespace tri::ttng

namespace tri::amdg {

/* `tensor<64xf32, #layout>`; 3.9 writes the pointer's type before it: `!tt.ptr<f32> -> tensor<...>`. */
inline mlir::ParseResult parseBlockType(mlir::OpAsmParser &parser, mlir::Type &block)
{
    llvm::SMLoc at = parser.getCurrentLocation();
    if (parser.parseType(block))
        return mlir::failure();
    auto pointer = llvm::dyn_cast<tt::PtrType>(block);
    if (!pointer)
        return mlir::success();
    if (parser.parseArrow() || parser.parseType(block))
        return mlir::failure();
    if (pointerToElementOf(block) != pointer)
        return parser.emitError(at) << "a pointer to the elements of " << block << " is " << pointerToElementOf(block);
    return mlir::success();
}
inline void printBlockType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type block)
{
    if (releaseOf(op->getContext()) > 308)
        printer << pointerToElementOf(block) << " -> ";
    printer << block;
}

/* `cacheModifier = cg`, `evictionPolicy = evict_first`, in any order; 3.9 has `cachePolicy = #tt.cache_policy<...>` for
 * both, which is read as a dictionary of them. What is not said is null. */
template <typename T, typename Symbolize>
mlir::ParseResult parsePolicyWord(mlir::OpAsmParser &parser, T &attr, Symbolize symbolize)
{
    llvm::StringRef word;
    llvm::SMLoc at;
    if (parser.parseEqual() || parser.getCurrentLocation(&at) || parser.parseKeyword(&word))
        return mlir::failure();
    auto value = symbolize(word);
    if (!value)
        return parser.emitError(at) << "'" << word << "' is no such policy";
    attr = T::get(parser.getContext(), *value);
    return mlir::success();
}
inline mlir::ParseResult parseBothPolicies(mlir::OpAsmParser &parser, mlir::DictionaryAttr &both)
{
    llvm::SMLoc at;
    if (parser.parseEqual() || parser.getCurrentLocation(&at) || parser.parseAttribute(both))
        return mlir::failure();
    if (both.getAs<tt::CacheModifierAttr>("cache") && both.getAs<tt::EvictionPolicyAttr>("evict"))
        return mlir::success();
    return parser.emitError(at) << "a cache policy is expected";
}
inline mlir::ParseResult parsePolicyOfCopy(mlir::OpAsmParser &parser, tt::CacheModifierAttr &cache,
                                           tt::EvictionPolicyAttr &evict)
{
    mlir::DictionaryAttr both;
    auto modifier = [](llvm::StringRef word) { return tt::symbolizeCacheModifier(word); };
    auto policy = [](llvm::StringRef word) { return tt::symbolizeEvictionPolicy(word); };
    for (llvm::StringRef word;
         mlir::succeeded(parser.parseOptionalKeyword(&word, {"cacheModifier", "evictionPolicy", "cachePolicy"}));) {
        bool failed = word == "cacheModifier"    ? mlir::failed(parsePolicyWord(parser, cache, modifier))
                      : word == "evictionPolicy" ? mlir::failed(parsePolicyWord(parser, evict, policy))
                                                 : mlir::failed(parseBothPolicies(parser, both));
        if (failed)
            return mlir::failure();
    }
    mlir::MLIRContext *context = parser.getContext();
    if (both) {
        cache = both.getAs<tt::CacheModifierAttr>("cache");
        evict = both.getAs<tt::EvictionPolicyAttr>("evict");
    }
    if (!cache)
        cache = tt::CacheModifierAttr::get(context, tt::CacheModifier::NONE);
    if (!evict)
        evict = tt::EvictionPolicyAttr::get(context, tt::EvictionPolicy::NORMAL);
    return mlir::success();
}
inline void printPolicyOfCopy(mlir::OpAsmPrinter &printer, mlir::Operation *op, tt::CacheModifierAttr cache,
                              tt::EvictionPolicyAttr evict)
{
    bool caches = cache.getValue() != tt::CacheModifier::NONE;
    bool evicts = evict && evict.getValue() != tt::EvictionPolicy::NORMAL;
    auto policy = evicts ? evict.getValue() : tt::EvictionPolicy::NORMAL;
    if (releaseOf(op->getContext()) > 308 && (caches || evicts)) {
        printer << " cachePolicy = #tt.cache_policy<cache_modifier = " << tt::stringifyCacheModifier(cache.getValue())
                << ", eviction_policy = " << tt::stringifyEvictionPolicy(policy) << ">";
        /* an attribute takes a ':' behind it for that of its own type */
        auto copy = llvm::dyn_cast<AsyncCopyLocalToGlobalOp>(op);
        if (copy && copy.getContiguity() == 1 && op->getDiscardableAttrDictionary().empty())
            printer << " {}";
        return;
    }
    if (caches)
        printer << " cacheModifier = " << tt::stringifyCacheModifier(cache.getValue());
    if (evicts)
        printer << " evictionPolicy = " << tt::stringifyEvictionPolicy(policy);
}

/* The same of copies that have no eviction policy. */
inline mlir::ParseResult parseCacheOfCopy(mlir::OpAsmParser &parser, tt::CacheModifierAttr &cache)
{
    tt::EvictionPolicyAttr evict;
    return parsePolicyOfCopy(parser, cache, evict);
}
inline void printCacheOfCopy(mlir::OpAsmPrinter &printer, mlir::Operation *op, tt::CacheModifierAttr cache)
{
    printPolicyOfCopy(printer, op, cache, nullptr);
}

/* `<f32>`; `!tt.ptr<f32>` in 3.9. */
inline mlir::ParseResult parsePointerOfCopy(mlir::OpAsmParser &parser, mlir::Type &type)
{
    tt::PtrType pointer;
    if (parser.parseCustomTypeWithFallback(pointer))
        return mlir::failure();
    type = pointer;
    return mlir::success();
}
inline void printPointerOfCopy(mlir::OpAsmPrinter &printer, mlir::Operation *op, tt::PtrType type)
{
    if (releaseOf(op->getContext()) > 308)
        printer << type;
    else
        printer.printStrippedAttrOrType(type);
}

} // namespace tri::amdg

#endif
