/*
 * The JSON that commands print with --json (docs/json.md).  A command appends its results as members of one object, which
 * main.c begins, and writes to the standard output when the command has ended.  Texts that are not UTF-8 have escapes in
 * the place of their wrong bytes.  NaN is null, and infinities are "Infinity" and "-Infinity".
 */
#ifndef TOOLS_OPTIONS_RESULT_H
#define TOOLS_OPTIONS_RESULT_H
#include <stdbool.h>
#include <stdint.h>
#include <tyto/table.h>

/* Set the digits of printed numbers; 0: the usual ones. */
void precision_set(int64_t digits);
/* Return the digits of --precision, or `usual` without it. */
int precision_or(int usual);

enum {
    SHOWN = 480
}; /* bytes of the longest number: 309 digits before the point, and as many as --precision takes */
/* Write x to out, which has SHOWN bytes, with the digits of --precision, or else with `decimals` of them behind the point;
   return out. */
const char *shown(char *out, int decimals, double x);

/* Print x with the digits of --precision, and a line end, unless --json is given.  False after a message on stderr; of
   failures of the standard output main.c prints it. */
bool print_tensor(ty_tensor *x);

/* Print as printf does, unless --json is given. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Return true if --json was given: the command prints no other text on the standard output. */
bool result_json(void);
/* Begin the object, if `asked`; main.c calls it before the command. */
void result_start(bool asked);
/* End the object and write it, unless the command has failed before its first result.  False after a message on stderr. */
bool result_write(bool failed);

/* Let result_write replace the file `path`, which is borrowed; NULL: the standard output. */
void result_to(const char *path);

/* Append a value under `key`; NULL in a list.  Nothing is appended without --json. */
void result_text(const char *key, const char *text);             /* NULL: null */
void result_bytes(const char *key, const char *bytes, size_t n); /* n bytes of UTF-8, also zeros */
void result_number(const char *key, double number);
void result_whole(const char *key, int64_t number);
void result_flag(const char *key, bool flag);
/* Append the list of sizes "shape". */
void result_shape(int rank, const int64_t *shape);
/* Append an object with a key and a value, texts of a file's metadata, to a list. */
void result_pair(const char *key, const char *value);
/* Append the elements of a value as nested lists, complex ones as pairs of numbers.  False after a message on stderr: x
   is poison. */
bool result_elements(const char *key, ty_tensor *x);
/* Append an object with the name (NULL: none), dtype, shape and elements of a value; false after a message on stderr. */
bool result_tensor(const char *key, const char *name, ty_tensor *x);
/* Append the number of rows and the columns of a table, as an object under `key`, or to the present one if that is NULL.
   False after a message on stderr: the table has an error. */
bool result_table(const char *key, const ty_table *table);
/* Append the list "written" of the names of n files that the command has written. */
void result_written(int n, const char *const *paths);
/* Append an object with the name, dtype and shape of an array to a list. */
void result_port(const char *name, const ty_tensor *x);
/* Append a text without its line end under `key`, or print it, and free it with ty_free; false after a message on stderr:
   it is NULL for lack of memory, or cannot be printed. */
bool result_take(const char *key, char *text);
/* Append `words` to a text as a string; bytes that are not UTF-8 have escapes. */
struct text;
void json_words(struct text *t, const char *words);
/* Begin and end an object '{' or a list '['. */
void result_open(const char *key, char bracket);
void result_close(void);
#endif
