/* Options of the reader of delimited text, which all commands that read tables share. */
#ifndef TOOLS_OPTIONS_READER_H
#define TOOLS_OPTIONS_READER_H
#include <tyto/table.h>
#include "tools/command.h"

/* Settings of the reader; a member of a command's settings. */
struct reader_in {
    const char *delimiter, *decimal, *comment;
    const char *missing; /* words, separated by commas; NULL: the default ones */
    int header;          /* a ty_header */
    int64_t skip_rows;
    int64_t most_bytes; /* limit for unpacked bytes; 0: default */
    bool ragged, rounded;
};

/* The options; `place` is the offset of the struct reader_in in the settings. */
#define READER_OPTIONS(place)                                                                                \
    {"--delimiter", &option_character, (place) + offsetof(struct reader_in, delimiter),                      \
     "csv: read this character between cells: ',', ';', tab, blank (guessed)"},                              \
        {"--decimal", &option_character, (place) + offsetof(struct reader_in, decimal),                      \
         "csv: read this character as the decimal sign (guessed)"},                                          \
        {"--header", &option_header, (place) + offsetof(struct reader_in, header),                           \
         "csv: take the first record for the names of columns: guess, first or none"},                       \
        {"--missing", &option_words, (place) + offsetof(struct reader_in, missing),                          \
         "csv: read these words, separated by commas, as missing elements (NA, null, ...: docs/data.md)"},   \
        {"--comment", &option_character, (place) + offsetof(struct reader_in, comment),                      \
         "csv: begin a comment at this character (# before a blank at the start of a line)"},                \
        {"--skip-rows", &option_count, (place) + offsetof(struct reader_in, skip_rows),                      \
         "csv: skip the first N lines"},                                                                     \
        {"--ragged", &option_flag, (place) + offsetof(struct reader_in, ragged),                             \
         "csv: end records with too few cells in missing elements"},                                         \
        {"--rounded", &option_flag, (place) + offsetof(struct reader_in, rounded),                           \
         "csv: accept integers that f64 must round"},                                                        \
    {                                                                                                        \
        "--most-bytes", &option_count, (place) + offsetof(struct reader_in, most_bytes),                     \
            "limit unpacked bytes (default: 16 times the file plus 64 MiB)"                                  \
    }

/* Type of one character, or the words tab and blank, which stores the text. */
extern const struct option_type option_character;
/* Type of an option whose value is a ty_header. */
extern const struct option_type option_header;
/* Return the character of an option_character text: "tab", "blank" or the character itself; 0 for NULL. */
char character_of(const char *text);

/* Set *out to the options of a reader.  Words for missing elements lie in *words, which the caller frees with free
   after reading.  False after a message on stderr. */
bool reader_options(const struct reader_in *in, ty_table_options *out, void **words);
/* Return the path of the standard input for "-", else `path`. */
const char *reader_path(const char *path);
/* Return true if `path` is no file with a name but a stream that has a table: a descriptor whose bytes are of no other
   format, or a pipe in a folder, whose bytes can be read once alone. */
bool reader_streams(const char *path);
/* Return the table at `path`; the caller frees it with ty_table_free.  Its error is not printed. */
ty_table *reader_try(const char *path, const struct reader_in *in);
/* As reader_try; NULL after a message on stderr. */
ty_table *reader_open(const char *path, const struct reader_in *in);
#endif
