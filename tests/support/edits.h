/* The smallest wrong inputs: all texts that differ from a given one by one edit. */
#ifndef TESTS_SUPPORT_EDITS_H
#define TESTS_SUPPORT_EDITS_H

enum { EDIT_LENGTH = 80 };
/* Call `visit` with each text that differs from `text` (shorter than EDIT_LENGTH - 1) by one character deleted,
   inserted or replaced, out of `alphabet`.  Returns their number. */
int each_edit(const char *text, const char *alphabet, void (*visit)(void *context, const char *edited),
              void *context);
#endif
