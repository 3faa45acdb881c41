/*
 * From a function of the caller's to a body.  The function is called once, on parameters; what it records is a graph
 * that may use anything of the graph around it.  What it uses becomes parameters, so that the body is closed.
 */
#ifndef CONTROL_RECORDER_H
#define CONTROL_RECORDER_H
#include "base/map.h"
#include "control/body.h"
#include "graph/rewrite.h"

/* What bodies use of the graph around them: each tensor once, in the order in which it was found. */
struct captures {
    struct map index;
    ty_tensor **tensors; /* retained */
    int count, room;
};

/*
 * Adds what `roots`, recorded at `level` on n parameters, use of the graph around.  With `hoist` what depends on no
 * parameter is computed outside of the body, once; without, all that was recorded at this level stays inside.  Small
 * constants made inside stay there.  False after a fault.
 */
bool captures_add(struct captures *c, uint16_t level, bool hoist, int n, ty_tensor *const *parameters,
                  int nroots, ty_tensor *const *roots, struct fault *fault);
/* *reads: whether roots, recorded at `level`, hang on a promise of the graph around, or on a parameter that is none of n.
   False after a fault. */
bool reads_promises(uint16_t level, int n, ty_tensor *const *parameters, int nroots, ty_tensor *const *roots,
                    bool *reads, struct fault *fault);
void captures_drop(struct captures *c);
#endif
