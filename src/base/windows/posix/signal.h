/* signal.h of mingw-w64, and the parts that it lacks.  Windows sends no signals to threads, so masks have no effect. */
#ifndef WINDOWS_SIGNAL_H
#define WINDOWS_SIGNAL_H
#include_next <signal.h>
#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <pthread_signal.h>

#define SIGHUP 1
#define SIGKILL 9
#define SIGPIPE 13
#define SIGALRM 14
#define SIGBUS 10

typedef _sigset_t sigset_t;
struct sigaction {
    void (*sa_handler)(int);
    sigset_t sa_mask;
    int sa_flags;
};
enum { SA_RESETHAND = 1, SA_RESTART = 2 };
enum { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK };

/* Set or tell the handler of a signal that msvcrt has.  A handler serves one signal, as with SA_RESETHAND.  That of
   SIGINT runs on a thread of its own. */
int sigaction(int number, const struct sigaction *action, struct sigaction *before);
/* Return 0 if the process lives (number 0), else -1 with errno; other numbers are refused. */
int kill(pid_t process, int number);

static inline int sigemptyset(sigset_t *set) { return *set = 0, 0; }
static inline int sigfillset(sigset_t *set) { return *set = (sigset_t)-1, 0; }
static inline int sigaddset(sigset_t *set, int number) { return *set |= (sigset_t)1 << number, 0; }
static inline int sigismember(const sigset_t *set, int number) { return (int)(*set >> number & 1); }
static inline int sigpending(sigset_t *set) { return sigemptyset(set); }
static inline int sigwait(const sigset_t *set, int *number) { return (void)set, *number = 0, EINVAL; }
#undef pthread_sigmask
static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
    (void)how, (void)set;
    if (before) *before = 0;
    return 0;
}
#endif
