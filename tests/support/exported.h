/* Exported files in tests: they are compiled without warnings as C99 and C++11, loaded, and called. */
#ifndef TESTS_SUPPORT_EXPORTED_H
#define TESTS_SUPPORT_EXPORTED_H
#include <tyto/export_c.h>

#include "tests/support/harness.h"

/* A loaded file, with one state. */
struct exported {
    ty_export_report report;
    void *library, *state, *weights;
    int (**run)(void *state, void *const *arguments); /* by function */
};

/* True if there are compilers, and they may be started. */
bool exported_can_run(void);
/* Export n functions with the prefix "m" to a new folder, compile and load them, and begin. Failures fail the test. The
   library and the state are freed when it ends. `flags`: of the C compiler, NULL: -O1. */
struct exported *exported_open(int n, const ty_export_function *functions, ty_export_options options,
                               const char *flags);
/* Call function f of the file on inputs, values.  Set got[noutputs] to its results, which have the dtypes and shapes of
   want[]. */
void exported_call(struct exported *e, int f, int ninputs, ty_tensor *const *inputs, int noutputs,
                   ty_tensor *const *want, ty_tensor **got, const char *what);
/* Call function f of the file on inputs, values; compare its results with values want[noutputs], to the bit. */
void exported_compare(struct exported *e, int f, int ninputs, ty_tensor *const *inputs, int noutputs,
                      ty_tensor *const *want, const char *what);

/* Most operands and results of a graph. */
enum { EXPORTED_MOST = 8 };
/* A graph to export among many. */
struct exported_graph {
    char what[96];
    int ninputs, noutputs;
    ty_tensor *inputs[EXPORTED_MOST], *outputs[EXPORTED_MOST]; /* variables, with values; promises */
    void (*compare)(const struct exported_graph *graph, ty_tensor *got,
                    ty_tensor *want); /* NULL: to the bit */
    const void *sample;               /* for `compare` */
    const char *refused;              /* words of the message that refuses it; NULL: it is exported */
};
/* Export one graph, without a compiler.  Return "" or the message that refuses it. */
const char *exported_refusal(const struct exported_graph *graph);
/* Export n graphs to one file, and compare each with cpu for the values of its variables. */
void exported_many(int n, const struct exported_graph *graphs, const char *flags);
#endif
