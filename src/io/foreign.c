/* Recognition of files of other programs, for messages. */
#define _GNU_SOURCE /* memmem */
#include "io/foreign.h"
#include <string.h>
#include "base/alloc.h"
#include "base/ascii.h"
#include "base/files/folders.h"
#include "io/archive.h"
#include "io/formats/matches.h"

struct foreign {
    const char *kind, *endings;
    size_t at;
    const char *magic;
    size_t length; /* of the magic number */
    const char *member, *advice;
};
static const struct foreign rows[] = {
#define FOREIGN(kind, endings, at, magic, member, advice)                                                    \
    {kind, endings, at, magic, sizeof magic - 1, member, advice},
#include "io/foreign.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- recognition ---- */

/* A zip lists its members at its end.  Each takes some 100 bytes there, so this holds some 600 names; PyTorch's first
   member is also in the head. */
enum { ZIP_END = 1 << 16 };

/* Return true if a part of a zip has the name of a member that ends in `member`. */
static bool has_member(const struct text *part, const char *member) {
    return part->length && memmem(part->data, part->length, member, strlen(member));
}

/* Append at most `most` bytes of the input from `at` on; nothing without memory, or if they cannot be read. */
static void add_part(struct text *part, struct input *in, uint64_t at, size_t most) {
    struct fault fault = {0};
    size_t got;
    char *bytes = mem_alloc(most);
    if (bytes && input_read(in, at, bytes, most, &got, &fault)) text_add_bytes(part, bytes, got);
    mem_free(bytes);
}

/* Return the row of a zip; NULL if it is none of them, or has arrays of NumPy. */
static const struct foreign *row_of_zip(struct input *in, const uint8_t *head, size_t n) {
    struct text part = {0};
    const struct foreign *found = NULL;
    text_add_bytes(&part, head, n);
    if (in->exact && in->size > n) add_part(&part, in, in->size > ZIP_END ? in->size - ZIP_END : n, ZIP_END);
    for (int i = 0; i < ROWS && !found && !has_member(&part, ".npy"); i++)
        if (*rows[i].member && has_member(&part, rows[i].member)) found = &rows[i];
    text_drop(&part);
    return found;
}

static const struct foreign *row_of_bytes(struct input *in, const uint8_t *head, size_t n) {
    for (int i = 0; i < ROWS; i++) {
        const struct foreign *r = &rows[i];
        if (r->length && n >= r->at + r->length && !memcmp(head + r->at, r->magic, r->length)) return r;
    }
    return npz_matches(head, n) ? row_of_zip(in, head, n) : NULL;
}

static const struct foreign *row_of_name(const char *path) {
    for (int i = 0; i < ROWS; i++)
        if (format_has_ending(path, rows[i].endings)) return &rows[i];
    return NULL;
}

const char *foreign_named(const char *path) {
    const struct foreign *row = row_of_name(path);
    return row ? row->kind : NULL;
}

/* ---- messages ---- */

/* Append n bytes of a file's name as a word of a shell. */
static void add_quoted(struct text *t, const char *name, size_t n) {
    static const char plain[] = "-._/+,:=%";
    bool quoted = !n || *name == '-';
    for (size_t i = 0; i < n; i++) quoted |= !ascii_is_word(name[i]) && !strchr(plain, name[i]);
    if (quoted) text_add(t, "'");
    for (size_t i = 0; i < n; i++)
        if (name[i] == '\'')
            text_add(t, "'\\''");
        else
            text_add_bytes(t, name + i, 1);
    if (quoted) text_add(t, "'");
}

/* Append the advice for the file `path`. */
static void add_advice(struct text *t, const char *advice, const char *path) {
    enum { MOST_NAME = 120 }; /* bytes, so that the command fits a message several times */
    if (strlen(path) > MOST_NAME || !strncmp(path, "/dev/", 5)) path = "FILE";
    const char *name = folders_name(path), *dot = strrchr(path, '.');
    size_t n = strlen(path), stem = dot && dot > name ? (size_t)(dot - path) : n;
    for (; *advice; advice++)
        if (*advice == '@' || *advice == '#')
            add_quoted(t, path, *advice == '@' ? n : stem);
        else
            text_add_bytes(t, advice, 1);
}

bool foreign_check(struct input *in, bool named, struct fault *fault) {
    uint8_t head[FORMAT_HEAD];
    size_t n = 0;
    struct fault unread = {0};
    if (!in || !input_read(in, 0, head, sizeof head, &n, &unread)) return true;
    const struct format *ours = format_of_bytes(head, n);
    if (ours && !npz_matches(head, n))
        return true; /* first: a length of safetensors may look like a magic number */
    const struct foreign *row = row_of_bytes(in, head, n);
    if (!row && named) row = row_of_name(in->name);
    if (!row) return true;
    struct text advice = {0};
    add_advice(&advice, row->advice, in->name);
    fault_set(fault, E_FORMAT, "%.200s: is %s, which Tyto does not read; %s", in->name, row->kind,
              advice.failed ? "convert it" : advice.data);
    text_drop(&advice);
    return false;
}
