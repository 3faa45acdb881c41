/* Options and functions for input files, shared by commands. */
#ifndef TOOLS_OPTIONS_FILE_H
#define TOOLS_OPTIONS_FILE_H
#include <tyto/io.h>
#include <tyto/table.h>
#include "base/nearest.h"
#include "tools/options/reader.h"

/* Settings of an input file; a member `in` of a command's settings. */
struct file_in {
    const char *path, *format, *shape;
    int dtype; /* 0, or 1 + a ty_dtype */
    uint64_t offset;
    bool bf16, words, unturned;
    struct reader_in reader;
};
#define FILE_IN_OPTIONS(settings)                                                                            \
    {"--from", &option_name, offsetof(settings, in.format),                                                  \
     "read the file as this format, if it is not recognised automatically"},                                 \
        READER_OPTIONS(offsetof(settings, in.reader)),                                                       \
        {"--words", &option_flag, offsetof(settings, in.words),                                              \
         "csv: number the words of a column, in the order of their bytes"},                                  \
        {"--unturned", &option_flag, offsetof(settings, in.unturned),                                        \
         "images: ignore the Exif orientation"},                                                             \
        {"--bf16", &option_flag, offsetof(settings, in.bf16),                                                \
         "npy: read elements of two bytes without a type as bf16"},                                          \
        {"--raw-dtype", &option_dtype, offsetof(settings, in.dtype), "raw: read elements of this dtype"},    \
        {"--raw-shape", &option_name, offsetof(settings, in.shape),                                          \
         "raw: give the array this shape, such as 3,4 (one axis of all elements)"},                          \
    {                                                                                                        \
        "--raw-offset", &option_seed, offsetof(settings, in.offset), "raw: skip N bytes before the elements" \
    }

/* Open FILE or FILE:KEY for reading by the options of `in`; the caller frees it.  *key becomes the text after the
   colon, or NULL.  NULL after a message on stderr. */
ty_archive *file_open_key(const char *path, const struct reader_in *in, const char **key);
/* Write the number and the names of an archive's arrays to out[ARRAY_NAMES], "2 arrays: a, b", and return it. */
enum { ARRAY_NAMES = NEAREST_LIST + 40 };
const char *file_names(const ty_archive *archive, char *out);
/* Return a copy, to be freed with free, of the name of the csv file before a colon or a bracket of the text, and set *rest
   to this character.  NULL if there is no such file, or the text itself is the name of a file. */
char *file_selected(const char *text, const char **rest);
/* Set *x to the columns that FILE.csv:NAME, FILE.csv:NAME,NAME or FILE.csv["NAME","NAME"] selects: a vector, which for
   words has their codes, or a matrix of f64; poison on failure.  False if the text has another form. */
bool file_columns(const char *text, const struct reader_in *in, ty_tensor **x);
/* Return true if the file of `in` is csv by its options or its name. */
bool file_is_csv(const struct file_in *in);
/* Read the one array that FILE or FILE:KEY names; poison after a message if there is none or several. */
ty_tensor *file_tensor(const char *path, const struct reader_in *in);
/* Write a text of the library to `path` and free it; false after a message on stderr. A NULL text means
   that there was no memory for it. */
bool file_write_text(const char *path, char *text);
/* Open the file of `in` with its options; the caller frees it with ty_archive_free. NULL after a message on
   stderr. */
ty_archive *file_open(const struct file_in *in);
/* As file_open, without a message if the file cannot be read; the archive then has its error. */
ty_archive *file_try(const struct file_in *in);
#endif
