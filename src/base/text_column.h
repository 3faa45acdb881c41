/* Cells of tables of text. */
#ifndef BASE_TEXT_COLUMN_H
#define BASE_TEXT_COLUMN_H
#include "base/text.h"

/* Return the number of characters that a name takes in a table. */
int text_column_width(const char *name);
/* Append a name that may come from a file (text_add_visible), padded to `width` characters; a longer one is cut and ends
   in "..". */
void text_add_column(struct text *t, const char *name, int width);
#endif
