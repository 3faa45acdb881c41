/* The encoding of text, which is UTF-8 (program.c). */
#ifndef WINDOWS_LANGINFO_H
#define WINDOWS_LANGINFO_H
#include <locale.h>

typedef int nl_item;
enum { CODESET };
/* Return the name of the encoding, of all locales. */
char *nl_langinfo(nl_item item);
static inline char *nl_langinfo_l(nl_item item, locale_t locale) { return (void)locale, nl_langinfo(item); }
#endif
