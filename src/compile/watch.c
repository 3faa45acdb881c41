/* Watchers of launches, and their environment variables. */
#include <stdio.h>
#include <tyto/graph.h>
#include <unistd.h>
#include "base/machine/environment.h"
#include "compile/watch/profile.h"
#include "compile/watch/trap.h"

static bool run(const struct launch *l, struct fault *fault) { return l->run(l, fault); }
static bool run_trapped(const struct launch *l, struct fault *fault) { return trap_launch(l, fault, run); }

/* Run a launch under the watches that are on (WATCH_ flags). False, with the fault set, if one of them or the
   launch fails. */
static bool watch(const struct launch *l, struct fault *fault) {
    int on = launch_watches();
    bool (*inner)(const struct launch *, struct fault *) = on & WATCH_NUMBERS ? run_trapped : run;
    return on & WATCH_TIME ? profile_launch(l, fault, inner) : inner(l, fault);
}
const struct watcher watcher = {watch};

/* Switch the search for NaN on or off and return the previous setting. Cached programs, compiled with the
   other setting, are dropped. */
bool ty_trap_nan(bool on) {
    int before = on ? atomic_fetch_or(&launch_watched, WATCH_NUMBERS)
                    : atomic_fetch_and(&launch_watched, ~WATCH_NUMBERS);
    bool was = before & WATCH_NUMBERS;
    if (was != on) ty_trim();
    return was;
}

static bool allows_trap(const char *value) {
    int64_t n;
    return environment_number(value, 1, &n);
}
const struct environment_row environment_trap = {
    "TY_TRAP_NAN", "0 or 1", allows_trap,
    "Fail at the first kernel that makes a NaN or an infinity of finite operands."};

static bool allows_any(const char *value) { return value; }
const struct environment_row environment_profile = {
    "TY_PROFILE", "the name of a file", allows_any,
    "Write a profile of all kernels to this file at the end."};

static pid_t asked; /* process in which TY_PROFILE was read, not its children; 0: none */

__attribute__((constructor)) static void begin(void) {
    const char *trap = environment_value(&environment_trap);
    if (trap && *trap == '1') atomic_fetch_or(&launch_watched, WATCH_NUMBERS);
    if (!environment_value(&environment_profile)) return;
    asked = getpid();
    ty_profile_start();
}

/* A profile requested by the environment can report errors only to the terminal. */
__attribute__((destructor)) static void end(void) {
    const char *path = environment_value(&environment_profile);
    struct fault fault = {0};
    if (!path || asked != getpid() || !(launch_watches() & WATCH_TIME)) return;
    ty_profile *p = ty_profile_stop();
    bool done = p ? profile_files.save(p, path, &fault) : fault_memory(&fault, sizeof fault);
    ty_profile_free(p);
    if (!done) fprintf(stderr, "tyto: TY_PROFILE: %s\n", fault.text);
}
