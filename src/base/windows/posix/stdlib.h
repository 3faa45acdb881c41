/* stdlib.h of mingw-w64, and the parts that it lacks. */
#ifndef WINDOWS_STDLIB_H
#define WINDOWS_STDLIB_H
#include_next <stdlib.h>

/* Allocate memory for release_aligned, which is not free.  Return 0, or an error of errno. */
int posix_memalign(void **out, size_t alignment, size_t bytes);
/* Free memory of posix_memalign. */
void windows_release_aligned(void *memory);
#define release_aligned(memory) windows_release_aligned(memory)
/* Write the true path of an existing file to out[PATH_MAX], with slashes; NULL with errno. */
char *realpath(const char *path, char *out);
int mkostemp(char *path, int flags);
int mkstemp(char *path);
char *mkdtemp(char *path);
int setenv(const char *name, const char *value, int overwrite);
int unsetenv(const char *name);

/* Return the value of a variable in UTF-8, which stays valid. TMPDIR and HOME are TEMP and USERPROFILE if they are not
   set. */
char *windows_getenv(const char *name);
/* Register a function for exit, and keep the library of this function loaded until then. */
int windows_atexit(void (*function)(void));
#define getenv(name) windows_getenv(name)
#define atexit(function) windows_atexit(function)
#endif
