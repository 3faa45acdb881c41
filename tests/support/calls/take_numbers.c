/* Numbers: the first of each menu is valid for most functions. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include "tests/support/calls/take.h"

#define FROM(menu) menu[calls_choose(c, (int)(sizeof menu / sizeof *menu))]

static const int64_t integers[] = {1,
                                   0,
                                   2,
                                   3,
                                   -1,
                                   -2,
                                   5,
                                   7,
                                   16,
                                   63,
                                   64,
                                   65,
                                   -64,
                                   -65,
                                   127,
                                   256,
                                   1000,
                                   -1000,
                                   INT_MAX,
                                   INT_MIN,
                                   (int64_t)INT_MAX + 1,
                                   UINT32_MAX,
                                   (int64_t)1 << 32,
                                   (int64_t)1 << 40,
                                   ((int64_t)1 << 53) + 1,
                                   (int64_t)1 << 61,
                                   (int64_t)1 << 62,
                                   -((int64_t)1 << 62),
                                   INT64_MAX,
                                   INT64_MAX - 1,
                                   INT64_MIN,
                                   INT64_MIN + 1};

TAKE(int, int) {
    static const int menu[] = {0,   1,    2,     3,       -1,      -2,          5,          31,
                               32,  63,   64,    65,      -63,     -64,         -65,        127,
                               128, 1000, -1000, INT_MAX, INT_MIN, INT_MAX - 1, INT_MIN + 1};
    (void)name;
    return FROM(menu);
}

TAKE(rank_int, int) {
    static const int menu[] = {2, 0, 1, 3, 4, -1, 63, 64, 65, 128, 256, INT_MAX, INT_MIN};
    (void)name;
    return (int)(c->count = FROM(menu));
}

/* For rows and columns, the product counts elements. */
TAKE(count_int64_t, int64_t) {
    static const int menu[] = {2, 0, 1, 3, 4, 5, 8, 13, -1, -2, 16, INT_MIN};
    int64_t n = FROM(menu);
    if (c->count == NOT_SAID && calls_choose(c, 8) == 7) n = n > 4 ? 65 : 64;
    if (strcmp(name, "columns") != 0) c->count = NOT_SAID;
    if (c->count > 0 && n > 0 && c->count * n > CALLS_MOST) n = 1;
    c->count = c->count > 0 && n > 0 ? c->count * n : n;
    return n;
}
TAKE(count_int, int) { return (int)take_count_int64_t(c, name); }

TAKE(int64_t, int64_t) {
    (void)name;
    return FROM(integers);
}
TAKE(uint64_t, uint64_t) {
    uint64_t n = (uint64_t)take_int64_t(c, name);
    return strcmp(name, "offset") == 0 && n == 1 ? 0 : n;
}

/* Few steps, since nothing else may end the training. */
TAKE(steps, int64_t) {
    static const int64_t menu[] = {1, 0, -1, 2, INT64_MIN};
    (void)name;
    return FROM(menu);
}

/* Limits a loop whose condition may always hold. */
TAKE(most, int64_t) {
    static const int64_t menu[] = {2, 1, 5, -1, INT64_MIN};
    (void)name;
    return FROM(menu);
}

TAKE(nresults, int) {
    static const int menu[] = {1, 0, 2, -1, INT_MIN};
    (void)name;
    c->operands = c->count;
    return (int)(c->count = FROM(menu));
}

/* Order of derivatives: a function has that many results and one more. */
TAKE(order, int) {
    static const int menu[] = {2, 0, 1, 3, 5, -1, 17, INT_MIN};
    (void)name;
    return (int)(c->count = FROM(menu));
}

/* Number of leading tensors for which a function has results. */
TAKE(ny, int) { return (int)(c->operands = take_count_int64_t(c, name)); }

TAKE(double, double) {
    static const double menu[] = {
        0.5,      0,         -0.0,  1,      -1,     2,      3,       0.1,          100,     1e-9,
        1e9,      1e19,      -1e19, 1e300,  -1e300, 1e-300, DBL_MIN, DBL_TRUE_MIN, DBL_MAX, -DBL_MAX,
        INFINITY, -INFINITY, NAN,   0x1p31, 0x1p53, 0x1p63, -0x1p63, 0x1p64};
    (void)name;
    return FROM(menu);
}

TAKE(_Bool, bool) {
    (void)name;
    return calls_choose(c, 2);
}

TAKE(bytes_before, size_t) {
    (void)name;
    if (c->null_name && c->null_at == c->pointers - 1) return 8; /* size of NULL memory */
    int fewer = calls_choose(c, 4);
    return fewer == 1 ? 0 : fewer == 2 ? c->bytes / 2 : c->bytes;
}

int take_enumerator(struct calls *c, int n) {
    static const int others[] = {-1, INT_MAX, INT_MIN};
    int i = calls_choose(c, n + 4);
    return i <= n ? i : others[i - n - 1];
}

TAKE(ty_dtype, ty_dtype) {
    (void)name;
    if (c->at >= c->size && strstr(c->function, "randint")) return TY_I64;
    return (ty_dtype)((take_enumerator(c, TY_DTYPES + 4) + (int64_t)TY_F32) % (TY_DTYPES + 4));
}
TAKE(ty_scatter_mode, ty_scatter_mode) {
    (void)name;
    return (ty_scatter_mode)take_enumerator(c, TY_SCATTER_MODES);
}
TAKE(ty_sparse_form, ty_sparse_form) {
    (void)name;
    return (ty_sparse_form)take_enumerator(c, TY_SPARSE_FORMS);
}

TAKE(few, int64_t) {
    (void)name;
    return calls_choose(c, CALLS_FEW + 2) - 1;
}
TAKE(ty_walk_order, ty_walk_order) {
    (void)name;
    return (ty_walk_order)take_enumerator(c, TY_CONSUMERS_FIRST + 1);
}
TAKE(ty_overlap, ty_overlap) {
    (void)name;
    return (ty_overlap)take_enumerator(c, TY_OVERLAPS);
}
TAKE(ty_band, ty_band) {
    (void)name;
    return (ty_band)take_enumerator(c, TY_BANDS);
}
TAKE(ty_column_kind, ty_column_kind) {
    (void)name;
    return (ty_column_kind)take_enumerator(c, TY_COLUMN_KINDS);
}
TAKE(ty_group_value, ty_group_value) {
    (void)name;
    return (ty_group_value)take_enumerator(c, TY_GROUP_VALUES);
}
TAKE(ty_pairing, ty_pairing) {
    (void)name;
    return (ty_pairing)take_enumerator(c, TY_PAIRINGS);
}
TAKE(ty_distribution, ty_distribution) {
    (void)name;
    return (ty_distribution)take_enumerator(c, TY_DISTRIBUTIONS);
}
TAKE(ty_ties, ty_ties) {
    (void)name;
    return (ty_ties)take_enumerator(c, TY_TIES_RULES);
}
TAKE(ty_multivariate, ty_multivariate) {
    (void)name;
    return (ty_multivariate)take_enumerator(c, TY_MULTIVARIATES);
}
TAKE(ty_adjustment, ty_adjustment) {
    (void)name;
    return (ty_adjustment)take_enumerator(c, TY_ADJUSTMENTS);
}
TAKE(ty_fft_norm, ty_fft_norm) {
    (void)name;
    return (ty_fft_norm)take_enumerator(c, TY_FFT_NORMS);
}
TAKE(ty_code, ty_code) {
    (void)name;
    return (ty_code)take_enumerator(c, TY_CODES);
}
TAKE(ty_eigen_order, ty_eigen_order) {
    (void)name;
    return (ty_eigen_order)take_enumerator(c, TY_EIGEN_ORDERS);
}
TAKE(ty_matrix_order, ty_matrix_order) {
    (void)name;
    return (ty_matrix_order)take_enumerator(c, TY_MATRIX_ORDERS);
}
TAKE(ty_pad_kind, ty_pad_kind) {
    (void)name;
    return (ty_pad_kind)take_enumerator(c, TY_PAD_KINDS);
}
TAKE(ty_sampling, ty_sampling) {
    (void)name;
    return (ty_sampling)take_enumerator(c, TY_SAMPLINGS);
}

TAKE(ty_axes, ty_axes) {
    static const uint64_t bits[] = {0, 1, 2, 3, 5, (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 1};
    (void)name;
    int way = calls_choose(c, 8);
    if (way == 0) return TY_ALL;
    if (way < 4) return ty_axis(take_int(c, name));
    uint64_t mask = FROM(bits), last = FROM(bits);
    return (ty_axes){mask, last, way & 1};
}

int64_t take_option(struct calls *c, int64_t usual) {
    return calls_choose(c, 8) < 5 ? usual : FROM(integers);
}
double take_real_option(struct calls *c, double usual) {
    return calls_choose(c, 8) < 5 ? usual : take_double(c, "");
}
