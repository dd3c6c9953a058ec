/* Source lines in SPIR-V: OpLine, which LLVM's back end does not write. A call of an empty function whose name holds
 * the place stands in front of each instruction with a place of its own while the back end runs; in the binary OpLine
 * takes the place of these calls, and the functions go. */
#include "targets/spirv/spirv.h"

#include "ir/llvm.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

enum {
    header_words = 5,
    op_source_continued = 2,
    op_source = 3,
    op_name = 5,
    op_member_name = 6,
    op_string = 7,
    op_line = 8,
    first_decoration = 71,
    last_decoration = 75,
    op_function = 54,
    op_function_end = 56,
    op_call = 57
};

static const char mark_prefix[] = "tritcc.line.";

/* --- marks in the LLVM module ---------------------------------------------------------------- */

typedef struct {
    tri_spirv_lines *lines;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef type;
} marking;

static uint32_t file_index(tri_spirv_lines *lines, LLVMMetadataRef scope)
{
    unsigned length = 0;
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    const char *name = file ? LLVMDIFileGetFilename(file, &length) : "";
    tri_str path = {name, length};
    for (size_t i = 0; i < lines->files.len; i++)
        if (tri_str_equal(lines->files.at[i], path))
            return (uint32_t)i;
    tri_vec_push(lines->arena, &lines->files, tri_str_copy(lines->arena, path));
    return (uint32_t)lines->files.len - 1;
}

/* A call in front of the instruction, unless the place is the one before; the place's text. */
static tri_str mark_instruction(marking *m, LLVMValueRef instruction, tri_str before)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    if (!at || !LLVMDILocationGetLine(at) || opcode == LLVMPHI || opcode == LLVMAlloca)
        return before;
    tri_str name =
        tri_str_format(m->lines->arena, "%s%u.%u.%u", mark_prefix, file_index(m->lines, LLVMDILocationGetScope(at)),
                       LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at));
    if (tri_str_equal(name, before))
        return before;
    LLVMValueRef function = LLVMGetNamedFunction(m->module, name.data);
    if (!function)
        function = LLVMAddFunction(m->module, name.data, m->type);
    LLVMPositionBuilderBefore(m->builder, instruction);
    LLVMBuildCall2(m->builder, m->type, function, NULL, 0, "");
    return name;
}

static void mark_function(marking *m, LLVMValueRef function)
{
    LLVMSetCurrentDebugLocation2(m->builder, NULL);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        tri_str before = {0};
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            before = mark_instruction(m, i, before);
    }
}

void tri_spirv_mark_lines(tri_unit *unit, tri_spirv_lines *out)
{
    LLVMContextRef context = LLVMGetModuleContext(unit->llvm_module);
    *out = (tri_spirv_lines){.arena = unit->arena};
    marking m = {.lines = out, .module = unit->llvm_module, .builder = LLVMCreateBuilderInContext(context)};
    m.type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
    for (LLVMValueRef f = LLVMGetFirstFunction(m.module); f; f = LLVMGetNextFunction(f))
        if (LLVMGetSubprogram(f))
            mark_function(&m, f);
    LLVMDisposeBuilder(m.builder);
}

/* --- lines in the binary --------------------------------------------------------------------- */

typedef struct {
    uint32_t file, line, column; /* line 0: no mark */
} place;

typedef struct {
    const uint32_t *words;
    size_t count;
    place *places; /* by id */
    uint32_t bound;
    const tri_spirv_lines *lines;
    tri_buf *out;
    bool has_strings;
} placing;

static void write_word(tri_buf *out, uint32_t word) { tri_buf_add(out, &word, sizeof word); }

static void write_string(tri_buf *out, uint32_t id, tri_str text)
{
    size_t words = text.len / 4 + 1;
    write_word(out, (uint32_t)(words + 2) << 16 | op_string);
    write_word(out, id);
    for (size_t i = 0; i < words; i++) {
        uint32_t word = 0;
        for (size_t k = 0; k < 4 && i * 4 + k < text.len; k++)
            word |= (uint32_t)(unsigned char)text.data[i * 4 + k] << 8 * k;
        write_word(out, word);
    }
}

static void read_marks(placing *p)
{
    for (size_t at = header_words; at < p->count && p->words[at] >> 16; at += p->words[at] >> 16) {
        if ((p->words[at] & 0xffff) != op_name)
            continue;
        const char *name = (const char *)(p->words + at + 2);
        char *rest;
        if (strncmp(name, mark_prefix, sizeof mark_prefix - 1) != 0)
            continue;
        place *found = &p->places[p->words[at + 1]];
        found->file = (uint32_t)strtoul(name + sizeof mark_prefix - 1, &rest, 10);
        found->line = (uint32_t)strtoul(rest + 1, &rest, 10);
        found->column = (uint32_t)strtoul(rest + 1, NULL, 10);
    }
}

/* The files' names are the first of what is for debuggers. */
static void add_strings(placing *p, uint32_t opcode)
{
    bool is_debug = opcode >= op_source_continued && opcode <= op_string;
    bool is_behind = (opcode >= first_decoration && opcode <= last_decoration) || (opcode >= 19 && opcode <= 39);
    if (p->has_strings || !(is_debug || is_behind))
        return;
    for (size_t i = 0; i < p->lines->files.len; i++)
        write_string(p->out, p->bound + (uint32_t)i, p->lines->files.at[i]);
    p->has_strings = true;
}

/* Copies or replaces the instruction at `at`; returns where the next one is. */
static size_t place_instruction(placing *p, size_t at)
{
    uint32_t opcode = p->words[at] & 0xffff;
    size_t length = p->words[at] >> 16, next = at + length;
    bool is_about = opcode == op_name || (opcode >= first_decoration && opcode <= last_decoration);
    const place *mark = is_about                ? &p->places[p->words[at + 1]]
                        : opcode == op_function ? &p->places[p->words[at + 2]]
                        : opcode == op_call     ? &p->places[p->words[at + 3]]
                                                : NULL;
    add_strings(p, opcode);
    if (!mark || !mark->line) {
        tri_buf_add(p->out, p->words + at, length * sizeof *p->words);
    } else if (opcode == op_call) {
        write_word(p->out, 4 << 16 | op_line);
        write_word(p->out, p->bound + mark->file);
        write_word(p->out, mark->line);
        write_word(p->out, mark->column);
    } else if (opcode == op_function) {
        while ((p->words[next] & 0xffff) != op_function_end)
            next += p->words[next] >> 16;
        next += p->words[next] >> 16;
    }
    return next;
}

void tri_spirv_place_lines(const tri_spirv_lines *lines, tri_str binary, tri_buf *out)
{
    placing p = {.count = binary.len / sizeof(uint32_t), .lines = lines, .out = out};
    p.words = tri_arena_copy(lines->arena, binary.data, binary.len);
    p.bound = p.words[3];
    p.places = TRI_NEW_ARRAY(lines->arena, place, p.bound);
    read_marks(&p);
    tri_buf_add(out, p.words, 3 * sizeof *p.words);
    write_word(out, p.bound + (uint32_t)lines->files.len);
    write_word(out, p.words[4]);
    for (size_t at = header_words; at < p.count;) {
        TRI_ASSERT(p.words[at] >> 16 && at + (p.words[at] >> 16) <= p.count);
        at = place_instruction(&p, at);
    }
}
