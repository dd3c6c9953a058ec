// Enumerations of `tt`: as attributes they are i32 integers, in syntax keywords.
#ifndef TRI_TT_ENUMS_TD
#define TRI_TT_ENUMS_TD

include "mlir/IR/EnumAttr.td"

class TT_Enum<string name, list<I32EnumAttrCase> cases> : I32EnumAttr<name, name, cases> {
  let cppNamespace = "::tri::tt";
}
class Case<string sym, int value, string text> : I32EnumAttrCase<sym, value, text>;

def TT_CacheModifier : TT_Enum<"CacheModifier", [
  Case<"NONE", 1, "none">, Case<"CA", 2, "ca">, Case<"CG", 3, "cg">, Case<"WB", 4, "wb">,
  Case<"CS", 5, "cs">, Case<"WT", 6, "wt">, Case<"CV", 7, "cv">]>;
def TT_EvictionPolicy : TT_Enum<"EvictionPolicy", [
  Case<"NORMAL", 1, "evict_normal">, Case<"FIRST", 2, "evict_first">, Case<"LAST", 3, "evict_last">]>;
def TT_MemSemantic : TT_Enum<"MemSemantic", [
  Case<"RELAXED", 1, "relaxed">, Case<"ACQUIRE", 2, "acquire">, Case<"RELEASE", 3, "release">,
  Case<"ACQ_REL", 4, "acq_rel">]>;
def TT_MemSyncScope : TT_Enum<"MemSyncScope", [Case<"GPU", 1, "gpu">, Case<"CTA", 2, "cta">, Case<"SYS", 3, "sys">]>;
def TT_PaddingOption : TT_Enum<"PaddingOption", [Case<"ZERO", 1, "zero">, Case<"NAN_", 2, "nan">]>;
def TT_RMWOp : TT_Enum<"RMWOp", [
  Case<"AND", 1, "and">, Case<"OR", 2, "or">, Case<"XOR", 3, "xor">, Case<"ADD", 4, "add">, Case<"FADD", 5, "fadd">,
  Case<"MAX", 6, "max">, Case<"MIN", 7, "min">, Case<"UMAX", 8, "umax">, Case<"UMIN", 9, "umin">,
  Case<"XCHG", 10, "exch">]>;
def TT_DescriptorReduceKind : TT_Enum<"DescriptorReduceKind", [
  Case<"ADD", 1, "add">, Case<"MIN", 2, "min">, Case<"MAX", 3, "max">, Case<"INC", 4, "inc">, Case<"DEC", 5, "dec">,
  Case<"AND", 6, "and">, Case<"OR", 7, "or">, Case<"XOR", 8, "xor">]>;
def TT_ProgramDim : TT_Enum<"ProgramDim", [Case<"X", 0, "x">, Case<"Y", 1, "y">, Case<"Z", 2, "z">]>;
def TT_RoundingMode : TT_Enum<"RoundingMode", [Case<"RTZ", 0, "rtz">, Case<"RTNE", 1, "rtne">]>;
def TT_PropagateNan : TT_Enum<"PropagateNan", [Case<"NONE", 0, "none">, Case<"ALL", 65535, "all">]>;
def TT_InputPrecision : TT_Enum<"InputPrecision", [
  Case<"TF32", 0, "tf32">, Case<"TF32x3", 1, "tf32x3">, Case<"IEEE", 2, "ieee">, Case<"BF16x3", 3, "bf16x3">,
  Case<"BF16x6", 4, "bf16x6">]>;
def TT_ScaleDotElemType : TT_Enum<"ScaleDotElemType", [
  Case<"E4M3", 0, "e4m3">, Case<"E5M2", 1, "e5m2">, Case<"E2M3", 2, "e2m3">, Case<"E3M2", 3, "e3m2">,
  Case<"E2M1", 4, "e2m1">, Case<"BF16", 5, "bf16">, Case<"FP16", 6, "fp16">]>;

#endif
