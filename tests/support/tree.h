/* Files of the source tree, for tests that hold what is written there against what is built. */
#ifndef TESTS_SUPPORT_TREE_H
#define TESTS_SUPPORT_TREE_H
#include "tests/support/harness.h"

/* A whole file as text, given back when the test ends; the test fails where there is none. */
char *tree_text(const char *path);
/* Whether `name` stands in `text` as a whole word. */
bool tree_has_word(const char *text, const char *name);
/* The next line of a text, ended with 0; *text goes on behind it.  NULL: there is none. */
char *tree_line(char **text);
/* The expression of a line of goldens.txt, without what NumPy is asked; NULL: a remark or an empty line. */
char *tree_golden(char *line);
#endif
