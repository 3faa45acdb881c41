/* unistd.h of mingw-w64, and the parts that it lacks. */
#ifndef WINDOWS_UNISTD_H
#define WINDOWS_UNISTD_H
#include_next <unistd.h>
#include <process.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { _SC_PAGESIZE, _SC_PHYS_PAGES, _SC_NPROCESSORS_ONLN };
/* Return the value of a constant above; -1 for others. */
long sysconf(int name);

/* The type of user ids. There is one user: files have the ids of all as their owner's. */
static inline int geteuid(void) { return 0; }

/* Fail with ENOSYS: Windows cannot copy a process. */
pid_t fork(void);
/* Make a symbolic link, which needs a right of developers or administrators. */
int symlink(const char *target, const char *path);
/* Make a pipe for bytes. */
int pipe(int ends[2]);
/* Do nothing: no signal comes. */
static inline unsigned alarm(unsigned seconds) { return (void)seconds, 0u; }
/* Read at an offset; moves the offset of the descriptor. */
ssize_t pread(int file, void *out, size_t bytes, off_t offset);
/* Flush a file to the disk; EINVAL for folders, which need no flush. */
int fsync(int file);
int unlinkat(int folder, const char *name, int flags);
/* Write the target of /dev/stdin, /dev/stdout or /dev/stderr; EINVAL for all others.  Links of files are resolved by
   realpath. */
ssize_t readlink(const char *path, char *out, size_t bytes);

int windows_access(const char *path, int mode);
int windows_unlink(const char *path);
int windows_rmdir(const char *path);
/* Return 1 if the descriptor is a console. */
int windows_isatty(int file);
#define access(path, mode) windows_access(path, mode)
#define unlink(path) windows_unlink(path)
#define rmdir(path) windows_rmdir(path)
#define isatty(file) windows_isatty(file)
#endif
