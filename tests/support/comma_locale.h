/* A locale whose numbers have a comma where ours have a point, for tests of texts that must not care. */
#ifndef TESTS_SUPPORT_COMMA_LOCALE_H
#define TESTS_SUPPORT_COMMA_LOCALE_H
#include <stdbool.h>

/* Sets it for the whole process, until the test ends.  It is de_DE.UTF-8 where that is installed, else one that is
   made here.  False: this C library has no commas at all (musl), so there is nothing to test. */
bool comma_locale_begin(void);
void comma_locale_end(void);
#endif
