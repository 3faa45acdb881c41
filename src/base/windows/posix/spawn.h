/* Processes of shells, which Windows lacks: posix_spawnp refuses. */
#ifndef WINDOWS_SPAWN_H
#define WINDOWS_SPAWN_H
#include <errno.h>
#include <sys/types.h>
typedef int posix_spawnattr_t;
typedef int posix_spawn_file_actions_t;
enum { POSIX_SPAWN_SETPGROUP = 1 };
static inline int posix_spawnattr_init(posix_spawnattr_t *a) { return *a = 0; }
static inline int posix_spawnattr_destroy(posix_spawnattr_t *a) { return *a = 0; }
static inline int posix_spawnattr_setflags(posix_spawnattr_t *a, short flags) { return *a = flags, 0; }
static inline int posix_spawnattr_setpgroup(posix_spawnattr_t *a, pid_t group) {
    return (void)a, (void)group, 0;
}
static inline int posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                               const posix_spawnattr_t *a, char *const words[], char *const environment[]) {
    (void)process, (void)file, (void)actions, (void)a, (void)words, (void)environment;
    return ENOSYS;
}
#endif
