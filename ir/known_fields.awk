# Generated code drops fields of <{...}> that an operation does not have; ours reports them (tri::knownFields). Every
# function that reads such a dictionary must have the line that is replaced: another MLIR may write it otherwise.
function fail(text) {
    print FILENAME ": " text " (ir/known_fields.awk)" >"/dev/stderr"
    is_failed = 1
    exit 1
}
/::setPropertiesFromAttr\(/ {
    reader = $0
    readers++
}
sub(/::llvm::dyn_cast<::mlir::DictionaryAttr>\(attr\);$/, "::tri::knownFields(attr, getOperationName(), getAttributeNames(), emitError);\n  if (!dict)\n    return ::mlir::failure();") {
    reader = ""
}
/^}/ && reader != "" { fail("fields are read otherwise than expected by " reader) }
{ print }
END {
    if (!is_failed && !readers)
        fail("no function reads fields")
    exit is_failed
}
