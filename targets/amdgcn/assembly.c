/* The source's own assembly: checked when it is lowered, where its place is known. LLVM puts the text into its output
 * as it is, and the assembler that reads that knows a line of the output only. */
#include "targets/amdgcn/amdgcn.h"

#include "ir/llvm.h"
#include "ir/machines.h"
#include "targets/gpu/extern.h"

#include "llvm-c/Core.h"

#include <string.h>

/* What the probe puts for an operand: registers of the constraint's kind, none for two operands. */
typedef struct {
    char kind; /* v, s or a; 0: written as it is */
    int first, words;
    tri_str text;
} place;

enum { max_operands = 64 };

/* Registers of 32 bits of a type, at least one. */
static int words_of(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned bits = kind == LLVMIntegerTypeKind                                 ? LLVMGetIntTypeWidth(type)
                    : kind == LLVMDoubleTypeKind || kind == LLVMPointerTypeKind ? 64
                                                                                : 32;
    return bits > 32 ? (int)(bits / 32) : 1;
}

/* Places of the operands that the constraints name, in order; their number, negative when the probe cannot stand for
 * one. any: the kinds of results and of arguments that may be in any register. */
static int choose_places(tri_gpu *g, const tri_machine_assembly *a, const char any[2], place *places)
{
    tri_str rest = a->constraints;
    int count = 0, next = 0;
    while (rest.len) {
        size_t comma = tri_str_find(rest, ',');
        tri_str one = tri_str_trim(tri_str_sub(rest, 0, comma));
        rest = tri_str_sub(rest, comma + (comma < rest.len), rest.len);
        if (!one.len || one.data[0] == '~')
            continue;
        while (one.len && strchr("=&+*%", one.data[0]))
            one = tri_str_sub(one, 1, one.len);
        bool is_result = count < a->num_results;
        if (!one.len || count == max_operands || (!is_result && count - a->num_results >= a->num_args))
            return -1;
        LLVMValueRef value = is_result ? a->results[count] : a->args[count - a->num_results];
        place p = {.kind = one.data[0] == 'r' ? any[!is_result] : one.data[0],
                   .first = next,
                   .words = words_of(LLVMTypeOf(value))};
        int64_t same = 0;
        if (tri_str_to_i64(one, &same) && same < count)
            p = places[same];
        else if (!strchr("vsa", p.kind) || one.len != 1)
            return -1;
        next += 4 * ((p.words + 3) / 4); /* pairs of scalar registers begin at even numbers */
        p.text = tri_str_format(g->arena, p.words > 1 ? "%c[%d:%d]" : "%c%d", p.kind, p.first, p.first + p.words - 1);
        places[count++] = p;
    }
    return count;
}

/* The text with registers for the operands; "$$" is a dollar sign. False where it has what the probe does not know. */
static bool write_probe(const tri_machine_assembly *a, const place *places, int count, tri_buf *out)
{
    for (size_t i = 0; i < a->text.len; i++) {
        char c = a->text.data[i], next = i + 1 < a->text.len ? a->text.data[i + 1] : 0;
        if (c != '$' || next == '$') {
            tri_buf_add(out, &c, 1);
            i += c == '$';
            continue;
        }
        int number = 0;
        if (next < '0' || next > '9')
            return false;
        for (; i + 1 < a->text.len && a->text.data[i + 1] >= '0' && a->text.data[i + 1] <= '9' && number < count; i++)
            number = 10 * number + (a->text.data[i + 1] - '0');
        if (number >= count)
            return false;
        tri_buf_add(out, places[number].text.data, places[number].text.len);
    }
    tri_buf_add(out, "\n", 1);
    return true;
}

/* What LLVM's assembler says of the text; empty: nothing, or the text cannot be tried alone. What may be in any
 * register is tried in those of lanes and of the wave. */
static tri_str mistake_of(tri_gpu *g, const tri_machine_assembly *a)
{
    static const char kinds[][2] = {"vv", "ss", "sv", "vs"};
    const char *first = NULL, *cpu = g->unit->arch->cpu;
    tri_llvm_start_target("amdgcn");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        place places[max_operands];
        tri_buf probe = {0};
        int count = choose_places(g, a, kinds[i], places);
        bool can_try = count >= 0 && write_probe(a, places, count, &probe);
        const char *mistake = can_try ? tri_llvm_try_assembly(g->unit->diag, g->arena, tri_amdgcn_machine.triple, cpu,
                                                              tri_buf_str(&probe))
                                      : NULL;
        tri_buf_fini(&probe);
        if (!mistake)
            return TRI_STR("");
        first = first ? first : mistake;
    }
    return tri_str_from(first);
}

bool tri_amdgcn_assemble_source(tri_gpu *g, const tri_machine_assembly *a)
{
    tri_str foreign = tri_gpu_foreign_constraint(a->constraints, "vsar");
    if (g->simulate)
        return tri_gpu_unsupported(g, a->op, "the simulator does not run AMD's assembly");
    if (foreign.len)
        return tri_gpu_unsupported(g, a->op,
                                   "the constraint '%.*s' names no register of AMD's GPUs, which are v (of each lane), "
                                   "s (of the wave) and a (of matrix products); the text is theirs, too, not PTX",
                                   TRI_STR_ARG(foreign));
    tri_str mistake = mistake_of(g, a);
    if (mistake.len)
        return tri_gpu_unsupported(g, a->op, "the assembly is not the device's: %.*s", TRI_STR_ARG(mistake));
    return tri_gpu_inline_asm(g, a);
}
