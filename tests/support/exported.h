/* Exported files in tests: they are compiled without warnings as C99 and C++11, loaded, and called. */
#ifndef TESTS_SUPPORT_EXPORTED_H
#define TESTS_SUPPORT_EXPORTED_H
#include <tyto/export_c.h>

#include "tests/support/harness.h"

enum { EXPORTED_FUNCTIONS = 4 };
/* A loaded file, with one state. */
struct exported {
    ty_export_report report;
    void *library, *state, *weights;
    int (*run[EXPORTED_FUNCTIONS])(void *state, void *const *arguments);
};

/* True if there are compilers, and they may be started. */
bool exported_can_run(void);
/* Export n functions with the prefix "m" to a new folder, compile and load them, and begin. Failures fail the test. The
   library and the state are freed when it ends. `flags`: of the C compiler, NULL: -O1. */
struct exported *exported_open(int n, const ty_export_function *functions, ty_export_options options,
                               const char *flags);
/* Call function f of the file on inputs, values; compare its results with values want[noutputs], to the bit. */
void exported_compare(struct exported *e, int f, int ninputs, ty_tensor *const *inputs, int noutputs,
                      ty_tensor *const *want, const char *what);
#endif
