/* Reading of tables by the options of commands. */
#include "tools/options/reader.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "io/archive.h"
#include "tools/options/message.h"
#include "tools/options/streams.h"

char character_of(const char *text) {
    if (!text) return 0;
    if (!strcmp(text, "tab") || !strcmp(text, "\\t")) return '\t';
    return strcmp(text, "blank") ? *text : ' ';
}

static bool parse_character(const char *text, void *place) {
    *(const char **)place = text;
    return text[0] && (!text[1] || character_of(text) != text[0]);
}

const struct option_type option_character = {
    .argument = "C", .expected = "one character, tab or blank", .parse = parse_character};

static const char *header_named(int i) {
    static const char *const names[] = {
        [TY_HEADER_GUESSED] = "guess", [TY_HEADER_FIRST] = "first", [TY_HEADER_NONE] = "none", NULL};
    return names[i];
}
const struct option_type option_header = OPTION_NAMED("HOW", header_named);

/* Return the list of words of a text that separates them by commas, in one block with their bytes, and set *count;
   NULL: no memory. */
static const char **words_of(const char *text, int *count) {
    size_t n = 1, length = strlen(text) + 1;
    for (const char *at = text; *at; at++) n += *at == ',';
    const char **words = malloc(n * sizeof *words + length);
    if (!words) return NULL;
    char *at = memcpy(words + n, text, length);
    *count = 0;
    for (; at; (*count)++) {
        words[*count] = at;
        at = strchr(at, ',');
        if (at) *at++ = 0;
    }
    return words;
}

bool reader_options(const struct reader_in *in, ty_table_options *out, void **words) {
    *words = NULL;
    *out = (ty_table_options){.delimiter = character_of(in->delimiter),
                              .decimal = character_of(in->decimal),
                              .comment = character_of(in->comment),
                              .header = (ty_header)in->header,
                              .skip_rows = in->skip_rows,
                              .ragged = in->ragged,
                              .rounded = in->rounded,
                              .most_bytes = (uint64_t)in->most_bytes};
    if (!in->missing) return true;
    const char **list = words_of(in->missing, &out->nmissing);
    out->missing = list;
    *words = (void *)list;
    return list || complain("out of memory") == EXIT_SUCCESS;
}

const char *reader_path(const char *path) { return strcmp(path, "-") ? path : "/dev/stdin"; }

/* Return true if the first bytes of a seekable file, after unpacking, are those of a format other than csv. */
static bool is_recognised(const char *path) {
    uint8_t head[FORMAT_HEAD];
    size_t n = 0;
    struct fault fault = {0};
    struct input *in = input_unwrap(input_path(path, &fault), &fault);
    bool known = in && input_read(in, 0, head, sizeof head, &n, &fault) && format_of_bytes(head, n);
    input_close(in);
    return known;
}

bool reader_streams(const char *path) {
    struct stat found;
    if (stream_descriptor(path) >= 0) return !is_recognised(reader_path(path));
    return !stat(path, &found) && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

ty_table *reader_try(const char *path, const struct reader_in *in) {
    ty_table_options options;
    void *words;
    if (!reader_options(in, &options, &words)) return NULL;
    ty_table *table = ty_table_read(reader_path(path), options);
    free(words);
    return table;
}

ty_table *reader_open(const char *path, const struct reader_in *in) {
    ty_table *table = reader_try(path, in);
    if (!table || !*ty_table_error(table)) return table;
    COMPLAIN_FAILURE(ty_table_failure(table));
    ty_table_free(table);
    return NULL;
}
