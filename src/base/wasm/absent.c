/*
 * Functions that emscripten's headers declare and its library lacks: WebAssembly has one process on one processor.  They
 * fail with ENOSYS, so that callers say "Function not implemented".  Weak, so that a program may bring its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define WEAK __attribute__((weak))

WEAK int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set) {
    (void)process, (void)bytes, (void)set;
    errno = ENOSYS;
    return -1;
}

WEAK int __sched_cpucount(size_t bytes, const cpu_set_t *set) {
    (void)bytes, (void)set;
    return 0;
}

/* Return the error, as posix_spawn does. */
WEAK int posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attributes, char *const words[], char *const environment[]) {
    (void)process, (void)file, (void)actions, (void)attributes, (void)words, (void)environment;
    return ENOSYS;
}

WEAK pid_t wait4(pid_t process, int *status, int options, struct rusage *usage) {
    (void)process, (void)status, (void)options, (void)usage;
    errno = ENOSYS;
    return -1;
}
