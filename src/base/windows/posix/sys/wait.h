/* Child processes, which are not supported: nothing starts one. */
#ifndef WINDOWS_SYS_WAIT_H
#define WINDOWS_SYS_WAIT_H
#include <errno.h>
#include <sys/types.h>
struct rusage;
enum { WNOHANG = 1 };
#define WIFEXITED(status) ((status) >= 0)
#define WEXITSTATUS(status) ((status)&255)
#define WIFSIGNALED(status) ((void)(status), 0)
#define WTERMSIG(status) ((status)&127)
static inline pid_t waitpid(pid_t process, int *status, int options) {
    return (void)process, (void)status, (void)options, errno = ECHILD, -1;
}
static inline pid_t wait4(pid_t process, int *status, int options, struct rusage *usage) {
    return (void)usage, waitpid(process, status, options);
}
#endif
