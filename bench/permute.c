/* Permutations copied to dense arrays, against NumPy's and PyTorch's copies into an existing output. */
#include "bench/support/harness.h"

#define AXES(...) ty_contiguous(ty_permute(x[0], (int[]){__VA_ARGS__}))

static ty_tensor *transposed(ty_tensor *const *x) { return ty_contiguous(ty_transpose(x[0])); }
static ty_tensor *backwards(ty_tensor *const *x) { return ty_contiguous(ty_permute(x[0], NULL)); }
static ty_tensor *channels_first(ty_tensor *const *x) { return AXES(0, 3, 1, 2); }
static ty_tensor *channels_last(ty_tensor *const *x) { return AXES(0, 2, 3, 1); }
static ty_tensor *heads(ty_tensor *const *x) { return AXES(0, 2, 1, 3); }
static ty_tensor *flipped(ty_tensor *const *x) { return ty_contiguous(ty_flip(x[0], 1)); }
static ty_tensor *halved(ty_tensor *const *x) { return ty_contiguous(ty_slice(x[0], 1, 0, TY_END, 2)); }

#define NUMPY(view)                                                                                          \
    "np.concatenate([" view "], out=np.empty((" view ").shape, a.dtype) if out is None else out)"
#define TORCH(view) "(torch.empty_like(" view ").contiguous() if out is None else out).copy_(" view ")"

static const struct {
    const char *name;
    ty_tensor *(*run)(ty_tensor *const *x);
    int rank;
    int64_t shape[4];
    const char *numpy, *torch;
    int part; /* the input has `part` times the elements of the output */
} permutations[] = {
    {"64x64 transposed", transposed, 2, {64, 64}, NUMPY("a.T"), TORCH("a.T"), 1},
    {"1000x1000 transposed", transposed, 2, {1000, 1000}, NUMPY("a.T"), TORCH("a.T"), 1},
    {"4096^2 transposed", transposed, 2, {4096, 4096}, NUMPY("a.T"), TORCH("a.T"), 1},
    {"3001x5003 transposed", transposed, 2, {3001, 5003}, NUMPY("a.T"), TORCH("a.T"), 1},
    {"64^4 backwards",
     backwards,
     4,
     {64, 64, 64, 64},
     NUMPY("a.transpose()"),
     TORCH("a.permute(3, 2, 1, 0)"),
     1},
    {"NHWC to NCHW, C 64",
     channels_first,
     4,
     {32, 112, 112, 64},
     NUMPY("a.transpose(0, 3, 1, 2)"),
     TORCH("a.permute(0, 3, 1, 2)"),
     1},
    {"NCHW to NHWC, C 64",
     channels_last,
     4,
     {32, 64, 112, 112},
     NUMPY("a.transpose(0, 2, 3, 1)"),
     TORCH("a.permute(0, 2, 3, 1)"),
     1},
    {"NHWC to NCHW, C 3",
     channels_first,
     4,
     {32, 299, 299, 3},
     NUMPY("a.transpose(0, 3, 1, 2)"),
     TORCH("a.permute(0, 3, 1, 2)"),
     1},
    {"NCHW to NHWC, C 3",
     channels_last,
     4,
     {32, 3, 299, 299},
     NUMPY("a.transpose(0, 2, 3, 1)"),
     TORCH("a.permute(0, 2, 3, 1)"),
     1},
    {"heads: 0 2 1 3, 64 last",
     heads,
     4,
     {32, 512, 12, 64},
     NUMPY("a.transpose(0, 2, 1, 3)"),
     TORCH("a.permute(0, 2, 1, 3)"),
     1},
    {"rows flipped", flipped, 2, {4096, 4096}, NUMPY("a[:, ::-1]"), TORCH("a.flip(1)"), 1},
    {"every other column", halved, 2, {4096, 4096}, NUMPY("a[:, ::2]"), TORCH("a[:, ::2]"), 2},
};

int main(int argc, char **argv) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_U8, TY_C128};
    struct bench *b = bench_open(argc, argv, "permute");
    if (!b) return 1;
    for (size_t i = 0; i < sizeof permutations / sizeof *permutations; i++) {
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
            if (bench_quick(b) && k > 0) continue;
            char name[64];
            double elements = 1;
            struct bench_input input = {.dtype = dtypes[k], .rank = permutations[i].rank, .high = 100};
            for (int axis = 0; axis < input.rank; axis++)
                elements *= (double)(input.shape[axis] = permutations[i].shape[axis]);
            snprintf(name, sizeof name, "%s %s", permutations[i].name, ty_dtype_name(dtypes[k]));
            double bytes = elements * (double)ty_dtype_size(dtypes[k]);
            ty_trim(); /* free recycled memory of other sizes, so that this case recycles its own */
            bench_case(b, &(struct bench_case){.name = name,
                                               .ninputs = 1,
                                               .inputs = {input},
                                               .run = permutations[i].run,
                                               .numpy = permutations[i].numpy,
                                               .torch = permutations[i].torch,
                                               .bytes = bytes + bytes / permutations[i].part,
                                               .roof = BENCH_STREAM});
        }
    }
    return bench_close(b);
}
