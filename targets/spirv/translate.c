/* SPIR-V -> LLVM bitcode, by SPIRV-LLVM-Translator (llvm-spirv -r): as SPIR for OpenCL devices that read no SPIR-V, and
 * as LLVM IR to compile on. What it writes is bitcode of its own LLVM, which ours reads. */
#include "base/file.h"
#include "ir/llvm.h"
#include "ir/options.h"
#include "targets/external.h"
#include "targets/spirv/spirv.h"
#include "targets/spirv/text.h"
#include "targets/target.h"

#include "llvm-c/BitReader.h"
#include "llvm-c/Core.h"

#include <string.h>

/* Debian's have their version in the name. */
static bool find_tool(tri_unit *unit, tri_str *out_tool)
{
    static const char *const names[] = {"llvm-spirv", "llvm-spirv-22", "llvm-spirv-15", "llvm-spirv-14"};
    tri_str given = unit->options->llvm_spirv;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri_external_find(unit, names[i], given, out_tool))
            return true;
    tri_external_report_missing(unit, "-llvm-spirv", given,
                                "cannot find 'llvm-spirv', which reads SPIR-V as LLVM IR; install it (Debian: "
                                "llvm-spirv-15), or name it with -llvm-spirv=FILE");
    return false;
}

typedef struct {
    tri_str tool, code, bitcode;
} job;

static bool run_translator(tri_unit *unit, tri_str folder, void *data)
{
    job *j = data;
    tri_str input, output;
    int error = 0;
    if (!tri_external_write(unit, folder, "kernel.spv", j->code, &input) ||
        !tri_external_name(unit, folder, "kernel.bc", &output))
        return false;
    const char *const argv[] = {j->tool.data, "-r", input.data, "-o", output.data, NULL};
    tri_process_result r = tri_external_run(unit, argv);
    bool has_failed = r.started && !r.is_late && (r.signal || r.status);
    if (has_failed && !tri_text_is_valid(unit->diag, unit->source, tri_buf_str(&unit->bytes)))
        return tri_external_note_command(unit, argv);
    if (!tri_external_has_ended(unit, "llvm-spirv", argv, &r))
        return false;
    if (r.status || !tri_file_read(unit->arena, output, &j->bitcode, &error) || !j->bitcode.len)
        return tri_external_fail(unit, argv, "'llvm-spirv' cannot read the module: %.*s",
                                 TRI_STR_ARG(tri_str_trim(r.output)));
    return true;
}

static bool translate(tri_unit *unit, tri_str *out_bitcode)
{
    TRI_ASSERT(unit->payload == TRI_PAYLOAD_BYTES);
    job j = {0};
    /* the translator may stop on what is no SPIR-V: SPIRV-Tools tells where it is wrong */
    if (!tri_text_is_module(unit->diag, unit->source, tri_buf_str(&unit->bytes)) || !find_tool(unit, &j.tool))
        return false;
    tri_buf plain = {0}; /* zeros as the translator takes them, in modules of other compilers, too */
    tri_spirv_expand_nulls(unit->arena, tri_buf_str(&unit->bytes), &plain);
    j.code = tri_buf_str(&plain);
    bool ok = tri_external_in_folder(unit, run_translator, &j);
    tri_buf_fini(&plain);
    *out_bitcode = j.bitcode;
    return ok;
}

bool tri_spirv_assemble(tri_unit *unit)
{
    tri_str bitcode;
    if (!translate(unit, &bitcode))
        return false;
    tri_unit_replace(unit, TRI_PAYLOAD_BYTES);
    tri_buf_add(&unit->bytes, bitcode.data, bitcode.len);
    return true;
}

bool tri_spirv_read_as(tri_unit *unit, const char *triple, const char *data_layout)
{
    tri_str bitcode;
    LLVMModuleRef module = NULL;
    if (!translate(unit, &bitcode))
        return false;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(bitcode.data, bitcode.len, "spirv", false);
    bool failed = LLVMParseBitcodeInContext2(unit->llvm, buffer, &module);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed) {
        tri_diag_error(unit->diag, TRI_NO_SPAN, 7001, "what 'llvm-spirv' wrote is no bitcode that this LLVM reads");
        return false;
    }
    LLVMSetTarget(module, triple);
    LLVMSetDataLayout(module, data_layout);
    if (!tri_llvm_verify(unit->diag, module)) {
        LLVMDisposeModule(module);
        return false;
    }
    tri_unit_replace(unit, TRI_PAYLOAD_LLVM);
    unit->llvm_module = module;
    return true;
}
