/* What the language asks about the target. */
#include "frontend/kernel/target.h"

#include "frontend/frontend.h"

const tri_machine_facts *tri_target_facts(const tri_eval *e) { return e->target->facts; }

bool tri_target_is(const tri_eval *e, const char *backend) { return !strcmp(e->target->facts->backend, backend); }

bool tri_target_answers(const tri_machine_facts *facts, int question)
{
    static const char *const words[] = {"cuda", "hip", "xpu", "cdna3", "cdna4", "gfx1250"};
    const char *word = words[question];
    return !strcmp(facts->backend, word) || (facts->generation && !strcmp(facts->generation, word));
}

bool tri_target_has_capability(const tri_machine_facts *facts, int64_t major, int64_t minor)
{
    return !strcmp(facts->backend, "cuda") && facts->capability >= major * 10 + minor;
}

/* Why a type can not be used, or null. */
const char *tri_target_rejects(const tri_eval *e, tri_dtype d)
{
    const tri_machine_facts *facts = tri_target_facts(e);
    bool is_amds = d == TRI_DTYPE_FP8E4B8 || d == TRI_DTYPE_FP8E5B16;
    int needed = d == TRI_DTYPE_FP8E4NV ? TRI_FP8_E4NV : d == TRI_DTYPE_FP8E4B8 ? TRI_FP8_E4B8 : TRI_FP8_E5B16;
    if (!(is_amds || d == TRI_DTYPE_FP8E4NV) || facts->fp8 & needed)
        return NULL;
    return tri_str_format(e->arena, "%s; supported here: fp8e4b15, %sfp8e5",
                          is_amds ? "this fp8 type is AMD's" : "type fp8e4nv needs sm_89 or later",
                          facts->fp8 & TRI_FP8_E4NV ? "fp8e4nv, " : "").data;
}
