#include "tests/support/samples/golden_inputs.h"
#include "tests/support/samples/sample.h"

static const struct {
    const char *name;
    ty_dtype dtype;
    int rank;
    int64_t shape[4];
    double low, high;
} inputs[] = {
    {"x", TY_F64, 2, {3, 4}, -1, 1.5},     {"y", TY_F64, 2, {3, 4}, 0.25, 4},
    {"v", TY_F64, 1, {7}, -7, 3},          {"w", TY_F64, 1, {5}, -2, 4},
    {"f", TY_F32, 3, {2, 3, 4}, -5, 5},    {"h", TY_F16, 1, {6}, -1, 7},
    {"i", TY_I32, 1, {5}, 0, 2},           {"j", TY_I64, 2, {3, 4}, -9, 9},
    {"u", TY_U8, 1, {6}, 0, 255},          {"b", TY_BOOL, 2, {3, 4}, 0, 2},
    {"m", TY_BOOL, 1, {3}, 1, 2},          {"c", TY_C128, 2, {3, 4}, -1, 1},
    {"d", TY_C64, 1, {5}, -2, 3},          {"s", TY_F64, 2, {4, 4}, -2, 2},
    {"t", TY_F64, 4, {2, 3, 4, 5}, -7, 7}, {"n", TY_F64, 1, {6}, -2, 2},
    {"e", TY_F64, 2, {0, 3}, 0, 1},        {"z", TY_F64, 0, {0}, 2, 3},
};
_Static_assert(sizeof inputs / sizeof *inputs == GOLDEN_INPUTS, "a row for each input");

void golden_inputs(const char *names[GOLDEN_INPUTS], ty_tensor *values[GOLDEN_INPUTS]) {
    for (int i = 0; i < GOLDEN_INPUTS; i++) {
        names[i] = inputs[i].name;
        values[i] =
            sample_shape(inputs[i].dtype, inputs[i].rank, inputs[i].shape, inputs[i].low, inputs[i].high);
    }
}
