/* -fix: check, make the fixes, check again; then the files are replaced. Nothing is written before all is known. */
#include "driver/messages/fix.h"

#include "base/file.h"
#include "driver/job.h"
#include "driver/messages/messages.h"
#include "driver/messages/overlay.h"

#include <stdlib.h>

/* Each round makes at least one fix; fixes that undo one another must end, too. */
enum { max_rounds = 200 };

typedef TRI_VEC(tri_message_part) part_list;

typedef struct {
    tri_session *session;
    tri_arena *arena;
    const tri_opt_input *input;
    tri_overlay now;                     /* texts that differ from the disk's */
    TRI_VEC(tri_overlay_file) originals; /* the same files as they were read */
    part_list edits;                     /* of this round; none overlap */
} fixer;

/* --- which fixes are made -------------------------------------------------------------------- */

static const tri_overlay_file *original_of(const fixer *f, tri_str path)
{
    for (size_t i = 0; i < f->originals.len; i++)
        if (tri_str_equal(f->originals.at[i].path, path))
            return &f->originals.at[i];
    return NULL;
}

/* The text is that of a file as it is, or as it was fixed: not an option's value, nor standard input. */
static bool is_editable(const fixer *f, const tri_source *source)
{
    tri_str text = {0};
    int error = 0;
    if (!tri_file_exists(source->name) || tri_file_is_directory(source->name))
        return false;
    if (f->now.source.find(f->now.source.data, source->name.data, &text) <= 0 &&
        !tri_file_read(f->arena, source->name, &text, &error))
        return false;
    return tri_str_equal(text, source->text);
}

static bool is_same_edit(const tri_message_part *a, const tri_message_part *b)
{
    return a->at.source == b->at.source && a->at.begin == b->at.begin && a->at.end == b->at.end &&
           tri_str_equal(a->text, b->text);
}

/* What is put in at one place twice has no order, so that overlaps too. */
static bool do_overlap(const tri_message_part *a, const tri_message_part *b)
{
    return a->at.source == b->at.source &&
           (a->at.begin == b->at.begin || (a->at.begin < b->at.end && b->at.begin < a->at.end));
}

typedef enum { EDITS_NEW, EDITS_MADE, EDITS_REFUSED } edits_state;

/* Can all fixes of a message be made beside those of the messages before it? Or were they, as for another kernel? */
static edits_state judge(const fixer *f, const tri_message *message)
{
    size_t made = 0;
    for (size_t i = 0; i < message->fixes.len; i++) {
        const tri_message_part *fix = &message->fixes.at[i];
        bool is_made = false, is_taken = false;
        for (size_t n = 0; n < f->edits.len; n++) {
            is_made = is_made || is_same_edit(fix, &f->edits.at[n]);
            is_taken = is_taken || do_overlap(fix, &f->edits.at[n]);
        }
        if (!fix->at.source || !is_editable(f, fix->at.source) || (is_taken && !is_made))
            return EDITS_REFUSED;
        made += is_made;
    }
    return made == message->fixes.len ? EDITS_MADE : made ? EDITS_REFUSED : EDITS_NEW;
}

static void tell_fix(const fixer *f, const tri_message *message)
{
    tri_diag *diag = f->session->diag;
    tri_diag_tell(diag, message->main.at, "fixed: %.*s", TRI_STR_ARG(message->main.text));
    for (size_t i = 0; i < message->fixes.len; i++)
        tri_diag_fix(diag, message->fixes.at[i].at, "%.*s", TRI_STR_ARG(message->fixes.at[i].text));
}

/* --- texts ----------------------------------------------------------------------------------- */

static int by_edit_place(const void *a, const void *b)
{
    const tri_message_part *x = a, *y = b;
    return x->at.begin < y->at.begin ? -1 : x->at.begin > y->at.begin;
}

static void apply_to(fixer *f, const tri_source *source)
{
    part_list own = {0};
    for (size_t i = 0; i < f->edits.len; i++)
        if (f->edits.at[i].at.source == source)
            tri_vec_push(f->arena, &own, f->edits.at[i]);
    qsort(own.at, own.len, sizeof *own.at, by_edit_place);
    tri_buf text = {0};
    uint32_t done = 0;
    for (size_t i = 0; i < own.len; i++) {
        tri_span at = own.at[i].at;
        tri_buf_add_str(&text, tri_str_sub(source->text, done, at.begin));
        tri_buf_add_str(&text, own.at[i].text);
        done = at.end > at.begin ? at.end : at.begin;
    }
    tri_buf_add_str(&text, tri_str_sub(source->text, done, source->text.len));
    if (!original_of(f, source->name))
        tri_vec_push(f->arena, &f->originals, (tri_overlay_file){source->name, source->text});
    tri_overlay_set(&f->now, source->name, tri_str_copy(f->arena, tri_buf_str(&text)));
    tri_buf_fini(&text);
}

static void apply_edits(fixer *f)
{
    for (size_t i = 0; i < f->edits.len; i++) {
        bool is_first = true;
        for (size_t n = 0; n < i && is_first; n++)
            is_first = f->edits.at[n].at.source != f->edits.at[i].at.source;
        if (is_first)
            apply_to(f, f->edits.at[i].at.source);
    }
    f->edits.len = 0;
}

/* --- rounds ---------------------------------------------------------------------------------- */

static int check_again(fixer *f)
{
    tri_options *compile = &f->session->opt->compile;
    tri_options options = *compile;
    bool is_syntax_only = f->session->opt->syntax_only;
    tri_str text = {0};
    bool is_changed = f->now.source.find(f->now.source.data, f->input->path.data, &text) > 0;
    f->session->opt->syntax_only = compile->guess_types = true;
    compile->files = &f->now.source;
    int status = tri_job_check(f->session, f->input, is_changed ? &text : NULL);
    f->session->opt->syntax_only = is_syntax_only;
    *compile = options;
    return status;
}

/* Takes the fixes of what is held back since `first`; true when there are any. What they mend is told, the rest is not.
 */
static bool take_fixes(fixer *f, size_t first)
{
    tri_diag *diag = f->session->diag;
    tri_messages messages = {.arena = f->arena};
    for (size_t i = first; i < tri_diag_held_count(diag); i++) {
        tri_diag_record record = tri_diag_held_record(diag, i);
        tri_messages_add(&messages, &record);
    }
    TRI_VEC(const tri_message *) mended = {0};
    for (size_t i = 0; i < messages.all.len; i++) {
        const tri_message *message = &messages.all.at[i];
        if (!message->fixes.len || judge(f, message) != EDITS_NEW)
            continue;
        for (size_t n = 0; n < message->fixes.len; n++)
            tri_vec_push(f->arena, &f->edits, message->fixes.at[n]);
        tri_vec_push(f->arena, &mended, message);
    }
    if (!mended.len)
        return false;
    tri_diag_drop(diag);
    for (size_t i = 0; i < mended.len; i++)
        tell_fix(f, mended.at[i]);
    return true;
}

/* --- files ----------------------------------------------------------------------------------- */

static bool replace_file(const fixer *f, size_t i)
{
    tri_str path = f->originals.at[i].path, text;
    int error = 0;
    if (tri_file_read(f->arena, path, &text, &error) && !tri_str_equal(text, f->originals.at[i].text)) {
        tri_diag_error(f->session->diag, TRI_NO_SPAN, 1003, "'%.*s' was changed by somebody else; it is not fixed",
                       TRI_STR_ARG(path));
        return false;
    }
    f->now.source.find(f->now.source.data, path.data, &text);
    return tri_output_write(f->session->diag, path, text);
}

/* All files or none. */
static bool write_files(const fixer *f)
{
    for (size_t i = 0; i < f->originals.len; i++) {
        if (replace_file(f, i))
            continue;
        while (i-- > 0)
            tri_output_write(f->session->diag, f->originals.at[i].path, f->originals.at[i].text);
        return false;
    }
    return true;
}

int tri_fix_run(tri_session *session, const tri_opt_input *input, bool is_told)
{
    fixer f = {.session = session, .arena = tri_arena_create(), .input = input};
    tri_overlay_init(&f.now, f.arena, session->opt->compile.files);
    int status = 0, round = 0;
    for (;; round++) {
        size_t first = tri_diag_held_count(session->diag);
        tri_diag_hold(session->diag);
        status = check_again(&f);
        if (round == max_rounds || !take_fixes(&f, first))
            break;
        apply_edits(&f);
    }
    if (status || is_told)
        tri_diag_release(session->diag);
    else
        tri_diag_drop(session->diag);
    if (!write_files(&f))
        status = 1;
    tri_arena_destroy(f.arena);
    return status;
}
