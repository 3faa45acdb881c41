/* Tests of every public function, each in its own process, so that all crashing functions are named. */
#ifndef TESTS_SUPPORT_CALLS_EACH_H
#define TESTS_SUPPORT_CALLS_EACH_H
#include "tests/support/calls/calls.h"

/* Memory shared between a process and the test. */
struct said {
    char now[256];      /* the call in progress */
    char wrong[1024];   /* the first error */
    bool well_once;     /* a call without NULL succeeded */
    int start, null_at; /* index of the first pointer to try, and of the present one */
};

/* Run `work` for each function, print each `wrong` to stderr and return their number.  With never_well, names
   separated by blanks, every other function must set well_once. */
int each_function(void (*work)(struct said *said, int function), const char *never_well);
/* Return true if `words`, separated by blanks, has `name` or `name.more`. */
bool is_word(const char *words, const char *name, const char *more);
#endif
