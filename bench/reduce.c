/* Reductions over sets of axes of arrays with one to four axes, from L1 to memory, and scans. */
#include <stdio.h>
#include "bench/support/harness.h"

#define RUN(name, expression)                                                                                \
    static ty_tensor *name(ty_tensor *const *x) { return expression; }
#define AXES2(i, j) ty_axes_of(2, (int[]){i, j}, false)

RUN(sum_all, ty_sum(x[0], TY_ALL))
RUN(sum_0, ty_sum(x[0], ty_axis(0)))
RUN(sum_1, ty_sum(x[0], ty_axis(1)))
RUN(sum_last, ty_sum(x[0], ty_axis(-1)))
RUN(sum_02, ty_sum(x[0], AXES2(0, 2)))
RUN(max_all, ty_amax(x[0], TY_ALL))
RUN(max_0, ty_amax(x[0], ty_axis(0)))
RUN(max_1, ty_amax(x[0], ty_axis(1)))
RUN(max_last, ty_amax(x[0], ty_axis(-1)))
RUN(argmax_all, ty_argmax(x[0], TY_ALL))
RUN(argmax_0, ty_argmax(x[0], ty_axis(0)))
RUN(argmax_last, ty_argmax(x[0], ty_axis(-1)))
RUN(mean_last, ty_mean(x[0], ty_axis(-1)))
RUN(mean_02, ty_mean(x[0], AXES2(0, 2)))
RUN(var_all, ty_variance(x[0], TY_ALL))
RUN(var_0, ty_variance(x[0], ty_axis(0)))
RUN(var_last, ty_variance(x[0], ty_axis(-1)))
RUN(any_all, ty_any(x[0], TY_ALL))
RUN(all_last, ty_all(x[0], ty_axis(-1)))
RUN(norm_all, ty_norm(x[0], 2, TY_ALL))
RUN(nansum_last, ty_nansum(x[0], ty_axis(-1)))
RUN(lse_last, ty_logsumexp(x[0], ty_axis(-1)))
RUN(softmax_last, ty_softmax(x[0], -1))
RUN(dot, ty_matmul(x[0], x[1]))
RUN(cumsum_0, ty_cumsum(x[0], 0, (ty_running){0}))
RUN(cumsum_last, ty_cumsum(x[0], -1, (ty_running){0}))
RUN(cumprod_last, ty_cumprod(x[0], -1, (ty_running){0}))
RUN(cummax_0, ty_cummax(x[0], 0, (ty_running){0}))
RUN(cummax_last, ty_cummax(x[0], -1, (ty_running){0}))
RUN(diff_last, ty_diff(x[0], 1, -1, NULL, NULL))

static const struct row {
    const char *name;
    ty_tensor *(*run)(ty_tensor *const *x);
    int rank;
    bool writes; /* writes as many bytes as it reads */
    const char *numpy, *torch;
} rows[] = {
    {"sum all", sum_all, 1, false, "a.sum()", "a.sum()"},
    {"sum 0", sum_0, 2, false, "a.sum(0)", "a.sum(0)"},
    {"sum last", sum_last, 2, false, "a.sum(-1)", "a.sum(-1)"},
    {"sum 1 of 4", sum_1, 4, false, "a.sum(1)", "a.sum(1)"},
    {"sum last of 4", sum_last, 4, false, "a.sum(-1)", "a.sum(-1)"},
    {"sum (0,2) of 4", sum_02, 4, false, "a.sum((0,2))", "a.sum((0,2))"},
    {"max all", max_all, 1, false, "a.max()", "a.max()"},
    {"max 0", max_0, 2, false, "a.max(0)", "torch.amax(a,0)"},
    {"max last", max_last, 2, false, "a.max(-1)", "torch.amax(a,-1)"},
    {"max 1 of 4", max_1, 4, false, "a.max(1)", "torch.amax(a,1)"},
    {"argmax all", argmax_all, 1, false, "a.argmax()", "a.argmax()"},
    {"argmax 0", argmax_0, 2, false, "a.argmax(0)", "a.argmax(0)"},
    {"argmax last", argmax_last, 2, false, "a.argmax(-1)", "a.argmax(-1)"},
    {"mean last", mean_last, 2, false, "a.mean(-1)", "a.mean(-1)"},
    {"mean (0,2) of 4", mean_02, 4, false, "a.mean((0,2))", "a.mean((0,2))"},
    {"var all", var_all, 1, false, "a.var()", "a.var(unbiased=False)"},
    {"var 0", var_0, 2, false, "a.var(0)", "a.var(0,unbiased=False)"},
    {"var last", var_last, 2, false, "a.var(-1)", "a.var(-1,unbiased=False)"},
    {"norm all", norm_all, 1, false, "np.linalg.norm(a)", "a.norm()"},
    {"nansum last", nansum_last, 2, false, "np.nansum(a,-1)", "a.nansum(-1)"},
    {"any all", any_all, 1, false, "a.any()", "a.any()"},
    {"all last", all_last, 2, false, "a.all(-1)", "a.all(-1)"},
    {"logsumexp last", lse_last, 2, false, NULL, "a.logsumexp(-1)"},
    {"softmax last", softmax_last, 2, true, NULL, "a.softmax(-1)"},
    {"cumsum 0", cumsum_0, 2, true, "np.cumsum(a,0,out=out)", "torch.cumsum(a,0)"},
    {"cumsum last", cumsum_last, 2, true, "np.cumsum(a,-1,out=out)", "torch.cumsum(a,-1)"},
    {"cumsum 1-d", cumsum_last, 1, true, "np.cumsum(a,-1,out=out)", "torch.cumsum(a,-1)"},
    {"cumprod last", cumprod_last, 2, true, "np.cumprod(a,-1,out=out)", "torch.cumprod(a,-1)"},
    {"cummax 0", cummax_0, 2, true, "np.maximum.accumulate(a,0,out=out)", "torch.cummax(a,0)"},
    {"cummax last", cummax_last, 2, true, "np.maximum.accumulate(a,-1,out=out)", "torch.cummax(a,-1)"},
    {"diff last", diff_last, 2, true, "np.diff(a)", "torch.diff(a)"},
};

/* Four sizes of an axis, indexed by the rank. */
static const int64_t lengths[5][4] = {
    {0}, {4096, 262144, 4194304, 67108864}, {64, 512, 2048, 8192}, {0}, {8, 22, 45, 90}};

static double bytes_of(ty_dtype dtype, int64_t n) { return (double)n * (double)ty_dtype_size(dtype); }

static bool takes(const struct row *row, ty_dtype dtype) {
    bool truth = row->run == any_all || row->run == all_last;
    bool counts = row->run == sum_all || row->run == sum_0 || row->run == sum_last || row->run == max_last ||
                  row->run == argmax_last || row->run == cumsum_last;
    if (dtype == TY_BOOL) return truth;
    if (truth) return false;
    return dtype == TY_F32 || dtype == TY_F64 || counts;
}

static void one_row(struct bench *b, const struct row *row, ty_dtype dtype, int size) {
    char name[96];
    int64_t n = lengths[row->rank][size], total = 1;
    struct bench_case c = {
        .name = name, .ninputs = 1, .run = row->run, .numpy = row->numpy, .torch = row->torch};
    struct bench_input *x = &c.inputs[0];
    *x = (struct bench_input){
        .dtype = dtype, .rank = row->rank, .low = 0, .high = dtype == TY_F32 || dtype == TY_F64 ? 1 : 100};
    for (int i = 0; i < row->rank; i++) total *= x->shape[i] = n;
    if (bytes_of(dtype, total) > 600e6) return;
    c.bytes = bytes_of(dtype, total) * (row->writes ? 2 : 1);
    c.roof = row->writes ? BENCH_STREAM : BENCH_READ;
    snprintf(name, sizeof name, "%s %s %lld^%d", row->name, ty_dtype_name(dtype), (long long)n, row->rank);
    bench_case(b, &c);
}

int main(int argc, char **argv) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I32, TY_U8, TY_I64, TY_F16, TY_BOOL};
    struct bench *b = bench_open(argc, argv, "reductions and scans");
    if (!b) return 1;
    for (int size = 0; size < (bench_quick(b) ? 2 : 4); size++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
                if (takes(&rows[i], dtypes[d])) one_row(b, &rows[i], dtypes[d], size);
    static const struct bench_case products[] = {
        {"dot f32 4096",
         2,
         {{TY_F32, 1, {4096}, 0, 1}, {TY_F32, 1, {4096}, 0, 1}},
         dot,
         "a@b",
         "a@b",
         2 * 4 * 4096.0,
         BENCH_READ},
        {"dot f32 4194304",
         2,
         {{TY_F32, 1, {4194304}, 0, 1}, {TY_F32, 1, {4194304}, 0, 1}},
         dot,
         "a@b",
         "a@b",
         2 * 4 * 4194304.0,
         BENCH_READ},
        {"matrix vector f32 2048",
         2,
         {{TY_F32, 2, {2048, 2048}, 0, 1}, {TY_F32, 1, {2048}, 0, 1}},
         dot,
         "a@b",
         "a@b",
         4 * 4194304.0,
         BENCH_READ},
        {"vector matrix f32 2048",
         2,
         {{TY_F32, 1, {2048}, 0, 1}, {TY_F32, 2, {2048, 2048}, 0, 1}},
         dot,
         "a@b",
         "a@b",
         4 * 4194304.0,
         BENCH_READ},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) bench_case(b, &products[i]);
    return bench_close(b);
}
