/* Linear models and support vector machines of ai.onnx.ml, and the scores of all classifiers. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "onnx/ops/ml/posts.h"
#include "onnx/ops/rows.h"

/* ---- scores ---- */

int onnx_post_read(struct onnx_call *call) {
    static const char *const posts[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT", NULL};
    return onnx_word(call, "post_transform", "NONE", posts);
}

/* Softmax of a row in which zeros stay zeros, up to their share of the greatest exponential. */
static ty_tensor *softmax_zero(ty_tensor *y) {
    ty_axes row = ty_axes_of(1, (int[]){1}, true);
    ty_tensor *most = ty_amax(y, row), *small = ty_le(ty_abs(y), ty_num(1e-7));
    ty_tensor *e = ty_where(small, ty_mul(y, ty_exp(ty_neg(most))), ty_exp(ty_sub(y, most)));
    ty_tensor *sum = ty_sum(e, row), *none = ty_eq(sum, ty_num(0));
    return ty_where(none, ty_num(0.5), ty_div(e, ty_where(none, ty_num(1), sum)));
}
ty_tensor *onnx_post_transform(struct onnx_call *call, ty_tensor *y, int post) {
    (void)call;
    if (post == POST_SOFTMAX) return ty_softmax(y, 1);
    if (post == POST_LOGISTIC) return ty_sigmoid(y);
    if (post == POST_SOFTMAX_ZERO) return softmax_zero(y);
    return post == POST_PROBIT ? ty_ndtri(y) : y;
}

/* Set output 0 to labels at places, and output 1 to scores. */
static bool give(struct onnx_call *call, ty_tensor *places, ty_tensor *scores, struct labels labels) {
    static const struct wire_bytes empty = {(const uint8_t *)"", 0};
    struct labels none =
        labels.strings ? (struct labels){1, NULL, &empty} : (struct labels){1, ty_int(0), NULL};
    if (!labels.n) return onnx_output(call, 0, places) && onnx_output(call, 1, scores);
    return onnx_labels_give(call, 0, labels, none, places) && onnx_output(call, 1, scores);
}
bool onnx_classify(struct onnx_call *call, ty_tensor *scores, struct labels labels) {
    return give(call, ty_argmax(scores, ty_axis(1)), scores, labels);
}

/* ---- linear models ---- */

/* Return input 0 as a floating matrix. */
static ty_tensor *matrix(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    if (ty_rank(x) == 1) x = ty_expand(x, 0);
    if (ty_rank(x) != 2) {
        onnx_refuse(call, E_SHAPE, "expected a matrix, not %d axes", ty_rank(x));
        return onnx_failed(call);
    }
    return is_floating(ty_dtype_of(x)) ? x : ty_cast(x, TY_F32);
}
/* Return the floats of an attribute as a tensor [rows, n / rows] of a dtype; rows 0: a vector. */
static ty_tensor *floats_of(struct onnx_call *call, const char *name, int64_t rows, ty_dtype dtype) {
    int n;
    const float *items = onnx_floats(call, name, &n);
    if (!items || (rows && n % rows)) {
        onnx_refuse(call, E_SHAPE, "%s has %d entries; expected a multiple of %lld", name, n,
                    (long long)rows);
        return onnx_failed(call);
    }
    int64_t shape[] = {rows ? rows : n, rows ? n / rows : 1};
    return ty_cast(ty_from(TY_F32, rows ? 2 : 1, shape, items), dtype);
}
/* Return x times coefficients, `rows` of them, plus intercepts. */
static ty_tensor *linear(struct onnx_call *call, ty_tensor *x, int64_t rows) {
    ty_tensor *y = ty_matmul(x, ty_transpose(floats_of(call, "coefficients", rows, ty_dtype_of(x))));
    return onnx_attribute(call, "intercepts") ? ty_add(y, floats_of(call, "intercepts", 0, ty_dtype_of(x)))
                                              : y;
}
bool onnx_op_linear_regressor(struct onnx_call *call) {
    ty_tensor *y = linear(call, matrix(call), onnx_int(call, "targets", 1));
    return onnx_output(call, 0, onnx_post_transform(call, ty_cast(y, TY_F32), onnx_post_read(call)));
}
static ty_tensor *both_signs(ty_tensor *y) { return ty_concat(2, (ty_tensor *[]){ty_neg(y), y}, 1); }

bool onnx_op_linear_classifier(struct onnx_call *call) {
    struct labels labels = onnx_labels_read(call, NULL, "classlabels_ints", "classlabels_strings", NULL);
    ty_tensor *x = matrix(call);
    int n, post = onnx_post_read(call);
    onnx_floats(call, "coefficients", &n);
    int64_t columns = ty_ok(x) ? ty_shape(x)[1] : 0, rows = columns ? n / columns : 1;
    ty_tensor *y = ty_cast(linear(call, x, rows ? rows : 1), TY_F32);
    if (rows == 1 && labels.n == 2) y = both_signs(y);
    y = onnx_post_transform(call, y, post);
    if (rows > 1 || labels.n == 2) return onnx_classify(call, y, labels);
    ty_tensor *yes = ty_ge(ty_ravel(y), ty_num(post == POST_NONE ? 0 : 0.5)); /* the first label, or none */
    return give(call, labels.n ? ty_where(yes, ty_int(0), ty_int(labels.n)) : ty_cast(yes, TY_I64), y,
                labels);
}

/* ---- support vector machines ---- */

/* Return the kernel of all examples (N,F) with all vectors (V,F): (N,V). */
static ty_tensor *kernel(struct onnx_call *call, ty_tensor *x, ty_tensor *vectors) {
    static const char *const kernels[] = {"LINEAR", "POLY", "RBF", "SIGMOID", NULL};
    int which = onnx_word(call, "kernel_type", "LINEAR", kernels), n;
    const float *given = onnx_floats(call, "kernel_params", &n);
    double gamma = n > 0 ? (double)given[0] : 0, offset = n > 1 ? (double)given[1] : 0;
    if (which == 2) {
        ty_tensor *apart = ty_sub(ty_expand(x, 1), ty_expand(vectors, 0));
        return ty_exp(ty_mul(ty_sum(ty_square(apart), ty_axis(2)), ty_num(-gamma)));
    }
    ty_tensor *dot = ty_matmul(x, ty_transpose(vectors));
    if (which == 0) return dot;
    dot = ty_add(ty_mul(dot, ty_num(gamma)), ty_num(offset));
    return which == 1 ? ty_pow(dot, ty_num(n > 2 ? (double)(int)given[2] : 0)) : ty_tanh(dot);
}
bool onnx_op_svm_regressor(struct onnx_call *call) {
    ty_tensor *x = matrix(call), *k = x;
    ty_dtype dtype = ty_dtype_of(x);
    int64_t supports = onnx_int(call, "n_supports", 0);
    if (supports > 0) k = kernel(call, x, floats_of(call, "support_vectors", supports, dtype));
    ty_tensor *y = ty_matmul(k, ty_transpose(floats_of(call, "coefficients", 1, dtype)));
    y = ty_add(y, ty_slice(floats_of(call, "rho", 0, dtype), 0, 0, 1, 1));
    if (onnx_int(call, "one_class", 0)) y = ty_where(ty_gt(y, ty_num(0)), ty_num(1), ty_num(-1));
    return onnx_output(call, 0, onnx_post_transform(call, ty_cast(y, TY_F32), onnx_post_read(call)));
}

/* Classes in pairs i < j: coefficients (V,P) of each pair, and which class (P,C) a positive or negative score votes for. */
struct pairs {
    int64_t classes, vectors, n;
    float *coefficients, *upper, *lower;
};
static bool make_pairs(struct onnx_call *call, int64_t classes, struct pairs *p) {
    struct ints sizes = ints_attribute(call, "vectors_per_class");
    int n;
    const float *given = onnx_floats(call, "coefficients", &n);
    *p = (struct pairs){.classes = classes, .n = classes * (classes - 1) / 2};
    for (int i = 0; i < sizes.n; i++)
        p->vectors += sizes.items[i] > 0 && sizes.items[i] < n + 1 ? sizes.items[i] : 0;
    if (sizes.n != classes || classes < 2 || classes > INT16_MAX || n != (classes - 1) * p->vectors)
        return onnx_refuse(call, E_SHAPE,
                           "%d coefficients of %lld vectors of %d classes; expected %lld classes", n,
                           (long long)p->vectors, sizes.n, (long long)classes);
    p->coefficients = onnx_memory(call, p->vectors * p->n, sizeof(float));
    p->upper = onnx_memory(call, p->n * classes, sizeof(float)),
    p->lower = onnx_memory(call, p->n * classes, sizeof(float));
    int64_t pair = 0, first = 0;
    for (int64_t i = 0; i < classes && !call->fault->set; first += sizes.items[i], i++) {
        int64_t other = first + sizes.items[i];
        for (int64_t j = i + 1; j < classes; other += sizes.items[j], j++, pair++) {
            for (int64_t v = first; v < first + sizes.items[i]; v++)
                p->coefficients[v * p->n + pair] = given[(j - 1) * p->vectors + v];
            for (int64_t v = other; v < other + sizes.items[j]; v++)
                p->coefficients[v * p->n + pair] = given[i * p->vectors + v];
            p->upper[pair * classes + i] = p->lower[pair * classes + j] = 1;
        }
    }
    return !call->fault->set;
}

/* Set p[k] to the probabilities of k classes from those r[i][j] of i against j (Wu, Lin and Weng 2004, method 2). */
static void couple(int64_t k, const double *r, double *q, double *qp, double *p) {
    for (int64_t t = 0; t < k; t++) {
        p[t] = 1 / (double)k;
        q[t * k + t] = 0;
        for (int64_t j = 0; j < k; j++) {
            if (j == t) continue;
            q[t * k + t] += r[j * k + t] * r[j * k + t];
            q[t * k + j] = -r[j * k + t] * r[t * k + j];
        }
    }
    for (int64_t round = 0; round < (k > 100 ? k : 100); round++) {
        double all = 0, worst = 0;
        for (int64_t t = 0; t < k; t++) {
            qp[t] = 0;
            for (int64_t j = 0; j < k; j++) qp[t] += q[t * k + j] * p[j];
            all += p[t] * qp[t];
        }
        for (int64_t t = 0; t < k; t++) {
            double error = qp[t] > all ? qp[t] - all : all - qp[t];
            worst = error > worst ? error : worst;
        }
        if (worst < 0.005 / (double)k) return;
        for (int64_t t = 0; t < k; t++) {
            double step = (all - qp[t]) / q[t * k + t];
            p[t] += step;
            all = (all + step * (step * q[t * k + t] + 2 * qp[t])) / ((1 + step) * (1 + step));
            for (int64_t j = 0; j < k; j++) {
                qp[j] = (qp[j] + step * q[t * k + j]) / (1 + step);
                p[j] /= 1 + step;
            }
        }
    }
}
/* Return probabilities (N,C) of pair scores (N,P) by Platt's sigmoids. */
static ty_tensor *probabilities(struct onnx_call *call, ty_tensor *scores, int64_t k) {
    ty_tensor *a = floats_of(call, "prob_a", 0, TY_F32), *b = floats_of(call, "prob_b", 0, TY_F32);
    ty_tensor *share = ty_sigmoid(ty_neg(ty_add(ty_mul(scores, a), b)));
    int n;
    const double *s = onnx_known_reals_of(call, ty_clip(share, ty_num(1e-7), ty_num(1 - 1e-7)), &n);
    int64_t rows = ty_ok(scores) ? ty_shape(scores)[0] : 0;
    double *out = onnx_memory(call, rows * k, sizeof *out),
           *work = onnx_memory(call, k * (2 * k + 1), sizeof *work);
    for (int64_t i = 0; i < rows && s && out && work; i++) {
        for (int64_t t = 0; t < k; t++)
            for (int64_t j = t + 1; j < k; j++, s++) work[t * k + j] = *s, work[j * k + t] = 1 - *s;
        couple(k, work, work + k * k, work + 2 * k * k, out + i * k);
    }
    return call->fault->set ? onnx_failed(call)
                            : ty_cast(ty_from(TY_F64, 2, (int64_t[]){rows, k}, out), TY_F32);
}

/* Give labels and scores of a machine with one score for each example: the label 1 or 0 without two labels. */
static bool classify_one(struct onnx_call *call, ty_tensor *place, ty_tensor *most, ty_tensor *scores,
                         bool chances, struct labels labels) {
    int n, post = onnx_post_read(call);
    const float *w = onnx_floats(call, "coefficients", &n);
    bool positive = true;
    for (int i = 0; i < n; i++) positive &= w[i] >= 0;
    if (labels.n != 2) {
        ty_tensor *yes = ty_cast(ty_gt(most, ty_num(0)), TY_I64);
        return give(call, yes, onnx_post_transform(call, scores, post), (struct labels){0, NULL, NULL});
    }
    if (!chances && positive) place = ty_where(ty_ge(most, ty_num(0.5)), ty_int(1), place);
    if (ty_shape(scores)[1] == 1 && post != POST_PROBIT) scores = both_signs(scores);
    return give(call, place, onnx_post_transform(call, scores, post), labels);
}
bool onnx_op_svm_classifier(struct onnx_call *call) {
    struct labels labels = onnx_labels_read(call, NULL, "classlabels_ints", "classlabels_strings", NULL);
    ty_tensor *x = matrix(call), *scores, *votes, *rho = floats_of(call, "rho", 0, TY_F32);
    struct ints sizes = ints_attribute(call, "vectors_per_class");
    bool chances = sizes.n && onnx_attribute(call, "prob_a");
    if (call->fault->set) return false;
    x = ty_cast(x, TY_F32);
    if (sizes.n) {
        struct pairs p;
        if (!make_pairs(call, labels.n, &p)) return false;
        ty_tensor *k = kernel(call, x, floats_of(call, "support_vectors", p.vectors, TY_F32));
        scores = ty_add(ty_matmul(k, ty_from(TY_F32, 2, (int64_t[]){p.vectors, p.n}, p.coefficients)), rho);
        ty_tensor *yes = ty_gt(scores, ty_num(0)), *no = ty_logical_not(yes);
        int64_t shape[] = {p.n, p.classes};
        votes = ty_add(ty_matmul(ty_cast(yes, TY_F32), ty_from(TY_F32, 2, shape, p.upper)),
                       ty_matmul(ty_cast(no, TY_F32), ty_from(TY_F32, 2, shape, p.lower)));
        if (chances) scores = probabilities(call, scores, p.classes);
    } else {
        ty_tensor *w = floats_of(call, "coefficients", labels.n ? labels.n : 1, TY_F32);
        votes = scores = ty_add(ty_matmul(x, ty_transpose(w)), ty_slice(rho, 0, 0, 1, 1));
    }
    ty_tensor *place = ty_argmax(votes, ty_axis(1)), *most = ty_amax(votes, ty_axis(1));
    if (ty_size(rho) == 1) return classify_one(call, place, most, scores, chances, labels);
    return give(call, place, onnx_post_transform(call, scores, onnx_post_read(call)), labels);
}
