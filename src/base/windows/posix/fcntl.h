/* fcntl.h of mingw-w64, and the parts that it lacks.  The values of new flags are bits that msvcrt does not use. */
#ifndef WINDOWS_FCNTL_H
#define WINDOWS_FCNTL_H
#include_next <fcntl.h>
#include <io.h>
#include <sys/types.h>

#define O_CLOEXEC _O_NOINHERIT
#define O_DIRECTORY 0x01000000
#define O_NOFOLLOW 0x02000000
#define O_NONBLOCK 0x04000000 /* ignored: opening never waits */
#define O_NOCTTY 0            /* no process has a controlling terminal */

enum { AT_FDCWD = -100, AT_SYMLINK_NOFOLLOW = 0x100 };
enum { F_GETFD = 1, F_GETFL = 3, F_DUPFD_CLOEXEC = 1030 };

/* Open a file or folder in binary mode, so that others can rename or remove it meanwhile.  -1 with errno. */
int windows_open(const char *path, int flags, ...);
#define open(...) windows_open(__VA_ARGS__)
/* Open a file relative to an open folder. */
int openat(int folder, const char *name, int flags, ...);
/* F_GETFD and F_GETFL tell about a descriptor; F_DUPFD_CLOEXEC copies it. */
int fcntl(int file, int command, ...);
#endif
