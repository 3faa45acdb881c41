/* The smallest wrong inputs: every text that one edit makes of another. */
#ifndef TESTS_SUPPORT_EDITS_H
#define TESTS_SUPPORT_EDITS_H

enum { EDIT_LENGTH = 80 };
/* Calls `visit` with each text that differs from `text` (shorter than EDIT_LENGTH - 1) by one character left out, put in
   or put in place of another, out of `alphabet`; returns how many there were. */
int each_edit(const char *text, const char *alphabet, void (*visit)(void *context, const char *edited),
              void *context);
#endif
