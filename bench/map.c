/*
 * Memory-bound maps from the first-level cache to DRAM. Peers write into a given output; Tyto allocates its output from
 * recycled memory. For arrays larger than the caches the bus is the bound: `roof` is the fraction of the stream rate
 * measured in the same run.
 */
#include <stdio.h>
#include "bench/support/harness.h"

struct map {
    const char *name;
    int ninputs;
    ty_tensor *(*run)(ty_tensor *const *x);
    int streams; /* arrays read and written */
    const char *numpy, *torch;
};

static ty_tensor *add(ty_tensor *const *x) { return ty_add(x[0], x[1]); }
static ty_tensor *mul(ty_tensor *const *x) { return ty_mul(x[0], x[1]); }
static ty_tensor *fma3(ty_tensor *const *x) { return ty_fma(x[0], x[1], x[2]); }
static ty_tensor *relu(ty_tensor *const *x) { return ty_relu(x[0]); }
static ty_tensor *scale(ty_tensor *const *x) { return ty_mul(x[0], ty_num(1.5)); }
static ty_tensor *narrow(ty_tensor *const *x) { return ty_cast(x[0], TY_F16); }
static ty_tensor *bias(ty_tensor *const *x) { return ty_add(x[0], x[1]); }

static const struct map maps[] = {
    {"add", 2, add, 3, "np.add(a, b, out=out)", "torch.add(a, b, out=out)"},
    {"mul", 2, mul, 3, "np.multiply(a, b, out=out)", "torch.mul(a, b, out=out)"},
    {"fma", 3, fma3, 4, "np.add(np.multiply(a, b, out=out), c, out=out)", "torch.addcmul(c, a, b, out=out)"},
    {"relu", 1, relu, 2, "np.maximum(a, 0, out=out)", "torch.clamp_min(a, 0, out=out)"},
    {"times number", 1, scale, 2, "np.multiply(a, 1.5, out=out)", "torch.mul(a, 1.5, out=out)"},
};

static const struct {
    const char *name;
    int log2;
} places[] = {{"L1", 11}, {"L2", 16}, {"L3", 20}, {"DRAM", 25}};

static void measure(struct bench *b, const struct map *m, ty_dtype dtype, int place) {
    char name[64];
    int64_t bytes = (int64_t)4 << places[place].log2, n = bytes / (int64_t)ty_dtype_size(dtype);
    snprintf(name, sizeof name, "%s %s %s", m->name, ty_dtype_name(dtype), places[place].name);
    struct bench_case c = {.name = name,
                           .ninputs = m->ninputs,
                           .run = m->run,
                           .numpy = m->numpy,
                           .torch = m->torch,
                           .bytes = (double)m->streams * (double)bytes,
                           .roof = BENCH_STREAM};
    for (int i = 0; i < m->ninputs; i++) c.inputs[i] = (struct bench_input){dtype, 1, {n}, -1, 1};
    bench_case(b, &c);
}

/* Time maps that broadcast a row, broadcast a column, or change the dtype. */
static void measure_others(struct bench *b, int place) {
    char name[64];
    int64_t n = (int64_t)1 << places[place].log2, rows = n >> 10;
    double bytes = 4 * (double)n;
    struct bench_case c = {.name = name,
                           .ninputs = 2,
                           .run = bias,
                           .numpy = "np.add(a, b, out=out)",
                           .torch = "torch.add(a, b, out=out)",
                           .bytes = 2 * bytes,
                           .roof = BENCH_STREAM};
    snprintf(name, sizeof name, "add a row f32 %s", places[place].name);
    c.inputs[0] = (struct bench_input){TY_F32, 2, {rows, 1024}, -1, 1};
    c.inputs[1] = (struct bench_input){TY_F32, 1, {1024}, -1, 1};
    bench_case(b, &c);
    snprintf(name, sizeof name, "add a column f32 %s", places[place].name);
    c.inputs[1] = (struct bench_input){TY_F32, 2, {rows, 1}, -1, 1};
    bench_case(b, &c);
    snprintf(name, sizeof name, "cast f32 to f16 %s", places[place].name);
    c.ninputs = 1;
    c.run = narrow;
    c.numpy = "np.positive(a, out=out, dtype='f2', casting='unsafe')";
    c.torch = "a.to(torch.float16) if out is None else out.copy_(a)";
    c.bytes = 1.5 * bytes;
    bench_case(b, &c);
}

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "maps");
    if (!b) return 1;
    for (size_t place = 0; place < sizeof places / sizeof *places; place++) {
        if (bench_quick(b) && place % 3) continue;
        for (size_t m = 0; m < sizeof maps / sizeof *maps; m++) {
            measure(b, &maps[m], TY_F32, (int)place);
            measure(b, &maps[m], TY_F64, (int)place);
        }
        measure_others(b, (int)place);
    }
    return bench_close(b);
}
