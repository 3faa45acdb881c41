/* Lists of keys, values and labels in attributes of ai.onnx.ml: numbers or strings. */
#ifndef ONNX_OPS_ML_LABELS_H
#define ONNX_OPS_ML_LABELS_H
#include "onnx/call.h"

/* A list: a vector of numbers, or strings. */
struct labels {
    int64_t n;
    ty_tensor *numbers;               /* NULL: strings, or no list */
    const struct wire_bytes *strings; /* NULL: numbers, or no list */
};

/* Read the attribute of these names that is given: floats, integers, strings, or a tensor of any; NULL: no such one. */
struct labels onnx_labels_read(struct onnx_call *call, const char *floats, const char *ints,
                               const char *strings, const char *tensor);
/* Set output i to values at places 0 .. n - 1, and `otherwise`, a list of one, at n. */
bool onnx_labels_give(struct onnx_call *call, int i, struct labels values, struct labels otherwise,
                      ty_tensor *places);

#endif
