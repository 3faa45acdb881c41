/* A locale with a decimal comma, for tests of texts that must not depend on the locale. */
#ifndef TESTS_SUPPORT_COMMA_LOCALE_H
#define TESTS_SUPPORT_COMMA_LOCALE_H
#include <stdbool.h>

/* Set a locale for the whole process, until the test ends: German if installed, else one made here.
   False: this C library has no decimal commas (musl), so nothing can be tested. */
bool comma_locale_begin(void);
/* Restore the locale. */
void comma_locale_end(void);
#endif
