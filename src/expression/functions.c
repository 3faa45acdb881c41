/* The table of functions: the elementwise operators and the entries of functions.def. */
#include <string.h>
#include <tyto/tyto.h>
#include "expression/call.h"
#include "expression/function_docs.def"
#include "ops/core/elementwise.h"
#include "ops/core/structure.h"

#define TENSOR(i) (a->arguments[i].tensor)
#define COUNT(i) (a->arguments[i].count)
#define TENSORS(i) (a->arguments[i].tensors)
#define INT(i) (a->arguments[i].integer)
#define INT32(i) call_small(a, i)
#define NUMBER(i) (a->arguments[i].number)
#define BOOL(i) (a->arguments[i].truth)
#define INTS(i) (a->arguments[i].ints)
#define NONE(i) (a->arguments[i].none)
#define AXES(i, keep) call_axes(a, i, keep)
#define DTYPE(i) (a->arguments[i].dtype)
#define TEXT(i) (a->arguments[i].text)

/* MASKED: an initial value (i) or a mask (k) is given.  ORDER_OF_NUMBER: operand i has no axes, and k is given.
   CAST: operand i, cast to the dtype k if that is given. */
#define MASKED(i, k) (TENSOR(i) || TENSOR(k))
#define ORDER_OF_NUMBER(i, k) (a->arguments[k].given && ty_ok(TENSOR(i)) && !ty_rank(TENSOR(i)))
#define CAST(i, k) (NONE(k) ? TENSOR(i) : ty_cast(TENSOR(i), DTYPE(k)))

/* Return argument i, from 0, as a C int; if it does not fit, set the fault and return 0. */
static int call_small(struct call *a, int i) {
    int64_t value = a->arguments[i].integer;
    if (value == (int)value) return (int)value;
    fault_set(&a->e->fault, E_SHAPE, "argument %d is %lld, which does not fit 32 bits", i + 1,
              (long long)value);
    return 0;
}

static ty_tensor **results(struct call *a, int64_t n) {
    bool fits = n >= 0 && n < INT32_MAX;
    return fits ? arena_array(&a->e->arena, (size_t)n + 1, sizeof(ty_tensor *)) : NULL;
}

/* Return an axis from a list as an int; a value that does not fit becomes INT32_MAX, an invalid axis. */
static int call_axis(int64_t axis) { return axis < INT32_MIN || axis > INT32_MAX ? INT32_MAX : (int)axis; }

/* x and axis of a scan; without an axis it runs over all elements in order. */
#define SCANNED(x, axis) (NONE(axis) ? ty_ravel(TENSOR(x)) : TENSOR(x))
#define SCANNED_AXIS(axis) (NONE(axis) ? 0 : INT32(axis))

/* Return max or min of argument 0. If argument 1 is none or an axis it is a reduction, by `reduce` or, with a
   mask or an initial value, `masked`. If it is an array, or a number that is no integer, both are compared
   elementwise by of_two. Poison on failure. */
static ty_tensor *call_extreme(struct call *a, ty_tensor *(*of_two)(ty_tensor *, ty_tensor *),
                               ty_tensor *(*reduce)(ty_tensor *, ty_axes),
                               ty_tensor *(*masked)(ty_tensor *, ty_axes, ty_tensor *, ty_tensor *)) {
    if (!TENSOR(1) && MASKED(3, 4)) return masked(TENSOR(0), AXES(1, BOOL(2)), TENSOR(4), TENSOR(3));
    if (!TENSOR(1)) return reduce(TENSOR(0), AXES(1, BOOL(2)));
    return BOOL(2) || MASKED(3, 4)
               ? ty_poison_code(E_ARGUMENT, "keepdims, initial and where are for reductions, but the "
                                            "second argument is an array")
               : of_two(TENSOR(0), TENSOR(1));
}

/* Return NumPy's dot: 0-d operands multiply; otherwise the sum over the last axis of a and the last but one
   of b. Poison on failure. */
static ty_tensor *dot_of(ty_tensor *a, ty_tensor *b) {
    if (!ty_ok(a) || !ty_ok(b) || !ty_rank(a) || !ty_rank(b)) return ty_mul(a, b);
    return ty_tensordot(a, b, 1, (const int64_t[]){-1}, (const int64_t[]){ty_rank(b) > 1 ? -2 : -1});
}

static ty_tensor *place_in_sorted(struct call *a) {
    return ty_searchsorted(TENSOR(0), TENSOR(1), BOOL(2) || !strcmp(TEXT(3), "right"));
}

/* Return x padded with `value` by amounts[n]: n = 1 for all ends, 2 for low and high ends of all axes, or low
   and high for each axis. Poison on failure. */
static ty_tensor *pad_constant(ty_tensor *x, int n, const int64_t *amounts, ty_tensor *value) {
    ty_padding padding[TY_MAX_RANK];
    int rank = ty_ok(x) ? ty_rank(x) : 0;
    if (n != 1 && n != 2 && n != 2 * rank)
        return ty_poison_code(E_ARGUMENT, "pad: %d amounts for %d axes; expected 1, 2 or two for each axis",
                              n, rank);
    for (int i = 0; i < rank; i++) {
        int at = n > 2 ? 2 * i : 0;
        padding[i] = (ty_padding){.low = amounts[at], .high = amounts[n > 1 ? at + 1 : at]};
    }
    return ty_pad(x, padding, value);
}

/* Refuse an order of the norm of a number, which may be the second of two numbers. */
static ty_tensor *refuse_number(struct call *a) {
    return refuse("norm", 1, &TENSOR(0), E_SHAPE,
                  "a number has no norm of an order; expected a vector or matrix");
}

/* Return x [variables, observations] of cov and corrcoef with the variables of y behind, as NumPy puts them; x as it is
   without y.  Argument `rows` says if variables are rows.  Poison of function `name` for a number. */
static ty_tensor *call_variables(const char *name, const struct call *a, int rows) {
    ty_tensor *both[] = {TENSOR(0), TENSOR(1)};
    if (ty_ok(both[0]) && !ty_rank(both[0]))
        return refuse(
            name, 1, both, E_SHAPE,
            "a number is one observation, which leaves no degrees of freedom; expected a vector or matrix");
    if (!both[1]) return both[0];
    for (int i = 0; i < 2; i++) {
        if (!ty_ok(both[i]) || ty_rank(both[i]) > 2) return both[i];
        if (ty_rank(both[i]) == 0) both[i] = ty_expand(both[i], 0);
        if (ty_rank(both[i]) == 1)
            both[i] = ty_expand(both[i], 0);
        else if (!BOOL(rows))
            both[i] = ty_transpose(both[i]);
    }
    return ty_concat(2, both, 0);
}

/* Return x with its axes in the order order[n]; n = 0 reverses them. Poison on failure. */
static ty_tensor *call_permute(ty_tensor *x, int n, const int64_t *order) {
    int axes[TY_MAX_RANK];
    if (n && ty_ok(x) && n != ty_rank(x))
        return ty_poison_code(E_SHAPE, "transpose: %d axes in the order, but the tensor has %d", n,
                              ty_rank(x));
    for (int i = 0; i < n; i++) axes[i] = call_axis(order[i]);
    return ty_permute(x, n ? axes : NULL);
}

/* Return argument 0 transformed along several axes, with sizes in argument 1, axes in 2 and the norm in 3.
   Sizes without axes belong to the last axes; without both, the last `usual` axes are transformed, 0: all.
   Poison on failure. */
static ty_tensor *call_fft_axes(ty_tensor *(*transform)(ty_tensor *, int, const int64_t *, const int64_t *,
                                                        ty_fft_norm),
                                int usual, const struct call *a) {
    const struct argument *sizes = &a->arguments[1], *axes = &a->arguments[2];
    int64_t last[TY_MAX_RANK];
    int n = axes->count > 0 ? axes->count : sizes->count > 0 ? sizes->count : usual;
    if (n > TY_MAX_RANK || (sizes->count > 0 && sizes->count != n))
        return ty_poison_code(E_SHAPE, "%d sizes for %d axes; the numbers must match", sizes->count, n);
    for (int i = 0; i < n; i++) last[i] = i - n;
    return transform(a->arguments[0].tensor, n,
                     axes->count > 0 ? axes->ints
                     : n             ? last
                                     : NULL,
                     sizes->count > 0 ? sizes->ints : NULL, ty_fft_norm_named(a->arguments[3].text));
}

/* Return the number of boxes to keep in ty_nms_options; in expressions 0 keeps none, as in ONNX. */
static int64_t nms_count(int64_t most) { return most ? most : -1; }

/* Return the options of interpolation in arguments i .. i + 6. If an integer does not fit, the fault is set. */
static ty_interp_options interp_options(struct call *a, int i) {
    return (ty_interp_options){ty_interp_kind_named(TEXT(i)),
                               INT32(i + 1),
                               ty_extrapolation_named(TEXT(i + 2)),
                               NUMBER(i + 3),
                               ty_spline_end_named(TEXT(i + 4)),
                               NUMBER(i + 5),
                               NUMBER(i + 6)};
}

/* Set given[] to the tensors in arguments i, i + 1, .., at most `most`, up to the first that is missing.
   Return their number. */
static int call_given(const struct call *a, int i, int most, ty_tensor **given) {
    int n = 0;
    while (n < most && a->arguments[i + n].tensor) given[n] = a->arguments[i + n].tensor, n++;
    return n;
}
/* Functions of univariate and of multivariate distributions; the text selects one.  NULL: not available. */
typedef ty_tensor *(*density_of_one)(ty_distribution, ty_tensor *, int, ty_tensor *const *);
typedef ty_tensor *(*density_of_many)(ty_multivariate, ty_tensor *, int, ty_tensor *const *);
typedef ty_tensor *(*moment_of_one)(ty_distribution, int, ty_tensor *const *);
typedef ty_tensor *(*moment_of_many)(ty_multivariate, int, ty_tensor *const *);
static ty_tensor *no_such_function(const char *name, bool vectors) {
    return vectors
               ? ty_poison_code(E_UNSUPPORTED,
                                "%s is a multivariate distribution, which has no cdf, sf, ppf or isf", name)
               : ty_poison_code(E_ARGUMENT, "%s is not a multivariate distribution; it has a variance", name);
}
/* Return the density asked for, by f or, for distributions of vectors, g (NULL: there is none). Arguments:
   name, x and parameters. Poison on failure. */
static ty_tensor *call_density(density_of_one f, density_of_many g, const struct call *a) {
    ty_tensor *parameters[3];
    int n = call_given(a, 2, 3, parameters);
    ty_multivariate many = ty_multivariate_named(TEXT(0));
    if (many == TY_MULTIVARIATES) return f(ty_distribution_named(TEXT(0)), TENSOR(1), n, parameters);
    return g ? g(many, TENSOR(1), n, parameters) : no_such_function(TEXT(0), true);
}
/* Return the moment asked for, by g for distributions of vectors, else by f (NULL: there is none). Arguments:
   name and parameters. Poison on failure. */
static ty_tensor *call_moment(moment_of_one f, moment_of_many g, const struct call *a) {
    ty_tensor *parameters[3];
    int n = call_given(a, 1, 3, parameters);
    ty_multivariate many = ty_multivariate_named(TEXT(0));
    if (many < TY_MULTIVARIATES) return g(many, n, parameters);
    return f ? f(ty_distribution_named(TEXT(0)), n, parameters) : no_such_function(TEXT(0), false);
}
/* Return draws from the distribution named by argument 0. Argument 1 is the shape, 2 the key, 3 to 5 the
   parameters, 6 the dtype. Poison on failure. */
static ty_tensor *distribution_draws(const struct call *a) {
    ty_tensor *parameters[3];
    int n = call_given(a, 3, 3, parameters);
    ty_multivariate many = ty_multivariate_named(TEXT(0));
    if (many < TY_MULTIVARIATES)
        return ty_multivariate_draw(many, DTYPE(6), COUNT(1), INTS(1), n, parameters, TENSOR(2));
    return ty_draw(ty_distribution_named(TEXT(0)), DTYPE(6), COUNT(1), INTS(1), n, parameters, TENSOR(2));
}

/* Return the options of statistical tests: argument i is the alternative and, if `method`, argument i + 1 the
   method. */
static ty_test_options call_test(const struct call *a, int i, bool method) {
    ty_test_options o = {.alternative = ty_alternative_named(a->arguments[i].text)};
    if (method) o.method = ty_test_method_named(a->arguments[i + 1].text);
    return o;
}

/* Give the results of a function the names of their parts, which `names` separates by blanks, so that commands label them
   and files have them.  All of them are new tensors. */
static void name_parts(ty_tensor **out, const char *names) {
    for (; *names; out++) {
        char name[PARAMETER_LENGTH];
        size_t n = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, names);
        *out = ty_named(*out, name);
        names += n + (names[n] == ' ');
    }
}
#define PARTS(names) name_parts(out, names)
#define TEST_PARTS(call)                                                                                     \
    ty_test test = (call);                                                                                   \
    out[0] = test.statistic, out[1] = test.p, out[2] = test.freedom, out[3] = test.freedom2;                 \
    PARTS("statistic p df df2")

/* Return the einsum by equation argument 0 of the operands in arguments 1 and following, up to the first that
   is missing. Poison on failure. */
static ty_tensor *einsum_operands(const struct call *a) {
    ty_tensor *operands[MOST_PARAMETERS];
    int n = 0;
    for (int i = 1; i < MOST_PARAMETERS && a->arguments[i].tensor; i++)
        operands[n++] = a->arguments[i].tensor;
    return ty_einsum_of(a->arguments[0].text, n, operands, (ty_einsum_options){0});
}

/* Write an option for up to three axes to out[3]: a single number applies to all; axes that a list does not
   reach get 0. Without numbers out[] stays. */
static void fill_axes(int64_t *out, const struct argument *a) {
    for (int i = 0; i < 3 && a->count; i++)
        out[i] = a->count == 1 ? a->ints[0] : i < a->count ? a->ints[i] : 0;
}

/* Return the options of pooling in arguments i .. i + 11. */
static ty_pool call_pool(struct call *a, int i) {
    ty_pool o = {.nchw = BOOL(i + 5),
                 .ceil = BOOL(i + 6),
                 .same = BOOL(i + 7),
                 .same_lower = BOOL(i + 8),
                 .count_padding = BOOL(i + 9),
                 .divisor = NUMBER(i + 10),
                 .power = NUMBER(i + 11)};
    fill_axes(o.size, &a->arguments[i]);
    fill_axes(o.stride, &a->arguments[i + 1]);
    fill_axes(o.low, &a->arguments[i + 2]);
    fill_axes(o.high, &a->arguments[i + 3]);
    fill_axes(o.dilation, &a->arguments[i + 4]);
    return o;
}

/* Return x interpolated to sizes[n] along axes[count], count = n; axes NULL: along the last n axes. Poison on
   failure. */
static ty_tensor *interpolate_to(ty_tensor *x, int n, const int64_t *sizes, int count, const int64_t *axes,
                                 ty_interpolation options) {
    int each[TY_MAX_RANK];
    if ((axes && count != n) || n > TY_MAX_RANK)
        return ty_poison_code(E_SHAPE, "interpolate: %d sizes for %d axes; the numbers must match", n, count);
    for (int i = 0; axes && i < n; i++) each[i] = call_axis(axes[i]);
    options.sizes = sizes;
    return ty_interpolate(x, n, axes ? each : NULL, options);
}

/* Parameters of all convolutions, from argument `at` on. */
#define CONV_PARAMETERS                                                                                      \
    "stride:ints=(), dilation:ints=(), low:ints=(), high:ints=(), same:bool=false, same_lower:bool=false, "  \
    "nchw:bool=false, groups:int=1, output_padding:ints=(), winograd:int=0"
/* Return the options of convolutions in a[0] .. a[9]. */
static ty_conv call_conv_options(const struct argument *a) {
    ty_conv o = {.same = a[4].truth, .same_lower = a[5].truth, .nchw = a[6].truth, .groups = a[7].integer};
    fill_axes(o.stride, &a[0]);
    fill_axes(o.dilation, &a[1]);
    fill_axes(o.low, &a[2]);
    fill_axes(o.high, &a[3]);
    fill_axes(o.output_padding, &a[8]);
    o.winograd = a[9].integer == (int)a[9].integer ? (int)a[9].integer : -1;
    return o;
}
#define CONV_OPTIONS(at) call_conv_options(&a->arguments[at])

/* ---- sparse matrices (functions/sparse.def) ---- */

#define SPARSE_PARAMETERS "values, indices, starts, columns:int"
#define CSR(i) ty_sparse_csr(TENSOR(i), TENSOR((i) + 1), TENSOR((i) + 2), INT((i) + 3))

static void call_sparse(ty_sparse a, ty_tensor **out) {
    out[0] = a.values;
    out[1] = a.indices;
    out[2] = a.starts;
}
static ty_tensor *call_solver(ty_solution (*solve)(ty_linear, ty_tensor *, ty_iteration), ty_sparse matrix,
                              const struct call *a) {
    ty_iteration options = {.tolerance = NUMBER(5), .most = INT(6)};
    return solve(ty_linear_of(&matrix), TENSOR(4), options).x;
}
static ty_lanczos_options lanczos_options(const struct call *a) {
    return (ty_lanczos_options){.which = ty_spectrum_end_named(TEXT(6)), .tolerance = NUMBER(7)};
}

#define CALL(name, parameters, result)                                                                       \
    static int call_##name(struct call *a, ty_tensor ***out) {                                               \
        if (!(*out = results(a, 1))) return -1;                                                              \
        (*out)[0] = result;                                                                                  \
        return 1;                                                                                            \
    }
#define CALL_MANY(name, parameters, number, statement)                                                       \
    static int call_##name(struct call *a, ty_tensor ***list) {                                              \
        int64_t n = (number);                                                                                \
        ty_tensor **out = *list = results(a, n);                                                             \
        if (!out) return -1;                                                                                 \
        statement;                                                                                           \
        return (int)n;                                                                                       \
    }
#include "expression/functions.def"

#define OP1(name, ...)                                                                                       \
    static int row_##name(struct call *a, ty_tensor ***out) {                                                \
        if (!(*out = results(a, 1))) return -1;                                                              \
        (*out)[0] = ty_##name(TENSOR(0));                                                                    \
        return 1;                                                                                            \
    }
#define OP2(name, ...)                                                                                       \
    static int row_##name(struct call *a, ty_tensor ***out) {                                                \
        if (!(*out = results(a, 1))) return -1;                                                              \
        (*out)[0] = ty_##name(TENSOR(0), TENSOR(1));                                                         \
        return 1;                                                                                            \
    }
#define OP3(name, ...)                                                                                       \
    static int row_##name(struct call *a, ty_tensor ***out) {                                                \
        if (!(*out = results(a, 1))) return -1;                                                              \
        (*out)[0] = ty_##name(TENSOR(0), TENSOR(1), TENSOR(2));                                              \
        return 1;                                                                                            \
    }
#include <tyto/elementwise.def>

/* An entry of functions.def comes before an elementwise operator of the same name and hides it. */
const struct function function_table[] = {
#define CALL(name, parameters, result) {#name, parameters, DOC_##name, call_##name},
#define CALL_MANY(name, parameters, number, statement) {#name, parameters, DOC_##name, call_##name},
#include "expression/functions.def"
#define OP1(n, in, out, value, gx, error, low, high, onnx, doc) {#n, "x", doc, row_##n},
#define OP2(n, in, out, value, ga, gb, error, low, high, onnx, doc) {#n, "a, b", doc, row_##n},
#define OP3(n, in, out, value, ga, gb, gc, error, low, high, onnx, doc) {#n, "a, b, c", doc, row_##n},
#include <tyto/elementwise.def>
};
const int function_count = (int)(sizeof function_table / sizeof *function_table);

const struct alias alias_table[] = {
#define ALIAS(numpy, ours) {#numpy, #ours},
#include "expression/aliases.def"
};
const int alias_count = (int)(sizeof alias_table / sizeof *alias_table);

const struct function *function_find(const char *name, int length) {
    for (int i = 0; i < alias_count; i++)
        if (word_is(alias_table[i].name, name, length))
            return function_find(alias_table[i].function, (int)strlen(alias_table[i].function));
    for (int i = 0; i < function_count; i++)
        if (word_is(function_table[i].name, name, length)) return &function_table[i];
    return NULL;
}
