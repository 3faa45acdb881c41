/* Options of input files, and opening them. */
#include "base/files/file.h"
#include "tools/file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "io/archive.h"

char character_of(const char *text) {
    if (!text) return 0;
    if (!strcmp(text, "tab") || !strcmp(text, "\\t")) return '\t';
    return strcmp(text, "blank") ? *text : ' ';
}

static bool parse_character(const char *text, void *place) {
    *(const char **)place = text;
    return text[0] && (!text[1] || character_of(text) != text[0]);
}

/* Set the char * at `place` to text, the name of a file to write; return false if its ending names no
   format that can be written. The text is borrowed. */
static bool parse_written(const char *text, void *place) {
    bool gzip;
    const struct format *format = format_of_path(text, &gzip);
    *(const char **)place = text;
    return format && format->write && !(gzip && format->several);
}

const struct option_type option_written = {
    .argument = "FILE",
    .expected = "a name that ends in the format to write: .npy, .npz, .csv, .safetensors, ...",
    .parse = parse_written,
    .written = true};
const struct option_type option_character = {
    .argument = "C", .expected = "one character, tab or blank", .parse = parse_character};
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

ty_archive *file_open(const struct file_in *in) {
    int64_t shape[TY_MAX_RANK];
    ty_file_options options = {.format = in->format, .bf16 = in->bf16, .rank = -1, .shape = shape};
    options.delimiter = character_of(in->delimiter);
    options.comment = character_of(in->comment);
    options.skip_rows = in->skip_rows;
    options.rounded = in->rounded;
    options.unturned = in->unturned;
    options.offset = in->offset;
    options.most_bytes = (uint64_t)in->most_bytes;
    options.dtype = in->dtype ? (ty_dtype)(in->dtype - 1) : TY_U8;
    if (!in->format && in->dtype) options.format = "raw";
    if (in->shape && !parse_shape(in->shape, &options.rank, shape)) {
        complain("--raw-shape %s: expected sizes like 3,4", in->shape);
        return NULL;
    }
    ty_archive *archive = ty_archive_open(in->path, options);
    if (!*ty_archive_error(archive)) return archive;
    complain("%s", ty_archive_error(archive));
    ty_archive_free(archive);
    return NULL;
}

ty_archive *file_open_key(const char *path, int64_t most_bytes, const char **key) {
    ty_file_options options = {.most_bytes = (uint64_t)most_bytes};
    const char *colon = strrchr(path, ':');
    ty_archive *archive = ty_archive_open(path, options);
    *key = NULL;
    if (*ty_archive_error(archive) && colon) {
        char *file = strndup(path, (size_t)(colon - path));
        ty_archive_free(archive);
        archive = ty_archive_open(file ? file : "", options);
        free(file);
        *key = colon + 1;
    }
    if (!*ty_archive_error(archive)) return archive;
    complain("%s", ty_archive_error(archive));
    ty_archive_free(archive);
    return NULL;
}

ty_tensor *file_tensor(const char *path, int64_t most_bytes) {
    const char *key;
    ty_archive *archive = file_open_key(path, most_bytes, &key);
    if (!archive) return ty_poison_code(E_FILE, "%s was not read", path);
    int n = ty_archive_count(archive);
    ty_tensor *x = key ? ty_archive_get(archive, key)
                   : n == 1
                       ? ty_archive_at(archive, 0)
                       : ty_poison_code(E_ARGUMENT, "%s holds %d arrays; %s:NAME selects one", path, n, path);
    if (!ty_ok(x)) complain("%s", ty_error(x));
    ty_archive_free(archive);
    return x;
}

bool file_write_text(const char *path, char *text) {
    struct fault fault = {0};
    struct replacement *r = text ? replacement_begin(path, &fault) : NULL;
    bool written = r && replacement_write(r, text, strlen(text));
    written = r && replacement_end(r, written) && written;
    if (!written) complain("%s", text ? fault.text : "out of memory");
    ty_free(text);
    return written;
}
