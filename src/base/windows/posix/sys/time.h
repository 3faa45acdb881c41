/* sys/time.h of mingw-w64, and timers that send signals, which fail. */
#ifndef WINDOWS_SYS_TIME_H
#define WINDOWS_SYS_TIME_H
#include_next <sys/time.h>
#include <errno.h>
struct itimerval {
    struct timeval it_interval, it_value;
};
enum { ITIMER_REAL };
static inline int setitimer(int which, const struct itimerval *value, struct itimerval *before) {
    return (void)which, (void)value, (void)before, errno = ENOSYS, -1;
}
#endif
