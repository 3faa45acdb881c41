/* locale.h of mingw-w64, and the parts that it lacks. */
#ifndef WINDOWS_LOCALE_H
#define WINDOWS_LOCALE_H
#include_next <locale.h>

/* The C locale, or NULL: that of the process. */
typedef const void *locale_t;
enum { LC_ALL_MASK = 1, LC_CTYPE_MASK };
locale_t newlocale(int mask, const char *name, locale_t base);
/* Use the C locale until uselocale of the result.  If the decimal point of the process is another, this changes the
   locale of numbers of all threads, until the last of them has ended its use. */
locale_t uselocale(locale_t locale);
static inline void freelocale(locale_t locale) { (void)locale; }
#endif
