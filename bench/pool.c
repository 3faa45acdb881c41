/*
 * Pooling against PyTorch: the graph max-pool + add at full size; the pools of ResNet and Inception in both layouts;
 * mean, global and adaptive pools, in one and three dimensions; and gradients. The roof counts bytes that must cross
 * memory: operands read once and results written once.
 */
#include "bench/support/harness.h"

#define THREE .size = {3, 3, 3}, .low = {1, 1, 1}, .high = {1, 1, 1}
#define TWO_APART THREE, .stride = {2, 2, 2}
#define SIDE_BY_SIDE THREE, .stride = {1, 1, 1}
#define RUN(name, result)                                                                                    \
    static ty_tensor *name(ty_tensor *const *x) { return result; }
#define POOL(...) ((ty_pool){__VA_ARGS__})
#define NCHW .nchw = true

/* Return the gradient of a pool by its operand, for an incoming gradient x[1]. */
static ty_tensor *backward(ty_tensor *const *x, ty_tensor *(*pool)(ty_tensor *x, ty_pool options)) {
    ty_tensor *operand = ty_var(x[0], "x"), *gradient;
    ty_vjp(pool(operand, POOL(TWO_APART, NCHW)), ty_lazy(x[1]), 1, &operand, &gradient);
    return ty_eval(gradient);
}

RUN(max_and_add, ty_eval(ty_add(ty_max_pool2d(ty_lazy(x[0]), POOL(TWO_APART, NCHW)), ty_lazy(x[1]))))
RUN(max_two_apart, ty_max_pool2d(x[0], POOL(TWO_APART, NCHW)))
RUN(max_two_apart_last, ty_max_pool2d(x[0], POOL(TWO_APART)))
RUN(max_side_by_side, ty_max_pool2d(x[0], POOL(SIDE_BY_SIDE, NCHW)))
RUN(max_side_by_side_last, ty_max_pool2d(x[0], POOL(SIDE_BY_SIDE)))
RUN(max_halves, ty_max_pool2d(x[0], POOL(.size = {2, 2}, NCHW)))
RUN(max_places, ty_max_pool2d_index(x[0], POOL(TWO_APART, NCHW)))
RUN(mean_two_apart, ty_avg_pool2d(x[0], POOL(TWO_APART, NCHW)))
RUN(mean_two_apart_last, ty_avg_pool2d(x[0], POOL(TWO_APART)))
RUN(mean_halves, ty_avg_pool2d(x[0], POOL(.size = {2, 2}, NCHW)))
RUN(mean_side_by_side, ty_avg_pool2d(x[0], POOL(SIDE_BY_SIDE, NCHW, .count_padding = true)))
RUN(mean_global, ty_global_avg_pool(x[0], true))
RUN(mean_global_last, ty_global_avg_pool(x[0], false))
RUN(mean_adaptive, ty_adaptive_avg_pool2d(x[0], POOL(.size = {5, 5}, NCHW)))
RUN(max_adaptive, ty_adaptive_max_pool2d(x[0], POOL(.size = {6, 6}, NCHW)))
RUN(max_line, ty_max_pool1d(x[0], POOL(.size = {3}, .stride = {2}, NCHW)))
RUN(mean_line, ty_avg_pool1d(x[0], POOL(.size = {4}, NCHW)))
RUN(max_volume, ty_max_pool3d(x[0], POOL(TWO_APART, NCHW)))
RUN(mean_volume, ty_avg_pool3d(x[0], POOL(.size = {2, 2, 2}, NCHW)))
RUN(norm_two, ty_lp_pool2d(x[0], POOL(.size = {2, 2}, NCHW)))
RUN(max_backward, backward(x, ty_max_pool2d))
RUN(mean_backward, backward(x, ty_avg_pool2d))

#define F "torch.nn.functional."
#define LAST "a.permute(0, 3, 1, 2)"
#define EARLY                                                                                                \
    { 32, 64, 112, 112 }
#define EARLY_LAST                                                                                           \
    { 32, 112, 112, 64 }
#define LATE                                                                                                 \
    { 32, 192, 28, 28 }
#define LATE_LAST                                                                                            \
    { 32, 28, 28, 192 }
#define OUT                                                                                                  \
    { 32, 64, 56, 56 }

static const struct {
    const char *name;
    ty_tensor *(*run)(ty_tensor *const *x);
    ty_dtype dtype;
    int rank;
    int64_t shape[5];
    const char *torch;
    int64_t second[4]; /* shape of another operand; {0}: none */
    double part;       /* other traffic, relative to the bytes of x */
} rows[] = {
    {"max 3x3/2 + add", max_and_add, TY_F32, 4, EARLY, F "max_pool2d(a, 3, 2, 1) + b", {32, 1, 56, 56}, 0.25},
    {"max 3x3/2 + add, f64",
     max_and_add,
     TY_F64,
     4,
     EARLY,
     F "max_pool2d(a, 3, 2, 1) + b",
     {32, 1, 56, 56},
     0.25},
    {"max 3x3/2", max_two_apart, TY_F32, 4, EARLY, F "max_pool2d(a, 3, 2, 1)", {0}, 0.25},
    {"max 3x3/2 NHWC",
     max_two_apart_last,
     TY_F32,
     4,
     EARLY_LAST,
     F "max_pool2d(" LAST ", 3, 2, 1)",
     {0},
     0.25},
    {"max 3x3/2, f16", max_two_apart, TY_F16, 4, EARLY, NULL, {0}, 0.25},
    {"max 3x3/2, bf16", max_two_apart, TY_BF16, 4, EARLY, F "max_pool2d(a, 3, 2, 1)", {0}, 0.25},
    {"max 3x3/2, u8", max_two_apart, TY_U8, 4, EARLY, NULL, {0}, 0.25},
    {"max 3x3", max_side_by_side, TY_F32, 4, LATE, F "max_pool2d(a, 3, 1, 1)", {0}, 1},
    {"max 3x3 NHWC", max_side_by_side_last, TY_F32, 4, LATE_LAST, F "max_pool2d(" LAST ", 3, 1, 1)", {0}, 1},
    {"max 2x2/2", max_halves, TY_F32, 4, EARLY, F "max_pool2d(a, 2)", {0}, 0.25},
    {"max 3x3/2, places",
     max_places,
     TY_F32,
     4,
     EARLY,
     F "max_pool2d(a, 3, 2, 1, return_indices=True)[1]",
     {0},
     0.5},
    {"mean 3x3/2",
     mean_two_apart,
     TY_F32,
     4,
     EARLY,
     F "avg_pool2d(a, 3, 2, 1, count_include_pad=False)",
     {0},
     0.25},
    {"mean 3x3/2 NHWC",
     mean_two_apart_last,
     TY_F32,
     4,
     EARLY_LAST,
     F "avg_pool2d(" LAST ", 3, 2, 1, count_include_pad=False)",
     {0},
     0.25},
    {"mean 2x2/2", mean_halves, TY_F32, 4, EARLY, F "avg_pool2d(a, 2)", {0}, 0.25},
    {"mean 3x3", mean_side_by_side, TY_F32, 4, LATE, F "avg_pool2d(a, 3, 1, 1)", {0}, 1},
    {"mean of 7x7", mean_global, TY_F32, 4, {32, 2048, 7, 7}, F "adaptive_avg_pool2d(a, 1)", {0}, 0},
    {"mean of 7x7 NHWC",
     mean_global_last,
     TY_F32,
     4,
     {32, 7, 7, 2048},
     F "adaptive_avg_pool2d(" LAST ", 1)",
     {0},
     0},
    {"adaptive mean 28 to 5", mean_adaptive, TY_F32, 4, LATE, F "adaptive_avg_pool2d(a, 5)", {0}, 0.03},
    {"adaptive max 28 to 6", max_adaptive, TY_F32, 4, LATE, F "adaptive_max_pool2d(a, 6)", {0}, 0.05},
    {"max 3/2 of lines", max_line, TY_F32, 3, {16, 64, 16384}, F "max_pool1d(a, 3, 2)", {0}, 0.5},
    {"mean 4/4 of lines", mean_line, TY_F32, 3, {16, 64, 16384}, F "avg_pool1d(a, 4)", {0}, 0.25},
    {"max 3x3x3/2", max_volume, TY_F32, 5, {2, 32, 32, 64, 64}, F "max_pool3d(a, 3, 2, 1)", {0}, 0.125},
    {"mean 2x2x2/2", mean_volume, TY_F32, 5, {2, 32, 32, 64, 64}, F "avg_pool3d(a, 2)", {0}, 0.125},
    {"norm 2x2/2", norm_two, TY_F32, 4, LATE, F "lp_pool2d(a, 2, 2)", {0}, 0.25},
    {"max 3x3/2 backward", max_backward, TY_F32, 4, EARLY,
     "torch.ops.aten.max_pool2d_with_indices_backward(b, a, [3, 3], [2, 2], [1, 1], [1, 1], False, "
     "torch.ops.aten.max_pool2d_with_indices(a, [3, 3], [2, 2], [1, 1], [1, 1], False)[1])",
     OUT, 1},
    {"mean 3x3/2 backward", mean_backward, TY_F32, 4, EARLY,
     "torch.ops.aten.avg_pool2d_backward(b, a, [3, 3], [2, 2], [1, 1], False, False, None)", OUT, 0},
};

static double size_of(int rank, const int64_t *shape) {
    double size = 1;
    for (int i = 0; i < rank; i++) size *= (double)shape[i];
    return size;
}

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "pooling");
    if (!b) return 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool two = rows[i].second[0] != 0;
        double range = rows[i].dtype == TY_U8 ? 0 : -100, bytes = (double)ty_dtype_size(rows[i].dtype);
        double elements = size_of(rows[i].rank, rows[i].shape) * (1 + rows[i].part);
        struct bench_case c = {.name = rows[i].name,
                               .ninputs = two ? 2 : 1,
                               .run = rows[i].run,
                               .torch = rows[i].torch,
                               .roof = BENCH_STREAM};
        c.inputs[0] = (struct bench_input){rows[i].dtype, rows[i].rank, {0}, range, 100};
        for (int k = 0; k < rows[i].rank; k++) c.inputs[0].shape[k] = rows[i].shape[k];
        if (two) {
            c.inputs[1] = (struct bench_input){rows[i].dtype, 4, {0}, range, 100};
            for (int k = 0; k < 4; k++) c.inputs[1].shape[k] = rows[i].second[k];
            elements += size_of(4, rows[i].second);
        }
        c.bytes = elements * bytes;
        bench_case(b, &c);
    }
    return bench_close(b);
}
