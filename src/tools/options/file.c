/* Options of input files, and opening them. */
#include "base/files/file.h"
#include "base/files/folders.h"
#include "tools/options/file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "io/archive.h"
#include "base/nearest.h"
#include "table/table.h"
#include "tools/options/message.h"
#include "tools/options/out.h"
#include "tools/options/streams.h"

/* Parse a shape such as "3,4" into *rank and shape[], which has room for TY_MAX_RANK sizes; the empty text
   has rank 0. False if it is invalid. */
static bool parse_shape(const char *text, int *rank, int64_t *shape) {
    for (*rank = 0; *text; ++*rank) {
        char *end;
        if (*rank == TY_MAX_RANK || *text < '0' || *text > '9') return false;
        errno = 0;
        shape[*rank] = strtoll(text, &end, 10);
        if (errno || (*end && (*end != ',' || !end[1]))) return false;
        text = *end ? end + 1 : end;
    }
    return true;
}

/* Open an archive by the options of a reader and others; NULL after a message on stderr. */
static ty_archive *open_archive(const char *path, const struct reader_in *in, ty_file_options options) {
    ty_table_options o;
    void *words;
    if (!reader_options(in, &o, &words)) return NULL;
    options.delimiter = o.delimiter;
    options.decimal = o.decimal;
    options.comment = o.comment;
    options.names = (int)o.header;
    options.skip_rows = o.skip_rows;
    options.missing = o.missing;
    options.nmissing = o.nmissing;
    options.ragged = o.ragged;
    options.rounded = o.rounded;
    options.most_bytes = o.most_bytes;
    if (!options.format && stream_descriptor(path) >= 0 && reader_streams(path)) options.format = "csv";
    ty_archive *archive = ty_archive_open(reader_path(path), options);
    free(words);
    return archive;
}

ty_archive *file_try(const struct file_in *in) {
    int64_t shape[TY_MAX_RANK];
    ty_file_options options = {.format = in->format, .bf16 = in->bf16, .rank = -1, .shape = shape};
    options.words = in->words;
    options.unturned = in->unturned;
    options.offset = in->offset;
    options.dtype = in->dtype ? (ty_dtype)(in->dtype - 1) : TY_U8;
    if (!in->format && in->dtype) options.format = "raw";
    if (in->shape && !parse_shape(in->shape, &options.rank, shape)) {
        complain("--raw-shape %s: expected sizes like 3,4", in->shape);
        return NULL;
    }
    return open_archive(in->path, &in->reader, options);
}

ty_archive *file_open(const struct file_in *in) {
    ty_archive *archive = file_try(in);
    if (!archive || !*ty_archive_error(archive)) return archive;
    COMPLAIN_FAILURE(ty_archive_failure(archive));
    ty_archive_free(archive);
    return NULL;
}

/* ---- tables ---- */

static bool is_csv(const char *path) {
    bool gzip;
    const struct format *format = format_of_path(path, &gzip);
    return format ? !strcmp(format->name, "csv") : reader_streams(path);
}

bool file_is_csv(const struct file_in *in) {
    return in->format ? !strcmp(in->format, "csv") : !in->dtype && is_csv(in->path);
}

/* Columns that the text behind a file's name selects: "NAME,NAME" behind a colon, or "[NAME,NAME]", perhaps in two pairs
   of brackets.  A name may be in quotes. */
struct selection {
    const char *whole; /* with the file, for messages */
    char *at;          /* the rest, which changes */
    int depth;         /* of brackets */
    size_t n;
    const char **names;
};

/* Set the fault to the syntax that was expected where the selection goes on; always return false. */
static bool refuse_rest(const struct selection *s, const char *expected, struct fault *fault) {
    char rest[64];
    text_print(rest, sizeof rest, "\"%.40s\"", s->at);
    return fault_set(fault, E_FORMAT, "%.300s: expected %s, found %s", s->whole, expected,
                     *s->at ? rest : "the end of the text");
}

static void skip_blanks(struct selection *s) { s->at += strspn(s->at, " "); }

/* Append the next name, end it with a zero byte, move behind the character after it, and set *end to that; false sets
   the fault. */
static bool next_name(struct selection *s, char *end, struct fault *fault) {
    skip_blanks(s);
    char quote = *s->at == '"' || *s->at == '\'' ? *s->at : 0;
    char *name = s->at + !!quote,
         *last = quote ? strchr(name, quote) : name + strcspn(name, s->depth ? ",]" : ",");
    if (!quote && (last == name || (s->depth && *name == '[')))
        return refuse_rest(s, "the name of a column", fault);
    s->at = last ? last + !!quote : name + strlen(name);
    if (!last)
        return refuse_rest(s, quote == '"' ? "'\"' to close the name" : "\"'\" to close the name", fault);
    if (quote) skip_blanks(s);
    *end = *s->at;
    if (*end && *end != ',' && (*end != ']' || !s->depth))
        return refuse_rest(s, s->depth ? "',' or ']' behind the name" : "',' behind the name", fault);
    *s->at = *last = 0;
    s->at += !!*end;
    s->names[s->n++] = name;
    return true;
}

/* Read the names of the selection; false sets the fault. */
static bool read_names(struct selection *s, struct fault *fault) {
    char end = ',';
    for (; s->depth < 2 && *s->at == '['; s->depth++) {
        s->at++;
        skip_blanks(s);
    }
    while (end == ',')
        if (!next_name(s, &end, fault)) return false;
    for (int i = 0; i < s->depth; i++) {
        skip_blanks(s);
        if (i ? *s->at != ']' : end != ']') return refuse_rest(s, "']' to close the list of columns", fault);
        s->at += i;
    }
    skip_blanks(s);
    return !*s->at || refuse_rest(s, "the end of the text behind ']'", fault);
}

/* Return the columns of the table of the file `path` that `names`, behind it in the text `whole`, select; `names`
   changes. */
static ty_tensor *select_columns(const char *whole, const char *path, const ty_table *table, char *names) {
    size_t most = 1;
    char owner[320];
    struct fault fault = {0};
    for (const char *at = names; *at; at++) most += *at == ',';
    struct selection s = {.whole = whole, .at = names, .names = malloc(most * sizeof *s.names)};
    if (!s.names) return ty_poison_code(E_MEMORY, "out of memory");
    text_print(owner, sizeof owner, "%.300s:", path);
    if (*names && *names != '[' && ty_table_find(table, names) >= 0)
        s.names[s.n++] = names; /* which may have commas */
    else
        read_names(&s, &fault);
    for (size_t i = 0; i < s.n && !fault.set; i++)
        if (ty_table_find(table, s.names[i]) < 0) table_refuse(table, owner, s.names[i], "", &fault);
    ty_tensor *x = NULL;
    if (fault.set) {
        x = tensor_fault(&fault);
    } else if (s.n == 1) {
        x = ty_table_column(table, s.names[0]);
    } else {
        ty_table *part = ty_table_select(table, (int64_t)s.n, s.names);
        x = ty_table_matrix(part, TY_F64);
        ty_table_free(part);
    }
    free(s.names);
    return x;
}

char *file_selected(const char *text, const char **rest) {
    for (const char *at = strpbrk(text, ":["); at && access(text, F_OK); at = strpbrk(at + 1, ":[")) {
        char *path = strndup(text, (size_t)(at - text));
        *rest = at;
        if (path && is_csv(path)) return path;
        free(path);
    }
    return NULL;
}

bool file_columns(const char *text, const struct reader_in *in, ty_tensor **x) {
    const char *rest = NULL;
    char *path = file_selected(text, &rest), *names = path ? strdup(rest + (*rest == ':')) : NULL;
    bool well = names;
    if (well) {
        ty_table *table = reader_try(path, in);
        *x = !table || *ty_table_error(table) ? ty_table_failure(table)
                                              : select_columns(text, path, table, names);
        ty_table_free(table);
    }
    free(path);
    free(names);
    return well;
}

/* ---- arrays ---- */

const char *file_names(const ty_archive *archive, char *out) {
    struct nearest all = {.wanted = ""};
    for (int i = 0; i < ty_archive_count(archive); i++) nearest_list(&all, ty_archive_name(archive, i));
    text_print(out, ARRAY_NAMES, "%d arrays: %s", ty_archive_count(archive), all.list);
    return out;
}

ty_archive *file_open_key(const char *path, const struct reader_in *in, const char **key) {
    const char *colon = folders_key(path);
    ty_archive *archive = open_archive(path, in, (ty_file_options){0});
    *key = NULL;
    if (archive && *ty_archive_error(archive) && colon && strncmp(colon, "://", 3) != 0) {
        char *file = strndup(path, (size_t)(colon - path));
        ty_archive_free(archive);
        archive = open_archive(file ? file : "", in, (ty_file_options){0});
        free(file);
        *key = colon + 1;
    }
    bool well = archive && !*ty_archive_error(archive);
    if (archive && !well) COMPLAIN_FAILURE(ty_archive_failure(archive));
    if (well && !strcmp(archive->format->name, "raw"))
        well = complain(
                   "%s: its elements have no dtype; tyto convert FILE OUT.npy --raw-dtype f32 gives them one",
                   path) == EXIT_SUCCESS;
    if (well) return archive;
    ty_archive_free(archive);
    return NULL;
}

/* Return poison that says which arrays a file has, as one was expected. */
static ty_tensor *refuse_several(const ty_archive *archive, const char *path) {
    char names[ARRAY_NAMES];
    return ty_archive_count(archive)
               ? ty_poison_code(E_ARGUMENT, "%.300s has %s; expected one: %.300s:%s selects it", path,
                                file_names(archive, names), path, ty_archive_name(archive, 0))
               : ty_poison_code(E_ARGUMENT, "%.300s has no arrays", path);
}

ty_tensor *file_tensor(const char *path, const struct reader_in *in) {
    const char *key;
    ty_tensor *columns;
    if (file_columns(path, in, &columns)) {
        if (!ty_ok(columns)) complain_of(columns);
        return columns;
    }
    ty_archive *archive = file_open_key(path, in, &key);
    if (!archive) return ty_poison_code(E_FILE, "%s was not read", path);
    int n = ty_archive_count(archive);
    ty_tensor *x = key      ? ty_archive_get(archive, key)
                   : n == 1 ? ty_archive_at(archive, 0)
                            : refuse_several(archive, path);
    if (!ty_ok(x)) complain_of(x);
    ty_archive_free(archive);
    return x;
}

bool file_write_text(const char *path, char *text) {
    struct fault fault = {0};
    if (text && out_is_standard(path)) { /* by stdio: a closed pipe ends the process */
        bool printed = fputs(text, stdout) >= 0;
        ty_free(text);
        return printed;
    }
    struct replacement *r = text ? replacement_begin(path, &fault) : NULL;
    bool written = r && replacement_write(r, text, strlen(text));
    written = r && replacement_end(r, written) && written;
    if (!written) text ? complain_fault(&fault) : complain("out of memory");
    ty_free(text);
    return written;
}
