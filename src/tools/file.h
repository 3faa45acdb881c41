/* Options and functions for input files, shared by commands. */
#ifndef TOOLS_FILE_H
#define TOOLS_FILE_H
#include <tyto/io.h>
#include <tyto/table.h>
#include "tools/command.h"

/* Settings of an input file; a member `in` of a command's settings. */
struct file_in {
    const char *path, *format, *delimiter, *comment, *shape;
    int dtype; /* 0, or 1 + a ty_dtype */
    int64_t skip_rows;
    uint64_t offset;
    int64_t most_bytes;
    bool bf16, rounded, unturned;
};
/* The option of every command that reads arrays: an int64_t, 0 where it is not given. */
#define FILE_MOST_OPTION(place)                                                                              \
    {                                                                                                        \
        "--most-bytes", &option_count, place,                                                                \
            "limit for unpacked bytes (default: 16 times the file plus 64 MiB)"                              \
    }
#define FILE_IN_OPTIONS(settings)                                                                            \
    {"--from", &option_name, offsetof(settings, in.format),                                                  \
     "the format of the file, if it is not recognised automatically"},                                       \
        {"--csv-delimiter", &option_character, offsetof(settings, in.delimiter),                             \
         "csv: the delimiter: ',', ';', tab, blank"},                                                        \
        {"--csv-comment", &option_character, offsetof(settings, in.comment),                                 \
         "csv: this character begins a comment (#, but only at the start of a line or between blanks)"},     \
        {"--skip-rows", &option_count, offsetof(settings, in.skip_rows),                                     \
         "csv: number of first lines to skip"},                                                              \
        {"--rounded", &option_flag, offsetof(settings, in.rounded),                                          \
         "csv: accept integers that f64 must round"},                                                        \
        {"--unturned", &option_flag, offsetof(settings, in.unturned),                                        \
         "images: ignore the Exif orientation"},                                                             \
        {"--bf16", &option_flag, offsetof(settings, in.bf16),                                                \
         "npy: read elements of two bytes without a type as bf16"},                                          \
        FILE_MOST_OPTION(offsetof(settings, in.most_bytes)),                                                 \
        {"--raw-dtype", &option_dtype, offsetof(settings, in.dtype), "raw: the dtype of the elements"},      \
        {"--raw-shape", &option_name, offsetof(settings, in.shape),                                          \
         "raw: the shape, such as 3,4 (one axis of all elements)"},                                          \
    {                                                                                                        \
        "--raw-offset", &option_seed, offsetof(settings, in.offset),                                         \
            "raw: number of bytes before the elements"                                                       \
    }

/* Type of one character, or the words tab and blank, which stores the text. */
extern const struct option_type option_character;
/* Type of an output file whose extension determines its format. */
extern const struct option_type option_written;
/* Return the character of an option_character text: "tab", "blank" or the character itself; 0 for NULL. */
char character_of(const char *text);
/* Open FILE or FILE:KEY for reading; the caller frees it. most_bytes limits unpacked bytes (0: default).
   *key becomes the text after the colon, or NULL. NULL after a message on stderr. */
ty_archive *file_open_key(const char *path, int64_t most_bytes, const char **key);
/* Set *x to the columns that FILE.csv:NAME, FILE.csv:NAME,NAME or FILE.csv["NAME","NAME"] selects: a vector, which for
   words has their codes, or a matrix of f64; poison on failure.  False if the text has another form. */
bool file_columns(const char *text, int64_t most_bytes, ty_tensor **x);
/* Read the table of a csv file with the options of `in`, of which NULL stands for an error after a message on stderr;
   the caller frees it with ty_table_free. */
ty_table *file_table(const struct file_in *in);
/* Return true if the file of `in` is csv by its options or its name. */
bool file_is_csv(const struct file_in *in);
/* Read the one array that FILE or FILE:KEY names; poison after a message if there is none or several.
   most_bytes limits unpacked bytes (0: default). */
ty_tensor *file_tensor(const char *path, int64_t most_bytes);
/* Write a text of the library to `path` and free it; false after a message on stderr. A NULL text means
   that there was no memory for it. */
bool file_write_text(const char *path, char *text);
/* Open the file of `in` with its options; the caller frees it with ty_archive_free. NULL after a message on
   stderr. */
ty_archive *file_open(const struct file_in *in);
/* As file_open, without a message if the file cannot be read; the archive then has its error. */
ty_archive *file_try(const struct file_in *in);
#endif
