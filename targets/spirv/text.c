/* SPIR-V's binary and text forms, by SPIRV-Tools. */
#include "targets/spirv/text.h"

#include <spirv-tools/libspirv.h>
#include <stdio.h>
#include <stdlib.h>

/* The newest environment: the module's own version number decides what is legal. */
static spv_context create_context(void) { return spvContextCreate(SPV_ENV_UNIVERSAL_1_6); }

/* A binary has no lines to point to: its file stands in front of what is said, where its words are a file's. */
#define FILE_FORMAT "%s%.*s%s"
#define FILE_ARGS(file) (file).len ? "'" : "", TRI_STR_ARG(file), (file).len ? "': " : ""

static tri_str file_of(const tri_source *source, tri_str binary)
{
    return source && tri_str_equal(source->text, binary) ? source->name : (tri_str){0};
}

static void report_binary(tri_diag *diag, tri_str file, spv_diagnostic diagnostic)
{
    if (diagnostic)
        tri_diag_error(diag, TRI_NO_SPAN, 5020, FILE_FORMAT "cannot disassemble SPIR-V: word %zu: %s", FILE_ARGS(file),
                       diagnostic->position.index, diagnostic->error);
    else
        tri_diag_error(diag, TRI_NO_SPAN, 5020, FILE_FORMAT "cannot disassemble SPIR-V: unknown error",
                       FILE_ARGS(file));
}

static void report_text(tri_diag *diag, const tri_source *source, spv_diagnostic diagnostic)
{
    tri_span at = TRI_NO_SPAN;
    if (diagnostic && source && diagnostic->isTextSource) {
        uint32_t line = (uint32_t)diagnostic->position.line + 1, column = (uint32_t)diagnostic->position.column + 1;
        uint32_t begin = tri_source_offset(source, line, column);
        at = (tri_span){source, begin, begin < source->text.len ? begin + 1 : begin};
    }
    tri_diag_error(diag, at, 5020, "cannot assemble SPIR-V: %s", diagnostic ? diagnostic->error : "unknown error");
}

enum { header_words = 5 };

/* The module's five header words, as comments with plain numbers: the assembler would put its own. */
static void print_header(const uint32_t *words, tri_buf *out)
{
    tri_buf_format(out, "; SPIR-V\n; Version: %u.%u\n; Generator: %u; %u\n; Bound: %u\n; Schema: %u\n",
                   words[1] >> 16, words[1] >> 8 & 0xff, words[2] >> 16, words[2] & 0xffff, words[3], words[4]);
}

static void read_header(tri_str text, uint32_t *words)
{
    unsigned major, minor, tool, version, bound, schema;
    if (sscanf(text.data, "; SPIR-V ; Version: %u.%u ; Generator: %u; %u ; Bound: %u ; Schema: %u", &major, &minor,
               &tool, &version, &bound, &schema) != 6)
        return;
    words[1] = major << 16 | minor << 8;
    words[2] = tool << 16 | version;
    words[3] = bound > words[3] ? bound : words[3];
    words[4] = schema;
}

bool tri_text_from_spirv(tri_diag *diag, const tri_source *source, tri_str binary, tri_buf *out)
{
    if (binary.len % 4 || binary.len < 20) {
        tri_diag_error(diag, TRI_NO_SPAN, 5020,
                       FILE_FORMAT "a SPIR-V module is five or more 4-byte words, this one has %zu bytes",
                       FILE_ARGS(file_of(source, binary)), binary.len);
        return false;
    }
    spv_context context = create_context();
    spv_text text = NULL;
    spv_diagnostic diagnostic = NULL;
    uint32_t *words = tri_mem_alloc(binary.len + 4);
    memcpy(words, binary.data, binary.len);
    /* Names in the text would not survive the way back, numbers do. */
    static const uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
    bool ok = spvBinaryToText(context, words, binary.len / 4, options, &text, &diagnostic) == SPV_SUCCESS;
    if (ok) {
        print_header(words, out);
        tri_buf_add(out, text->str, text->length);
    }
    else
        report_binary(diag, file_of(source, binary), diagnostic);
    spvTextDestroy(text);
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    free(words);
    return ok;
}

bool tri_text_is_module(tri_diag *diag, const tri_source *source, tri_str binary)
{
    tri_buf text = {0};
    bool ok = tri_text_from_spirv(diag, source, binary, &text);
    tri_buf_fini(&text);
    return ok;
}

bool tri_text_is_whole(tri_diag *diag, const tri_source *source, tri_str binary)
{
    uint32_t word = 0;
    size_t count = binary.len / 4, at = header_words;
    for (; binary.len % 4 == 0 && at < count; at += word >> 16) {
        memcpy(&word, binary.data + at * 4, 4);
        if (!(word >> 16) || word >> 16 > count - at)
            break;
    }
    if (at == count)
        return true;
    if (binary.len % 4 || at > count) /* no five words, which is told */
        return tri_text_is_module(diag, source, binary);
    tri_diag_error(diag, TRI_NO_SPAN, 5020, FILE_FORMAT "word %zu: an instruction of %u words, where %zu are left",
                   FILE_ARGS(file_of(source, binary)), at, word >> 16, count - at);
    return false;
}

bool tri_text_is_valid(tri_diag *diag, const tri_source *source, tri_str binary)
{
    if (!tri_text_is_module(diag, source, binary))
        return false;
    spv_context context = create_context();
    spv_diagnostic diagnostic = NULL;
    uint32_t *words = tri_mem_alloc(binary.len);
    memcpy(words, binary.data, binary.len);
    bool ok = spvValidateBinary(context, words, binary.len / 4, &diagnostic) == SPV_SUCCESS;
    if (!ok) { /* the instruction stands behind what is wrong with it */
        tri_str text = tri_str_from(diagnostic ? diagnostic->error : "unknown error"), line = tri_str_take_line(&text);
        tri_diag_error(diag, TRI_NO_SPAN, 5020, FILE_FORMAT "the SPIR-V is not valid: line %zu of its assembly: %.*s",
                       FILE_ARGS(file_of(source, binary)), diagnostic ? diagnostic->position.index + header_words : 0,
                       TRI_STR_ARG(line));
    }
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    free(words);
    return ok;
}

bool tri_text_to_spirv(tri_diag *diag, const tri_source *source, tri_str text, tri_buf *out)
{
    spv_context context = create_context();
    spv_binary binary = NULL;
    spv_diagnostic diagnostic = NULL;
    bool ok = spvTextToBinaryWithOptions(context, text.data, text.len, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS,
                                         &binary, &diagnostic) == SPV_SUCCESS;
    if (ok) {
        read_header(text, binary->code);
        tri_buf_add(out, binary->code, binary->wordCount * 4);
    }
    else
        report_text(diag, source, diagnostic);
    spvBinaryDestroy(binary);
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return ok;
}
