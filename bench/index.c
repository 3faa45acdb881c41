/* Indexing against NumPy and PyTorch: rows and elements read and written by index, masks, boxes, padding. */
#include "bench/support/harness.h"

static ty_tensor *rows(ty_tensor *const *x) { return ty_take(x[0], x[1], 0); }
static ty_tensor *elements(ty_tensor *const *x) { return ty_take(x[0], x[1], TY_FLAT); }
static ty_tensor *columns(ty_tensor *const *x) { return ty_take(x[0], x[1], 1); }
static ty_tensor *along_last(ty_tensor *const *x) { return ty_take_along_axis(x[0], x[1], 1); }
static ty_tensor *along_first(ty_tensor *const *x) { return ty_take_along_axis(x[0], x[1], 0); }
static ty_tensor *points(ty_tensor *const *x) { return ty_get(x[0], TY_ITEMS(TY_OF(x[1]), TY_OF(x[2]))); }
static ty_tensor *nonzero(ty_tensor *const *x) { return ty_flat_nonzero(x[0]); }
static ty_tensor *nonzero_axes(ty_tensor *const *x) { return ty_nonzero(x[0]); }
static ty_tensor *masked(ty_tensor *const *x) { return ty_get(x[0], TY_ITEMS(TY_OF(x[1]))); }
static ty_tensor *masked_set(ty_tensor *const *x) { return ty_set(x[0], TY_ITEMS(TY_OF(x[1])), ty_num(0)); }
static ty_tensor *box_set(ty_tensor *const *x) { return ty_set_at(x[0], "1:-1, 1:-1", ty_num(0)); }
static ty_tensor *add_rows(ty_tensor *const *x) { return ty_scatter_add(x[0], x[1], 0, 10000); }
static ty_tensor *add_elements(ty_tensor *const *x) { return ty_scatter_add(x[0], x[1], 0, 10000); }
static ty_tensor *set_elements(ty_tensor *const *x) { return ty_put(x[0], x[1], x[2]); }
static ty_tensor *reflected(ty_tensor *const *x) {
    return ty_pad_around(x[0], 8, (int64_t[]){0, 0, 0, 0, 3, 3, 3, 3}, TY_PAD_REFLECT);
}

#define F32(...)                                                                                             \
    { TY_F32, __VA_ARGS__, -1, 1 }
#define INDEX(n, ...)                                                                                        \
    { TY_I64, __VA_ARGS__, 0, n }

static const struct bench_case cases[] = {
    {"take rows [10000,64] by 20000",
     2,
     {F32(2, {10000, 64}), INDEX(10000, 1, {20000})},
     rows,
     "a.take(b, axis=0)",
     "a[b]",
     2 * 20000 * 64 * 4,
     BENCH_STREAM},
    {"take rows [10000,8] by 100000",
     2,
     {F32(2, {10000, 8}), INDEX(10000, 1, {100000})},
     rows,
     "a.take(b, axis=0)",
     "a[b]",
     2 * 100000 * 8 * 4,
     BENCH_STREAM},
    {"take 1M elements of 10k",
     2,
     {F32(1, {10000}), INDEX(10000, 1, {1000000})},
     elements,
     "a.take(b)",
     "a[b]",
     1000000 * 12,
     BENCH_STREAM},
    {"take 1M elements of 4M",
     2,
     {F32(1, {4000000}), INDEX(4000000, 1, {1000000})},
     elements,
     "a.take(b)",
     "a[b]",
     1000000 * 16,
     BENCH_NO_ROOF},
    {"take columns [2000,500] by 300",
     2,
     {F32(2, {2000, 500}), INDEX(500, 1, {300})},
     columns,
     "a.take(b, axis=1)",
     "a[:, b]",
     2 * 2000 * 300 * 4,
     BENCH_STREAM},
    {"take_along_axis 1 [1000,1000]",
     2,
     {F32(2, {1000, 1000}), INDEX(1000, 2, {1000, 1000})},
     along_last,
     "np.take_along_axis(a, b, 1)",
     "torch.gather(a, 1, b)",
     1000000 * 16,
     BENCH_STREAM},
    {"take_along_axis 0 [1000,1000]",
     2,
     {F32(2, {1000, 1000}), INDEX(1000, 2, {1000, 1000})},
     along_first,
     "np.take_along_axis(a, b, 0)",
     "torch.gather(a, 0, b)",
     1000000 * 16,
     BENCH_STREAM},
    {"x[i, j] 1M points",
     3,
     {F32(2, {1000, 1000}), INDEX(1000, 1, {1000000}), INDEX(1000, 1, {1000000})},
     points,
     "a[b, c]",
     "a[b, c]",
     1000000 * 24,
     BENCH_STREAM},
    {"flatnonzero bool 4M",
     1,
     {{TY_BOOL, 1, {4000000}, 0, 2}},
     nonzero,
     "np.flatnonzero(a)",
     "torch.nonzero(a)",
     4000000 + 8 * 2000000,
     BENCH_STREAM},
    {"nonzero bool [2000,2000]",
     1,
     {{TY_BOOL, 2, {2000, 2000}, 0, 2}},
     nonzero_axes,
     "np.nonzero(a)",
     "torch.nonzero(a, as_tuple=True)",
     4000000 + 16 * 2000000,
     BENCH_STREAM},
    {"x[mask] 4M",
     2,
     {F32(1, {4000000}), {TY_BOOL, 1, {4000000}, 0, 2}},
     masked,
     "a[b]",
     "a[b]",
     4000000 * 5 + 8000000,
     BENCH_STREAM},
    {"x[mask] = 0, copied",
     2,
     {F32(1, {4000000}), {TY_BOOL, 1, {4000000}, 0, 2}},
     masked_set,
     "np.where(b, np.float32(0), a)",
     "torch.where(b, 0, a)",
     4000000 * 9,
     BENCH_STREAM},
    {"x[1:-1, 1:-1] = 0, copied",
     1,
     {F32(2, {2000, 2000})},
     box_set,
     "(lambda q: (q.__setitem__((slice(1, -1), slice(1, -1)), 0), q))(a.copy())",
     "(lambda q: (q.__setitem__((slice(1, -1), slice(1, -1)), 0), q))(a.clone())",
     4000000 * 4,
     BENCH_STREAM},
    {"add 20000 rows of 64 at indices",
     2,
     {F32(2, {20000, 64}), INDEX(10000, 1, {20000})},
     add_rows,
     "np.add.at(np.zeros((10000, 64), 'f4'), b, a)",
     "torch.zeros(10000, 64).index_add_(0, b, a)",
     2 * 20000 * 64 * 4,
     BENCH_STREAM},
    {"add 1M elements at indices",
     2,
     {F32(1, {1000000}), INDEX(10000, 1, {1000000})},
     add_elements,
     "np.add.at(np.zeros(10000, 'f4'), b, a)",
     "torch.zeros(10000).index_add_(0, b, a)",
     12000000,
     BENCH_STREAM},
    {"put 1M elements into 1M, copied",
     3,
     {F32(1, {1000000}), INDEX(1000000, 1, {1000000}), F32(1, {1000000})},
     set_elements,
     "(lambda q: q.put(b, c))(a.copy())",
     "a.clone().put_(b, c)",
     1000000 * 20,
     BENCH_NO_ROOF},
    {"pad reflect [16,32,56,56]",
     1,
     {F32(4, {16, 32, 56, 56})},
     reflected,
     "np.pad(a, ((0, 0), (0, 0), (3, 3), (3, 3)), 'reflect')",
     "torch.nn.functional.pad(a, (3, 3, 3, 3), 'reflect')",
     4 * 16 * 32 * (56 * 56 + 62 * 62),
     BENCH_STREAM},
};

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "indexing");
    if (!b) return 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) bench_case(b, &cases[i]);
    return bench_close(b);
}
