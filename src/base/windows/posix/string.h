/* string.h of mingw-w64, and the parts that it lacks. */
#ifndef WINDOWS_STRING_H
#define WINDOWS_STRING_H
#include_next <string.h>

char *strndup(const char *text, size_t most);
char *strcasestr(const char *text, const char *part);
void *memmem(const void *bytes, size_t n, const void *part, size_t length);
#endif
