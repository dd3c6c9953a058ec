// Enumerations of `triton_gen`: as attributes they are i32 integers, in syntax keywords.
#ifndef TRI_TRITON_GEN_ENUMS_TD
#define TRI_TRITON_GEN_ENUMS_TD

include "mlir/IR/EnumAttr.td"

class GEN_Enum<string name, list<I32EnumAttrCase> cases> : I32EnumAttr<name, name, cases> {
  let cppNamespace = "::tri::gen";
}
class GenCase<string sym, int value, string text = sym> : I32EnumAttrCase<sym, value, text>;

// What an element of an operand of dpas is; the numbers are those of Intel's compiler.
def GEN_PrecisionType : GEN_Enum<"PrecisionType", [
  GenCase<"UNUSED", 0, "unused">, GenCase<"U8", 1, "u8">, GenCase<"U4", 2, "u4">, GenCase<"U2", 3, "u2">,
  GenCase<"S8", 4, "i8">, GenCase<"S4", 5, "i4">, GenCase<"S2", 6, "i2">, GenCase<"F8E5M2", 7, "bf8">,
  GenCase<"F8E4M3FN", 8, "hf8">, GenCase<"TF32", 10, "tf32">, GenCase<"BF16", 11, "bf16">,
  GenCase<"FP16", 12, "f16">, GenCase<"F4E2M1", 13, "e2m1">]>;

// Levels one and three: UC is uncached, C cached, S streaming, IAR invalidated after the read.
def GEN_LoadCache : GEN_Enum<"LoadCacheControl", [
  GenCase<"DEFAULT", 0, "Default">, GenCase<"L1UC_L3UC", 1>, GenCase<"L1UC_L3C", 2>, GenCase<"L1C_L3UC", 3>,
  GenCase<"L1C_L3C", 4>, GenCase<"L1S_L3UC", 5>, GenCase<"L1S_L3C", 6>, GenCase<"L1IAR_L3C", 7>]>;
// WB is written back, WT written through.
def GEN_StoreCache : GEN_Enum<"StoreCacheControl", [
  GenCase<"DEFAULT", 0, "Default">, GenCase<"L1UC_L3UC", 1>, GenCase<"L1UC_L3WB", 2>, GenCase<"L1WT_L3UC", 3>,
  GenCase<"L1WT_L3WB", 4>, GenCase<"L1S_L3UC", 5>, GenCase<"L1S_L3WB", 6>, GenCase<"L1WB_L3WB", 7>,
  GenCase<"L1WT_L3WT", 8>, GenCase<"L1S_L3S", 9>]>;

// Which memory a barrier puts in order.
def GEN_MemFence : GEN_Enum<"MemFence", [
  GenCase<"NONE", 0, "None">, GenCase<"LOCAL", 1, "Local">, GenCase<"GLOBAL", 2, "Global">,
  GenCase<"LOCAL_AND_GLOBAL", 3, "LocalAndGlobal">]>;

// Of one level, as SPIR-V counts them (SPV_INTEL_cache_controls).
def GEN_LoadControl : GEN_Enum<"LoadControl", [
  GenCase<"Uncached", 0>, GenCase<"Cached", 1>, GenCase<"Streaming", 2>, GenCase<"InvalidateAfterRead", 3>,
  GenCase<"ConstCached", 4>]>;
def GEN_StoreControl : GEN_Enum<"StoreControl", [
  GenCase<"Uncached", 0>, GenCase<"WriteThrough", 1>, GenCase<"WriteBack", 2>, GenCase<"Streaming", 3>]>;

#endif
