/* Work on every public function, each in a process of its own, so that all that crash are named. */
#ifndef TESTS_SUPPORT_CALLS_EACH_H
#define TESTS_SUPPORT_CALLS_EACH_H
#include "tests/support/calls/calls.h"

/* Memory that a process shares with the test. */
struct said {
    char now[256];      /* the call that is being made */
    char wrong[1024];   /* the first thing that is wrong */
    bool well_once;     /* a call without NULL was not refused */
    int start, null_at; /* the first pointer to try, and the one that is tried */
};

/* Runs `work` for each function, prints each `wrong` to stderr and returns their number.  With never_well, names between
   blanks, a function that is not among them must set well_once. */
int each_function(void (*work)(struct said *said, int function), const char *never_well);
/* `words` holds name, or name.more, between blanks. */
bool is_word(const char *words, const char *name, const char *more);
#endif
