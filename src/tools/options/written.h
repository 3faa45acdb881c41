/* Arrays that the command line writes out, such as x=[1, 2]. */
#ifndef TOOLS_OPTIONS_WRITTEN_H
#define TOOLS_OPTIONS_WRITTEN_H
#include <stdbool.h>
#include <tyto/core.h>

/* True if the text of an input may be a number or a list, such as -0.5 or [1, 2].  Texts that name files are none, also
   with a key or column: FILE:KEY or FILE[COLUMN]. */
bool is_written_out(const char *text);
/* Return the array that NAME=TEXT writes out, of which `at` is TEXT.  operations: limit, 0: none.  Poison after a message
   on stderr. */
ty_tensor *written_out(const char *item, const char *at, double operations);
#endif
