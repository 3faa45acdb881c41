/* Child processes of tests. */
#ifndef TESTS_SUPPORT_CHILD_H
#define TESTS_SUPPORT_CHILD_H
#include <stdbool.h>
#include <sys/types.h>

/* Wait for the child `id`, at most two minutes; then kill it, so that a child that hangs fails its test. Return its
   status as waitpid stores it; -1 if there is no such child. */
int child_status(pid_t id);
#endif
