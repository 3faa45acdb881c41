/* Resources that a process has used. */
#ifndef WINDOWS_SYS_RESOURCE_H
#define WINDOWS_SYS_RESOURCE_H
#include <errno.h>
#include <sys/time.h>
enum { RUSAGE_SELF, RUSAGE_CHILDREN = -1 };
struct rusage {
    struct timeval ru_utime, ru_stime;
    long ru_maxrss; /* KiB, as on Linux */
    long ru_minflt, ru_majflt;
};
/* Limits of resources, which processes of Windows do not have: both functions fail with ENOSYS. */
typedef unsigned long long rlim_t;
struct rlimit {
    rlim_t rlim_cur, rlim_max;
};
enum { RLIMIT_FSIZE = 1, RLIMIT_NOFILE = 7, RLIMIT_AS = 9 };
#define SIGXFSZ 25
static inline int getrlimit(int what, struct rlimit *limit) {
    return (void)what, (void)limit, errno = ENOSYS, -1;
}
static inline int setrlimit(int what, const struct rlimit *limit) {
    return (void)what, (void)limit, errno = ENOSYS, -1;
}
/* RUSAGE_SELF alone; others are refused. */
int getrusage(int who, struct rusage *usage);
#endif
