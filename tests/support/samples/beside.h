/* Measurement of the memory that an expression allocates besides its result, for benchmarks and tests;
   header-only. */
#ifndef TESTS_SUPPORT_BESIDE_H
#define TESTS_SUPPORT_BESIDE_H
#include <stdio.h>
#include <string.h>
#include <tyto/expression.h>
#include <tyto/tyto.h>
#include "base/alloc.h"

struct beside {
    int64_t result, peak; /* bytes of the results; greatest additional bytes */
    const char *error;    /* NULL: success; otherwise a message that is valid until the next call */
};

enum { BESIDE_NAMES = 6, BESIDE_COLUMNS = 1024, BESIDE_RESULTS = 8 };

/* Make the operands x, m, w, ones, key, k of beside.def; n is a multiple of 2 * BESIDE_COLUMNS. */
static inline void beside_operands(ty_dtype dtype, int64_t n, ty_tensor **x) {
    ty_tensor *some = ty_cast(ty_iota(TY_I32, TY_SHAPE(251), 0), dtype);
    int64_t ones = n;
    x[0] = ty_resize(some, TY_SHAPE(n));
    x[1] = ty_reshape(x[0], TY_SHAPE(n / BESIDE_COLUMNS, BESIDE_COLUMNS));
    x[2] = ty_reshape(x[0], TY_SHAPE(2, n / 2));
    x[3] = ty_ones(TY_U8, 1, &ones);
    x[4] = ty_key(3);
    x[5] = ty_cast(ty_from(TY_F64, TY_SHAPE(3), (double[]){3, 7, 200}), dtype);
}

/* Make operands of the same names with sixteen elements. */
static inline void beside_small(ty_tensor **x) {
    int64_t ones = 16;
    x[0] = ty_cast(ty_iota(TY_I32, TY_SHAPE(16), 0), TY_F32);
    x[1] = ty_reshape(x[0], TY_SHAPE(4, 4));
    x[2] = ty_reshape(x[0], TY_SHAPE(2, 8));
    x[3] = ty_ones(TY_U8, 1, &ones);
    x[4] = ty_key(3);
    x[5] = ty_cast(ty_from(TY_F64, TY_SHAPE(3), (double[]){3, 7, 200}), TY_F32);
}

/* Copy `text` to out with N replaced by n, the number of x's elements. */
static inline void beside_text(char *out, size_t room, const char *text, int64_t n) {
    size_t at = 0;
    for (; *text && at + 24 < room; text++)
        if (*text == 'N')
            at += (size_t)snprintf(out + at, room - at, "%lld", (long long)n);
        else
            out[at++] = *text;
    out[at] = 0;
}

/* Measure the memory of one evaluation, after a first one that fills the caches. x holds the operands of
   beside_operands. */
static inline struct beside beside_of(const char *text, ty_tensor *const *x) {
    static const char *const names[BESIDE_NAMES] = {"x", "m", "w", "ones", "key", "k"};
    static char error[512];
    char numbered[512] = "";
    beside_text(numbered, sizeof numbered, text, ty_size(x[0]));
    ty_tensor *results[BESIDE_RESULTS];
    struct beside b = {0};
    for (int again = 0; again < 2; again++) {
        ty_scope *scope = ty_open();
        int64_t before = mem_bytes();
        mem_peak_begin();
        int n = ty_expressions(numbered, BESIDE_NAMES, names, x, BESIDE_RESULTS, results);
        b.result = mem_bytes() - before;
        b.peak = mem_peak() - mem_bytes();
        for (int i = 0; i < n; i++) {
            if (ty_ok(results[i])) continue;
            strncpy(error, ty_error(results[i]), sizeof error - 1);
            b.error = error;
        }
        ty_close(scope);
    }
    return b;
}

/* Measure the memory that ty_into allocates beside a destination of the first result, after a first call that fills the
   caches. x holds the operands of beside_operands. */
static inline struct beside beside_into(const char *text, ty_tensor *const *x) {
    static const char *const names[BESIDE_NAMES] = {"x", "m", "w", "ones", "key", "k"};
    static char message[512];
    char numbered[512] = "";
    struct beside b = {0};
    ty_tensor *lazy[BESIDE_NAMES], *results[BESIDE_RESULTS] = {NULL}, *error = NULL;
    ty_scope *scope = ty_open();
    beside_text(numbered, sizeof numbered, text, ty_size(x[0]));
    for (int i = 0; i < BESIDE_NAMES; i++) lazy[i] = ty_lazy(x[i]);
    ty_expressions(numbered, BESIDE_NAMES, names, lazy, BESIDE_RESULTS, results);
    ty_tensor *y = ty_detach(results[0]), *to = ty_memory(ty_dtype_of(y), ty_rank(y), ty_shape(y));
    b.result = ty_size(y) * (int64_t)ty_dtype_size(ty_dtype_of(y));
    bool done = ty_ok(y);
    for (int again = 0; again < 2 && done; again++) {
        int64_t before = mem_bytes();
        mem_peak_begin();
        done = ty_into(to, y, &error);
        b.peak = mem_peak() - before;
    }
    if (!done) strncpy(message, ty_error(ty_ok(y) ? error : y), sizeof message - 1);
    b.error = done ? NULL : message;
    ty_close(scope);
    return b;
}
#endif
