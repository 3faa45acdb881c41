/* stdio.h of mingw-w64. Files have names in UTF-8, and their lines are not translated. */
#ifndef WINDOWS_STDIO_H
#define WINDOWS_STDIO_H
#include_next <stdio.h>

/* Open a file; `mode` may have the letter e of glibc, no inheritance. */
FILE *windows_fopen(const char *path, const char *mode);
int windows_rename(const char *from, const char *to);
int renameat(int from_folder, const char *from, int to_folder, const char *to);
int windows_remove(const char *path);
#undef fopen
#define fopen(path, mode) windows_fopen(path, mode)
#define rename(from, to) windows_rename(from, to)
#define remove(path) windows_remove(path)
#endif
