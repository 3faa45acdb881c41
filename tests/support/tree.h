/* Files of the source tree, for tests that compare their text with the build. */
#ifndef TESTS_SUPPORT_TREE_H
#define TESTS_SUPPORT_TREE_H
#include "tests/support/harness.h"

/* Return a whole file as text, freed when the test ends; fails the test if there is none. */
char *tree_text(const char *path);
/* Return true if `name` occurs in `text` as a whole word. */
bool tree_has_word(const char *text, const char *name);
/* Return the next line of a text, terminated by 0, and advance *text.  NULL: there is none. */
char *tree_line(char **text);
/* Return the expression of a line of goldens.txt, without NumPy's part; NULL for a comment or an empty line. */
char *tree_golden(char *line);
#endif
