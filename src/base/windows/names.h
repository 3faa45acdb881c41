/* Names of files: UTF-8 in Tyto, UTF-16 in Windows' functions.  Results that name failures set errno. */
#ifndef BASE_WINDOWS_NAMES_H
#define BASE_WINDOWS_NAMES_H
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>
#include <limits.h>

/* A name of a file in UTF-16. */
struct wide_name {
    wchar_t at[PATH_MAX];
};

/* Set errno to that of the calling thread's last error of Windows; return -1. */
int names_fail(void);
/* Convert text that is no path, as the name of a variable.  False with errno if it is no UTF-8 or too long. */
bool names_text(const char *text, struct wide_name *out);
/* Convert a path; /dev/null becomes NUL, a long path the form that Windows takes.  False with errno if it is no UTF-8 or too
   long. */
bool names_wide(const char *path, struct wide_name *out);
/* Convert text to UTF-8 in out[room].  Return its bytes without the final 0; -1 with errno if it does not fit. */
int names_narrow(const wchar_t *from, char *out, size_t room);
/* Write the path of an open file or folder, with slashes, to out[room].  -1 with errno. */
int names_of_handle(void *handle, char *out, size_t room);
/* Write the path of `name` in an open folder, a descriptor or AT_FDCWD; absolute names stay.  -1 with errno. */
int names_join(int folder, const char *name, char out[PATH_MAX]);
/* Return the descriptor that /dev/stdin, /dev/stdout, /dev/stderr or /dev/fd/N names; -1: none. */
int names_descriptor(const char *path);
/* Copy a descriptor.  The copy has binary mode: the streams of a program that did not set it translate lines, and end at
   the byte 26.  -1 with errno. */
int names_copy(int descriptor);
/* Return true for the names of the folder of descriptors: /dev, /dev/fd. */
bool names_device_folder(const char *path);
#endif
