/* Runs work on every public function, each in its own process, so that every crashing function is named. */
#ifndef TESTS_SUPPORT_CALLS_EACH_H
#define TESTS_SUPPORT_CALLS_EACH_H
#include "tests/support/calls/calls.h"

/* Memory shared by the test and its child process. */
struct said {
    char now[256];      /* the call in progress */
    char wrong[1024];   /* first fault found */
    bool well_once;     /* a call without NULL succeeded */
    int start, null_at; /* first pointer to try, and the current one */
};

/* Run `work` for each function, print each `wrong` to stderr and return the number of faults. Functions
   must set well_once unless never_well (names separated by blanks, or NULL) lists them. */
int each_function(void (*work)(struct said *said, int function), const char *never_well);
/* The same for each function that takes a struct with its size (calls_make_sized). */
int each_sized_function(void (*work)(struct said *said, int function), const char *never_well);
/* Return true if `words`, separated by blanks, contains name or name.more. */
bool is_word(const char *words, const char *name, const char *more);
#endif
