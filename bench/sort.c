/* Sorting, searching, sets, quantiles, histograms against NumPy and PyTorch: ./dev bench sort. */
#include <stdio.h>
#include "bench/support/harness.h"

static ty_tensor *sorts(ty_tensor *const *x) { return ty_sort(x[0], -1, false); }
static ty_tensor *sorts_down(ty_tensor *const *x) { return ty_sort(x[0], 0, false); }
static ty_tensor *argsorts(ty_tensor *const *x) { return ty_argsort(x[0], -1, false); }
static ty_tensor *top_10(ty_tensor *const *x) { return ty_top_k_index(x[0], 10, -1, true); }
static ty_tensor *partitions(ty_tensor *const *x) { return ty_partition(x[0], ty_shape(x[0])[0] / 2, 0); }
static ty_tensor *searches(ty_tensor *const *x) {
    return ty_searchsorted(ty_sort(x[1], 0, false), x[0], false);
}
static ty_tensor *uniques(ty_tensor *const *x) { return ty_unique(x[0]); }
static ty_tensor *medians(ty_tensor *const *x) { return ty_median(x[0], TY_ALL); }
static ty_tensor *row_medians(ty_tensor *const *x) { return ty_median(x[0], ty_axis(-1)); }
static ty_tensor *histograms(ty_tensor *const *x) { return ty_histogram(x[0], 100, 0, 1, NULL, false); }
static ty_tensor *counts(ty_tensor *const *x) { return ty_bincount(x[0], NULL, 0); }

static void line_cases(struct bench *b, ty_dtype dtype, double high, int64_t n) {
    char name[64];
    const struct {
        const char *name;
        ty_tensor *(*run)(ty_tensor *const *x);
        const char *numpy, *torch;
        int64_t least, most; /* range of sizes */
    } rows[] = {
        {"sort", sorts, "np.sort(a)", "torch.sort(a)[0]", 0, 10000000},
        {"argsort", argsorts, "np.argsort(a, kind='stable')", "torch.argsort(a, stable=True)", 0, 1000000},
        {"top 10", top_10, "np.argpartition(a, -10)[-10:]", "torch.topk(a, 10)[1]", 100, 10000000},
        {"partition", partitions, "np.partition(a, len(a) // 2)", "torch.kthvalue(a, len(a) // 2)[0]", 1000,
         1000000},
        {"unique", uniques, "np.unique(a)", "torch.unique(a)", 1000, 1000000},
        {"median", medians, "np.median(a)", "torch.median(a)", 1000, 10000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (n < rows[i].least || n > rows[i].most) continue;
        snprintf(name, sizeof name, "%s %s %.0e", rows[i].name, ty_dtype_name(dtype), (double)n);
        bench_case(b, &(struct bench_case){.name = name,
                                           .ninputs = 1,
                                           .inputs = {{dtype, 1, {n}, 0, high}},
                                           .run = rows[i].run,
                                           .numpy = rows[i].numpy,
                                           .torch = rows[i].torch,
                                           .roof = BENCH_NO_ROOF});
    }
}

/* CASE(name, number of inputs, (inputs), function, NumPy's expression, PyTorch's expression) */
#define INPUTS(...)                                                                                          \
    { __VA_ARGS__ }
#define CASE(title, count, operands, ours, numpy_text, torch_text)                                           \
    {.name = title,                                                                                          \
     .ninputs = count,                                                                                       \
     .inputs = INPUTS operands,                                                                              \
     .run = ours,                                                                                            \
     .numpy = numpy_text,                                                                                    \
     .torch = torch_text,                                                                                    \
     .roof = BENCH_NO_ROOF},
static const struct bench_case shapes[] = {
    CASE("sort rows f32 [1e5,8]", 1, ({TY_F32, 2, {100000, 8}, 0, 1}), sorts, "np.sort(a)",
         "torch.sort(a)[0]") CASE("sort rows f32 [1e4,100]", 1, ({TY_F32, 2, {10000, 100}, 0, 1}), sorts,
                                  "np.sort(a)", "torch.sort(a)[0]")
        CASE("sort rows f64 [1000,1000]", 1, ({TY_F64, 2, {1000, 1000}, 0, 1}), sorts, "np.sort(a)",
             "torch.sort(a)[0]") CASE("sort columns f32 [100,1e4]", 1, ({TY_F32, 2, {100, 10000}, 0, 1}),
                                      sorts_down, "np.sort(a, 0)", "torch.sort(a, 0)[0]")
            CASE("sort columns f64 [1000,1000]", 1, ({TY_F64, 2, {1000, 1000}, 0, 1}), sorts_down,
                 "np.sort(a, 0)", "torch.sort(a, 0)[0]") CASE("argsort rows f32 [1e5,8]", 1,
                                                              ({TY_F32, 2, {100000, 8}, 0, 1}), argsorts,
                                                              "np.argsort(a, kind='stable')",
                                                              "torch.argsort(a, stable=True)")
                CASE("argsort rows f64 [1e4,50]", 1, ({TY_F64, 2, {10000, 50}, 0, 1}), argsorts,
                     "np.argsort(a, kind='stable')",
                     "torch.argsort(a, stable=True)") CASE("top 10 rows f32 [1000,1e4]", 1,
                                                           ({TY_F32, 2, {1000, 10000}, 0, 1}), top_10,
                                                           "np.argpartition(a, -10)[:, -10:]",
                                                           "torch.topk(a, 10)[1]")
                    CASE("median rows f32 [1e4,100]", 1, ({TY_F32, 2, {10000, 100}, 0, 1}), row_medians,
                         "np.median(a, -1)", "torch.median(a, -1)[0]")
                        CASE("search f32 1e6 in 1e3", 2,
                             ({TY_F32, 1, {1000000}, 0, 1}, {TY_F32, 1, {1000}, 0, 1}), searches,
                             "np.searchsorted(np.sort(b), a)", "torch.searchsorted(torch.sort(b)[0], a)")
                            CASE("search f64 1e6 in 1e6", 2,
                                 ({TY_F64, 1, {1000000}, 0, 1}, {TY_F64, 1, {1000000}, 0, 1}), searches,
                                 "np.searchsorted(np.sort(b), a)", "torch.searchsorted(torch.sort(b)[0], a)")
                                CASE("histogram f32 1e6 in 100", 1, ({TY_F32, 1, {1000000}, 0, 1}),
                                     histograms, "np.histogram(a, 100, (0, 1))[0]",
                                     "torch.histc(a, 100, 0, 1)") CASE("histogram f64 1e6 in 100", 1,
                                                                       ({TY_F64, 1, {1000000}, 0, 1}),
                                                                       histograms,
                                                                       "np.histogram(a, 100, (0, 1))[0]",
                                                                       "torch.histc(a, 100, 0, 1)")
                                    CASE("bincount i64 1e6 of 1000",
                                         1, ({TY_I64, 1, {1000000}, 0, 999}), counts, "np.bincount(a)",
                                         "torch.bincount(a)") CASE("unique i64 1e6 of 1000", 1,
                                                                   ({TY_I64, 1, {1000000}, 0, 999}), uniques,
                                                                   "np.unique(a)", "torch.unique(a)")
                                        CASE("sort i64 1e6 of 1000", 1, ({TY_I64, 1, {1000000}, 0, 999}),
                                             sorts, "np.sort(a)",
                                             "torch.sort(a)[0]") CASE("sort u8 1e6",
                                                                      1, ({TY_U8, 1, {1000000}, 0, 255}),
                                                                      sorts, "np.sort(a)", "torch.sort(a)[0]")
                                            CASE("sort i16 1e6", 1, ({TY_I16, 1, {1000000}, -30000, 30000}),
                                                 sorts, "np.sort(a)", "torch.sort(a)[0]")
                                                CASE("sort sorted f32 1e6", 1, ({TY_F32, 1, {1000000}, 0, 0}),
                                                     sorts, "np.sort(a)", "torch.sort(a)[0]")};

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "sort");
    if (!b) return 1;
    static const struct {
        ty_dtype dtype;
        double high;
    } lines[] = {{TY_F32, 1}, {TY_F64, 1}, {TY_I64, 1e15}, {TY_I32, 1e9}};
    for (size_t i = 0; i < (bench_quick(b) ? 2 : 4); i++)
        for (int64_t n = 100; n <= (bench_quick(b) ? 1000000 : 10000000); n *= 10)
            line_cases(b, lines[i].dtype, lines[i].high, n);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) bench_case(b, &shapes[i]);
    return bench_close(b);
}
