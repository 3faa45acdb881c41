#include "tests/support/child.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

enum {
    WAIT_MOST = 120,
    PAUSE_LEAST = 50000,
    PAUSE_MOST = 10000000
}; /* seconds; nanoseconds between two looks */

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int child_status(pid_t id) {
    int status = -1;
    long pause = PAUSE_LEAST;
    bool killed = false;
    if (id <= 0) return -1;
    for (double end = seconds() + WAIT_MOST;;) {
        pid_t ended = waitpid(id, &status, killed ? 0 : WNOHANG);
        if (ended == id) return status;
        if (ended < 0 && errno != EINTR) return -1;
        if (!killed && seconds() > end) {
            fprintf(stderr, "a child process hangs\n");
            killed = !kill(id, SIGKILL);
        }
        nanosleep(&(struct timespec){0, pause}, NULL);
        if (pause < PAUSE_MOST) pause *= 2;
    }
}
