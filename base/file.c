#include "base/file.h"

#include "base/fatal.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Temporary names are kept in fixed storage: a signal handler walks them. */
enum { max_temporaries = 64, is_free = 0, is_taken = 1, is_kept = 2 };
static char temporaries[max_temporaries][PATH_MAX];
static int temporary_state[max_temporaries]; /* atomic */
static _Thread_local const char *temporary_folder;

static int keep_temporary(const char *path)
{
    if (strlen(path) >= PATH_MAX)
        return -1;
    tri_fatal_at_abort(tri_file_remove_temporaries);
    for (int i = 0; i < max_temporaries; i++) {
        int expected = is_free;
        if (__atomic_compare_exchange_n(&temporary_state[i], &expected, is_taken, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            strcpy(temporaries[i], path);
            __atomic_store_n(&temporary_state[i], is_kept, __ATOMIC_RELEASE);
            return i;
        }
    }
    return -1;
}

static void forget_temporary(int slot)
{
    if (slot >= 0)
        __atomic_store_n(&temporary_state[slot], is_free, __ATOMIC_RELEASE);
}

/* Files, then the folders that they were in. */
void tri_file_remove_temporaries(void)
{
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < max_temporaries; i++)
            if (__atomic_load_n(&temporary_state[i], __ATOMIC_ACQUIRE) == is_kept &&
                (unlink(temporaries[i]) == 0 || errno == ENOENT || rmdir(temporaries[i]) == 0))
                forget_temporary(i);
}

void tri_file_set_temporary_folder(const char *folder)
{
    temporary_folder = folder && *folder ? folder : NULL;
}

static bool read_descriptor(tri_arena *arena, int fd, bool is_text, tri_str *out_text, int *out_error)
{
    enum { most = 512 << 20 };
    struct stat info;
    if (fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
        *out_error = S_ISDIR(info.st_mode) ? EISDIR : errno;
        return false;
    }
    bool is_limited = is_text || !S_ISREG(info.st_mode); /* devices and pipes may have no end */
    tri_buf buf = {0};
    char chunk[65536];
    for (;;) {
        bool is_too_large = is_limited && (buf.len > most || (S_ISREG(info.st_mode) && info.st_size > most));
        ssize_t n = is_too_large ? -1 : read(fd, chunk, sizeof chunk);
        if (!is_too_large && n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            *out_error = is_too_large ? EFBIG : errno;
            tri_buf_fini(&buf);
            return false;
        }
        if (n == 0)
            break;
        tri_buf_add(&buf, chunk, (size_t)n);
    }
    *out_text = tri_str_copy(arena, tri_buf_str(&buf));
    tri_buf_fini(&buf);
    return true;
}

static bool read_path(tri_arena *arena, tri_str path, bool is_text, tri_str *out_text, int *out_error)
{
    if (tri_str_is(path, "-"))
        return read_descriptor(arena, STDIN_FILENO, is_text, out_text, out_error);
    tri_str z = tri_str_copy(arena, path);
    int fd = open(z.data, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        *out_error = errno;
        return false;
    }
    bool ok = read_descriptor(arena, fd, is_text, out_text, out_error);
    close(fd);
    return ok;
}

bool tri_file_read(tri_arena *arena, tri_str path, tri_str *out_text, int *out_error)
{
    return read_path(arena, path, true, out_text, out_error);
}

bool tri_file_read_data(tri_arena *arena, tri_str path, tri_str *out_text, int *out_error)
{
    return read_path(arena, path, false, out_text, out_error);
}

static bool write_all(int fd, tri_str data, int *out_error)
{
    while (data.len) {
        ssize_t n = write(fd, data.data, data.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            *out_error = errno;
            return false;
        }
        data = tri_str_sub(data, (size_t)n, data.len);
    }
    return true;
}

static bool write_directly(const char *path, tri_str data, int flags, int *out_error)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (fd < 0) {
        *out_error = errno;
        return false;
    }
    bool ok = write_all(fd, data, out_error);
    if (close(fd) != 0 && ok) {
        *out_error = errno;
        ok = false;
    }
    return ok;
}

/* Permissions of a file made anew: 0666 less the umask; mkstemp gives 0600. */
static mode_t new_file_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Writes and closes `fd`, then moves `temporary` to `path`. */
static bool finish_output(int fd, const char *temporary, const char *path, mode_t mode, tri_str data, int *out_error)
{
    bool ok = write_all(fd, data, out_error);
    if (ok && fchmod(fd, mode) != 0) {
        *out_error = errno;
        ok = false;
    }
    if (close(fd) != 0 && ok) {
        *out_error = errno;
        ok = false;
    }
    if (ok && rename(temporary, path) != 0) {
        *out_error = errno;
        ok = false;
    }
    return ok;
}

bool tri_file_write(tri_str path, tri_str data, int *out_error)
{
    if (tri_str_is(path, "-"))
        return write_all(STDOUT_FILENO, data, out_error);
    char named[PATH_MAX], final[PATH_MAX], temporary[PATH_MAX];
    if (path.len + 8 >= PATH_MAX) {
        *out_error = ENAMETOOLONG;
        return false;
    }
    memcpy(named, path.data, path.len);
    named[path.len] = 0;
    /* a link stays, and what it leads to is written: also where that is not there yet, or is this process's own stream
     */
    struct stat info;
    bool is_link = lstat(named, &info) == 0 && S_ISLNK(info.st_mode), exists = stat(named, &info) == 0;
    bool is_stream = tri_str_has_prefix(path, "/dev/") || tri_str_has_prefix(path, "/proc/");
    if (is_link && (!exists || is_stream))
        return write_directly(named, data, exists ? 0 : O_CREAT, out_error);
    if (!is_link || !realpath(named, final) || strlen(final) + 8 >= PATH_MAX)
        strcpy(final, named);
    if (exists && S_ISDIR(info.st_mode)) {
        *out_error = EISDIR;
        return false;
    }
    if (exists && !S_ISREG(info.st_mode))
        return write_directly(final, data, 0, out_error);
    if (exists && access(final, W_OK) != 0) {
        *out_error = errno;
        return false;
    }
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", final);
    int fd = mkstemp(temporary);
    if (fd < 0) {
        *out_error = errno;
        return false;
    }
    int slot = keep_temporary(temporary);
    mode_t mode = exists ? info.st_mode & 07777 : new_file_mode();
    bool ok = finish_output(fd, temporary, final, mode, data, out_error);
    if (!ok)
        unlink(temporary);
    forget_temporary(slot);
    return ok;
}

bool tri_file_make_temporary_folder(tri_arena *arena, tri_str *out_path, int *out_error)
{
    tri_str path = tri_str_format(arena, "%s/tritcc-XXXXXX", temporary_folder ? temporary_folder : P_tmpdir);
    if (!mkdtemp((char *)path.data)) {
        *out_error = errno;
        return false;
    }
    if (keep_temporary(path.data) < 0) {
        rmdir(path.data);
        *out_error = EMFILE;
        return false;
    }
    *out_path = path;
    return true;
}

bool tri_file_name_temporary(tri_arena *arena, tri_str folder, const char *name, tri_str *out_path, int *out_error)
{
    *out_path = tri_str_format(arena, "%.*s/%s", TRI_STR_ARG(folder), name);
    if (keep_temporary(out_path->data) >= 0)
        return true;
    *out_error = EMFILE;
    return false;
}

bool tri_file_make_temporary(tri_arena *arena, const char *suffix, tri_str *out_path, int *out_error)
{
    tri_str folder;
    return tri_file_make_temporary_folder(arena, &folder, out_error) &&
           tri_file_name_temporary(arena, folder, tri_str_format(arena, "kernel%s", suffix).data, out_path, out_error);
}

static void end_temporary_folder(tri_str folder, bool removes)
{
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < max_temporaries; i++) {
            tri_str path = tri_str_from(temporaries[i]);
            bool is_kept_here = __atomic_load_n(&temporary_state[i], __ATOMIC_ACQUIRE) == is_kept;
            bool is_in = tri_str_has_prefix(path, folder.data) && path.len > folder.len && path.data[folder.len] == '/';
            if (!is_kept_here || !(round ? tri_str_equal(path, folder) : is_in))
                continue;
            if (removes && round)
                rmdir(temporaries[i]);
            else if (removes)
                unlink(temporaries[i]);
            forget_temporary(i);
        }
    }
}

void tri_file_remove_temporary_folder(tri_str folder) { end_temporary_folder(folder, true); }
void tri_file_keep_temporary_folder(tri_str folder) { end_temporary_folder(folder, false); }

static bool stat_of(tri_str path, struct stat *out_info)
{
    char z[PATH_MAX];
    if (path.len >= PATH_MAX)
        return false;
    memcpy(z, path.data, path.len);
    z[path.len] = 0;
    return stat(z, out_info) == 0;
}

bool tri_file_exists(tri_str path)
{
    struct stat info;
    return stat_of(path, &info);
}

bool tri_file_is_directory(tri_str path)
{
    struct stat info;
    return stat_of(path, &info) && S_ISDIR(info.st_mode);
}

bool tri_file_make_folder(tri_str path)
{
    char z[PATH_MAX];
    if (path.len >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(z, path.data, path.len);
    z[path.len] = 0;
    return mkdir(z, 0777) == 0 || (errno == EEXIST && tri_file_is_directory(path));
}

tri_str tri_path_folder(tri_str path)
{
    size_t slash = tri_str_find_last(path, '/');
    if (slash == path.len)
        return TRI_STR(".");
    return slash == 0 ? TRI_STR("/") : tri_str_sub(path, 0, slash);
}

tri_str tri_path_base(tri_str path)
{
    size_t slash = tri_str_find_last(path, '/');
    return slash == path.len ? path : tri_str_sub(path, slash + 1, path.len);
}

tri_str tri_path_suffix(tri_str path)
{
    tri_str base = tri_path_base(path);
    size_t dot = tri_str_find_last(base, '.');
    return dot == base.len || dot == 0 ? TRI_STR("") : tri_str_sub(base, dot, base.len);
}

tri_str tri_path_stem(tri_str path)
{
    tri_str base = tri_path_base(path);
    return tri_str_sub(base, 0, base.len - tri_path_suffix(path).len);
}

tri_str tri_path_join(tri_arena *arena, tri_str folder, tri_str name)
{
    if ((name.len && name.data[0] == '/') || tri_str_is_empty(folder) || tri_str_is(folder, "."))
        return tri_str_copy(arena, name);
    const char *separator = folder.data[folder.len - 1] == '/' ? "" : "/";
    return tri_str_format(arena, "%.*s%s%.*s", TRI_STR_ARG(folder), separator, TRI_STR_ARG(name));
}
