/* The menu of tensors. The first choice is valid for the parameter's name and the mould of the call. The
   others are every dtype and shape, views, promises, variables, weak numbers and poison. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "tests/support/calls/take.h"

static ty_tensor *counted(ty_dtype dtype, int rank, const int64_t *shape) {
    return ty_iota(dtype, rank, shape, rank ? rank - 1 : 0);
}

static ty_tensor *moulded(int mould) {
    switch (mould) {
    case 1:
        return counted(TY_F32, 1, (int64_t[]){4});
    case 2:
        return counted(TY_F32, 4, (int64_t[]){2, 4, 4, 2});
    case 3:
        return counted(TY_I64, 1, (int64_t[]){2});
    case 4:
        return counted(TY_F64, 2, (int64_t[]){3, 3});
    case 5:
        return ty_scalar(TY_F32, 1);
    case 6:
        return counted(TY_F32, 3, (int64_t[]){2, 4, 2});
    case 7:
        return counted(TY_F32, 5, (int64_t[]){1, 4, 4, 4, 1});
    case 8:
        return counted(TY_U8, 2, (int64_t[]){2, 2});
    case 10:
        return counted(TY_U8, 4, (int64_t[]){1, 4, 4, 1});
    case 9:
        return counted(TY_C64, 2, (int64_t[]){2, 2});
    default:
        return counted(TY_F32, 2, (int64_t[]){2, 3});
    }
}

/* Return a convolution kernel for the mould's tensors. */
static ty_tensor *kernel(int mould) {
    static const int64_t shape[] = {2, 2, 2, 2}, one[] = {2, 2, 2, 1, 1};
    ty_dtype dtype = mould == 10 ? TY_U8 : TY_F32;
    return mould == 7 || mould == 10 ? counted(dtype, mould == 7 ? 5 : 4, one + (mould == 10))
                                     : counted(dtype, mould == 6 ? 3 : 4, shape);
}

/* Return a tensor valid for a parameter of this name; NULL: any tensor is. */
static ty_tensor *named(struct calls *c, const char *name) {
    bool indices = strstr(c->function, "indices"), pairs = strstr(c->function, "_coo");
    if (strstr(c->function, "lanczos")) return ty_ones(TY_F64, 1, (int64_t[]){3});
    if (strncmp(c->function, "ty_sparse_", 10) == 0) {
        if (strcmp(name, "values") == 0) return ty_ones(TY_F32, 1, (int64_t[]){2});
        if (strcmp(name, "indices") == 0) return ty_zeros(TY_I32, pairs ? 2 : 1, (int64_t[]){2, 2});
        if (strcmp(name, "starts") == 0) return ty_from(TY_I64, 1, (int64_t[]){2}, (int64_t[]){0, 2});
    }
    if (strcmp(name, "x") == 0 && strncmp(c->function, "ty_step_", 8) == 0)
        return counted(TY_U8, 3, (int64_t[]){4, 4, 3});
    if (strncmp(c->function, "ty_plot_spectr", 14) == 0) return counted(TY_F32, 1, (int64_t[]){16});
    if (strncmp(c->function, "ty_plot_curves", 14) == 0) return counted(TY_F32, 1, (int64_t[]){4});
    if (strncmp(c->function, "ty_plot_confusion", 17) == 0) return counted(TY_F64, 2, (int64_t[]){2, 2});
    if (strcmp(name, "index") == 0 && strstr(c->function, "unpool"))
        return ty_sub(ty_cast(moulded(c->mould), TY_I64), ty_cast(moulded(c->mould), TY_I64));
    if (strcmp(name, "p") == 0 && strstr(c->function, "multinomial"))
        return ty_full(TY_F64, 1, (int64_t[]){2}, 0.5);
    if (strcmp(name, "p") == 0 && strstr(c->function, "choice")) return ty_ones(TY_F64, 1, (int64_t[]){1});
    if (strcmp(name, "updates") == 0 && strstr(c->function, "_nd")) return ty_num(0);
    if (strcmp(name, "index") == 0 && strstr(c->function, "switch")) return ty_lazy(ty_scalar(TY_I64, 1));
    if (strcmp(name, "values") == 0 && strstr(c->function, "entries"))
        return ty_zeros(TY_F32, 1, (int64_t[]){0});
    if (strcmp(name, "indices") == 0) return ty_zeros(TY_I64, 2, (int64_t[]){0, 2});
    if (strcmp(name, "key") == 0) return ty_key(7);
    if (strcmp(name, "n") == 0) return ty_scalar(TY_I64, 1);
    if (strncmp(name, "destination", 11) == 0) {
        ty_tensor *form = moulded(c->mould);
        return ty_memory(ty_dtype_of(form), ty_rank(form), ty_shape(form));
    }
    if (strcmp(name, "variable") == 0) return ty_var(moulded(c->mould), name);
    if (strcmp(name, "labels") == 0 || strcmp(name, "batch") == 0) return ty_zeros(TY_I64, 1, (int64_t[]){2});
    if (strcmp(name, "index") == 0 || strcmp(name, "counts") == 0 || strcmp(name, "places") == 0)
        return ty_iota(TY_I64, 1, (int64_t[]){2}, 0);
    if (strcmp(name, "initial") == 0 || strcmp(name, "period") == 0) return ty_num(2);
    if (strcmp(name, "condition") == 0 || strcmp(name, "mask") == 0 || strcmp(name, "where") == 0)
        return ty_lt(moulded(c->mould), ty_num(2));
    if (strcmp(c->function, "ty_attention") == 0) return NULL;
    if (strcmp(name, "p") == 0 || strcmp(name, "q") == 0) return ty_full(TY_F64, 0, NULL, 0.5);
    if (strcmp(name, "step") == 0 || strcmp(name, "rate") == 0) return ty_scalar(TY_F64, 1);
    if (strcmp(name, "low") == 0 || strcmp(name, "n") == 0 || strcmp(name, "values") == 0) return ty_num(0);
    if (strcmp(name, "predicate") == 0) return ty_lazy(ty_scalar(TY_BOOL, 1));
    if (strcmp(name, "theta") == 0) return ty_ones(TY_F32, 3, (int64_t[]){2, 2, 3});
    if (strcmp(name, "regions") == 0) return ty_ones(TY_F32, 2, (int64_t[]){2, 4});
    if (strcmp(name, "boxes") == 0)
        return ty_ones(TY_F32, indices ? 2 : 3, (int64_t[]){2, indices ? 4 : 2, 4});
    if (strcmp(name, "scores") == 0) return ty_ones(TY_F32, indices ? 1 : 3, (int64_t[]){2, 1, 2});
    if (strstr(name, "_zero")) return ty_scalar(TY_U8, 1);
    if (strcmp(name, "a") == 0 && strstr(c->function, "filter")) return ty_ones(TY_F32, 1, (int64_t[]){2});
    if (strcmp(name, "w") == 0) return kernel(c->mould);
    if (strcmp(name, "stop") == 0 || strcmp(name, "high") == 0) return ty_num(3);
    return NULL;
}

static ty_tensor *number(struct calls *c) {
    switch (calls_choose(c, 8)) {
    case 0:
        return ty_num(take_double(c, ""));
    case 1:
        return ty_int(take_int64_t(c, ""));
    case 2:
        return ty_natural(UINT64_MAX);
    case 3:
        return ty_complex(take_double(c, ""), take_double(c, ""));
    case 4:
        return ty_int(INT64_MIN);
    case 5:
        return ty_scalar(TY_I64, 2);
    default:
        return ty_scalar(take_ty_dtype(c, ""), take_double(c, ""));
    }
}

/* Return an i64 [2] of any two values: indices, counts, labels. */
static ty_tensor *pair(struct calls *c) {
    int64_t two[] = {take_int64_t(c, ""), take_int64_t(c, "")};
    return ty_from(TY_I64, 1, (int64_t[]){2}, two);
}

/* Return tensors of ranks 64, 63 and 1, or with sizes of 0 next to sizes near the ends of address space. */
static ty_tensor *shaped(struct calls *c) {
    int64_t ones[64], *last = ones + 62;
    for (int i = 0; i < 64; i++) ones[i] = 1;
    ty_dtype dtype = calls_choose(c, 2) ? take_ty_dtype(c, "") : TY_F32;
    switch (calls_choose(c, 8)) {
    case 0:
        last[0] = 2, last[1] = 3;
        return counted(dtype, 64, ones);
    case 1:
        return counted(dtype, 64, ones);
    case 2:
        last[0] = 2;
        return counted(dtype, 63, ones);
    case 3:
        return ty_zeros(dtype, 2, (int64_t[]){0, (int64_t)1 << 40});
    case 4:
        return ty_zeros(dtype, 2, (int64_t[]){INT64_MAX, 0});
    case 5:
        return ty_zeros(dtype, 1, (int64_t[]){0});
    case 6:
        last[1] = 0;
        return ty_zeros(dtype, 64, ones);
    default:
        return counted(dtype, 1, (int64_t[]){17});
    }
}

static ty_tensor *viewed(struct calls *c) {
    ty_tensor *x = moulded(calls_choose(c, CALLS_MOULDS));
    switch (calls_choose(c, 5)) {
    case 0:
        return ty_flip_axes(x, 0, NULL);
    case 1:
        return ty_permute(x, NULL);
    case 2:
        return ty_broadcast(ty_scalar(TY_F32, 2), 2, (int64_t[]){2, 3});
    case 3:
        return ty_slice(x, -1, 0, TY_END, 2);
    default:
        return ty_window(counted(TY_F32, 1, (int64_t[]){8}), 0, 3, 1, 2);
    }
}

static ty_tensor *special(struct calls *c) {
    static const float values[] = {NAN, INFINITY, -INFINITY, -0.0f, 1e30f, 1};
    return ty_cast(ty_from(TY_F32, 2, (int64_t[]){2, 3}, values),
                   calls_choose(c, 2) ? take_ty_dtype(c, "") : TY_F32);
}

static ty_tensor *of_way(struct calls *c, const char *name, int way) {
    ty_tensor *usual = way ? NULL : named(c, name);
    if (usual) return usual;
    switch (way) {
    case 1:
        return moulded(calls_choose(c, CALLS_MOULDS));
    case 2:
        return number(c);
    case 3:
        return pair(c);
    case 4:
        return shaped(c);
    case 5:
        return viewed(c);
    case 6:
        return special(c);
    case 7:
        return ty_poison("it went bad before");
    case 8:
        return ty_lazy(moulded(calls_choose(c, CALLS_MOULDS)));
    case 9:
        return ty_var(moulded(calls_choose(c, CALLS_MOULDS)), "v");
    case 10:
        return ty_track(moulded(calls_choose(c, CALLS_MOULDS)), "t");
    case 11:
        return ty_cast(moulded(calls_choose(c, CALLS_MOULDS)), take_ty_dtype(c, name));
    case 12:
        return ty_lazy(of_way(c, name, 2 + calls_choose(c, 4)));
    case 13:
        return ty_key(take_uint64_t(c, name));
    default:
        return moulded(c->mould);
    }
}

ty_tensor *calls_tensor(struct calls *c, const char *name) {
    int way = calls_choose(c, 24);
    ty_tensor *x = of_way(c, name, way < 14 ? way : 0);
    calls_check_tensor(c, x);
    if (c->rank == NOT_SAID) c->rank = ty_rank(x);
    return x;
}
