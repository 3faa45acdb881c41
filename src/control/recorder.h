/*
 * Turns a caller's function into a closed body. The function is called once, on parameters. Tensors from
 * outside that its graph uses (captures) become additional parameters.
 */
#ifndef CONTROL_RECORDER_H
#define CONTROL_RECORDER_H
#include "base/map.h"
#include "control/body.h"
#include "graph/rewrite.h"

/* Tensors from outside that bodies use, without duplicates, in order of discovery. */
struct captures {
    struct map index;
    ty_tensor **tensors; /* retained */
    int count, room;
};

/* Append the captures of `roots`, which were recorded at `level` on n parameters: tensors from outside that
   they read. With `hoist`, nodes that depend on no parameter are captured, so they are computed once,
   outside; without it they stay inside. Small constants made inside stay inside. False after a fault. */
bool captures_add(struct captures *c, uint16_t level, bool hoist, int n, ty_tensor *const *parameters,
                  int nroots, ty_tensor *const *roots, struct fault *fault);
/* Set *reads to true if `roots`, recorded at `level`, depend on a promise from outside or on a parameter
   other than the n given; else to false. False after a fault. */
bool reads_promises(uint16_t level, int n, ty_tensor *const *parameters, int nroots, ty_tensor *const *roots,
                    bool *reads, struct fault *fault);
/* Release the captures in *c and free the list. */
void captures_drop(struct captures *c);
#endif
