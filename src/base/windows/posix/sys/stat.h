/* sys/stat.h of mingw-w64 with a struct stat of our own: names in UTF-8, times in nanoseconds, ids of files. */
#ifndef WINDOWS_SYS_STAT_H
#define WINDOWS_SYS_STAT_H
#include_next <sys/stat.h>
#include <errno.h>
#include <stdint.h>
#include <time.h>

#undef stat
#undef fstat
#define stat windows_stat
#define fstat windows_fstat
struct windows_stat {
    uint64_t st_dev, st_ino;
    mode_t st_mode;
    int st_nlink, st_uid, st_gid;
    int64_t st_size;
    struct timespec st_mtim;
};
#undef st_mtime
#define st_mtime st_mtim.tv_sec

#define S_IFLNK 0xa000
#define S_ISLNK(mode) (((mode)&0xf000) == S_IFLNK)
#define S_IFSOCK 0xc000
#define S_ISSOCK(mode) (((mode)&0xf000) == S_IFSOCK)
#ifndef S_IWGRP
#define S_IWGRP 020
#define S_IWOTH 002
#endif

int windows_stat(const char *path, struct windows_stat *out);
int windows_fstat(int file, struct windows_stat *out);
int lstat(const char *path, struct windows_stat *out);
int fstatat(int folder, const char *name, struct windows_stat *out, int flags);
/* Set the time of the last change to now; `times` must be NULL. */
int futimens(int file, const struct timespec times[2]);
/* Do nothing: rights are those of the folder. */
static inline int fchmod(int file, mode_t mode) { return (void)file, (void)mode, 0; }
/* Fail with ENOSYS: named pipes have no names in folders. */
static inline int mkfifo(const char *path, mode_t mode) { return (void)path, (void)mode, errno = ENOSYS, -1; }
int windows_mkdir(const char *path, mode_t mode);
#undef mkdir
#define mkdir(path, mode) windows_mkdir(path, mode)
#endif
