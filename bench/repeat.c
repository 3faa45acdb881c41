/* Tile and repeat on all four axes of n^4, against NumPy's and PyTorch's method: one axis after the other. */
#include "bench/support/harness.h"

static ty_tensor *tiled(ty_tensor *const *x) { return ty_tile(x[0], 4, (int64_t[]){2, 2, 2, 2}); }
static ty_tensor *repeated(ty_tensor *const *x) { return ty_spread(x[0], 4, NULL, (int64_t[]){2, 2, 2, 2}); }
static ty_tensor *inner(ty_tensor *const *x) { return ty_repeat(x[0], 3, -1); }
static ty_tensor *outer(ty_tensor *const *x) { return ty_repeat(x[0], 3, 0); }
static ty_tensor *rolled(ty_tensor *const *x) {
    return ty_roll(x[0], 2, (int64_t[]){5, 3}, (int64_t[]){0, 1});
}

static const struct {
    const char *name;
    ty_tensor *(*run)(ty_tensor *const *x);
    const char *numpy, *torch;
    double copies; /* output size over input size */
    int rank;
    int64_t shape[4];
} cases[] = {
    {"tile x2, all axes", tiled, "np.tile(a, (2, 2, 2, 2))", "a.tile(2, 2, 2, 2)", 16, 4, {0}},
    {"repeat x2, all axes",
     repeated,
     "a.repeat(2, 0).repeat(2, 1).repeat(2, 2).repeat(2, 3)",
     "a.repeat_interleave(2, 0).repeat_interleave(2, 1).repeat_interleave(2, 2).repeat_interleave(2, 3)",
     16,
     4,
     {0}},
    {"repeat x3, last axis", inner, "a.repeat(3, -1)", "a.repeat_interleave(3, -1)", 3, 2, {2048, 2048}},
    {"repeat x3, first axis", outer, "a.repeat(3, 0)", "a.repeat_interleave(3, 0)", 3, 2, {2048, 2048}},
    {"roll, two axes", rolled, "np.roll(a, (5, 3), (0, 1))", "a.roll((5, 3), (0, 1))", 1, 2, {4096, 4096}},
};

int main(int argc, char **argv) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_U8, TY_C128};
    struct bench *b = bench_open(argc, argv, "repeat");
    if (!b) return 1;
    int64_t n = bench_quick(b) ? 32 : 64;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
            /* one size of a gigabyte is enough */
            if (k > 0 && (bench_quick(b) || cases[i].rank == 4)) continue;
            char name[64];
            double elements = 1;
            struct bench_input input = {.dtype = dtypes[k], .rank = cases[i].rank, .high = 100};
            for (int axis = 0; axis < input.rank; axis++)
                elements *= (double)(input.shape[axis] = cases[i].shape[axis] ? cases[i].shape[axis] : n);
            snprintf(name, sizeof name, "%s %s", cases[i].name, ty_dtype_name(dtypes[k]));
            ty_trim(); /* free recycled memory of other sizes, so that this case recycles its own */
            bench_case(b, &(struct bench_case){.name = name,
                                               .ninputs = 1,
                                               .inputs = {input},
                                               .run = cases[i].run,
                                               .numpy = cases[i].numpy,
                                               .torch = cases[i].torch,
                                               .bytes = elements * (1 + cases[i].copies) *
                                                        (double)ty_dtype_size(dtypes[k]),
                                               .roof = BENCH_STREAM});
        }
    }
    return bench_close(b);
}
