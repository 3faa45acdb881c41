/* Activations that attributes name, with constants. */
#ifndef ONNX_OPS_ACTIVATION_H
#define ONNX_OPS_ACTIVATION_H
#include "onnx/call.h"

struct activation {
    ty_tensor *(*f)(ty_tensor *x, double alpha, double beta);
    double alpha, beta;
};

/* Set *out to the activation of a name, in any case of letters, with its default constants, and *constants to their
   number.  False, with the fault set, if the name is unknown. */
bool onnx_activation(struct onnx_call *call, struct wire_bytes name, struct activation *out, int *constants);
#endif
