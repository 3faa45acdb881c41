/* Linear support vector machines by Newton's method on their squared hinge loss. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/linalg.h>
#include <tyto/regression.h>
#include <tyto/shape.h>
#include "array/progress.h"
#include "base/alloc.h"
#include "base/context/stop.h"
#include "base/machine/floating.h"
#include "base/options.h"
#include "ops/core/op.h"
#include "ops/math/slopes.h"
#include "regression/samples.h"

enum { PARTS = sizeof(ty_svm_parts) / sizeof(ty_tensor *), HALVINGS = 50, CLASSES = 1 << 16 };
static const char name[] = "linear_svm";

/* The search for one class. */
struct svm {
    int64_t n, q; /* rows, coefficients: those of x, and the constant unless plain */
    double c;
    int64_t most;         /* steps */
    ty_tensor *x;         /* [n, q] */
    double *sign;         /* [n]: 1 or -1 */
    double *beta, *next;  /* [q] */
    double *score, *then; /* [n]: x beta, x next */
    double *active;       /* [n]: 1 where the loss is not 0 */
    bool converged;
};

/* Return the objective at t next + (1 - t) beta. */
static double objective(const struct svm *v, double t) {
    double squares = 0, loss = 0;
    for (int64_t j = 0; j < v->q; j++) {
        double b = v->beta[j] + t * (v->next[j] - v->beta[j]);
        squares += b * b;
    }
    for (int64_t i = 0; i < v->n; i++) {
        double short_of = 1 - v->sign[i] * (v->score[i] + t * (v->then[i] - v->score[i]));
        if (short_of > 0) loss += short_of * short_of;
    }
    return squares / 2 + v->c * loss;
}

/* Set `next` to the minimum for the rows that are active now, and `then` to its scores. */
static bool solve_active(struct svm *v, struct fault *fault) {
    ty_scope *scope = ty_open();
    for (int64_t i = 0; i < v->n; i++) v->active[i] = v->sign[i] * v->score[i] < 1;
    ty_tensor *active = ty_from(TY_F64, 1, &v->n, v->active), *sign = ty_from(TY_F64, 1, &v->n, v->sign);
    ty_tensor *rows = ty_transpose(ty_mul(v->x, ty_expand(active, 1))), *weight = ty_num(2 * v->c);
    ty_tensor *gram = ty_mul(ty_matmul(rows, v->x), weight), *right = ty_mul(ty_matmul(rows, sign), weight);
    ty_tensor *l = ty_cholesky(ty_add(gram, ty_eye(TY_F64, v->q)));
    ty_tensor *beta = ty_cholesky_solve(l, right), *score = ty_matmul(v->x, beta);
    bool well = ty_read(beta, TY_F64, v->next) && ty_read(score, TY_F64, v->then);
    if (!well) fault_tensor(fault, score);
    ty_close(scope);
    return well || fault_memory(fault, (size_t)v->n * sizeof(double));
}

/* True if the same rows are active at `next`, which is then the minimum. */
static bool same_active(const struct svm *v) {
    int64_t i = 0;
    while (i < v->n && (v->sign[i] * v->then[i] < 1) == (v->active[i] != 0)) i++;
    return i == v->n;
}

static bool search(struct svm *v, struct fault *fault) {
    v->converged = false;
    memset(v->beta, 0, (size_t)v->q * sizeof *v->beta);
    memset(v->score, 0, (size_t)v->n * sizeof *v->score);
    for (int64_t turn = 0; turn < v->most && !v->converged; turn++) {
        if (!stop_check(fault) || !solve_active(v, fault)) return false;
        double t = 1, before = objective(v, 0), now = objective(v, 1);
        /* at the minimum, rounding alone decides which rows at the margin are active */
        v->converged = same_active(v) || fabs(now - before) <= 4 * DBL_EPSILON * before;
        for (int k = 0; k < HALVINGS && !v->converged && !(now < before); k++) now = objective(v, t /= 2);
        for (int64_t j = 0; j < v->q; j++) v->beta[j] += t * (v->next[j] - v->beta[j]);
        for (int64_t i = 0; i < v->n; i++) v->score[i] += t * (v->then[i] - v->score[i]);
        if (t == 1) memcpy(v->beta, v->next, (size_t)v->q * sizeof *v->beta);
        if (t == 1) memcpy(v->score, v->then, (size_t)v->n * sizeof *v->score);
    }
    return true;
}

/* Return poison if options or classes are out of range. */
static ty_tensor *refuse_options(const ty_svm_options *o, int64_t classes) {
    if (classes < 2 || classes > CLASSES)
        return refuse(name, 0, NULL, E_ARGUMENT, "%lld classes; expected 2..%d", (long long)classes, CLASSES);
    if (!(o->c >= 0) || isinf(o->c))
        return refuse(name, 0, NULL, E_ARGUMENT, "c is %g; expected 0 or more", o->c);
    if (o->iterations < 0)
        return refuse(name, 0, NULL, E_ARGUMENT, "iterations is %lld; expected 0 or more",
                      (long long)o->iterations);
    return NULL;
}

/* Return poison unless all labels are among the classes. */
static ty_tensor *refuse_labels(const struct samples *s, int64_t classes) {
    for (int64_t i = 0; i < s->n; i++)
        if (!(s->y[i] >= 0 && s->y[i] < (double)classes && s->y[i] == floor(s->y[i])))
            return refuse(name, 0, NULL, E_DOMAIN, "labels[%lld] is %g; expected whole numbers 0..%lld",
                          (long long)i, s->y[i], (long long)classes - 1);
    return NULL;
}

/* Search for k classes, and set out[PARTS]; `room` has 2 q + 4 n numbers, and k (q + 1). */
static ty_tensor *run(struct svm *v, const struct samples *s, int64_t k, double *room, bool *converged,
                      ty_tensor **out) {
    struct fault fault = {0};
    v->beta = room;
    v->next = v->beta + v->q;
    v->score = v->next + v->q;
    v->then = v->score + v->n;
    v->active = v->then + v->n;
    v->sign = v->active + v->n;
    double *all = v->sign + v->n, *constants = all + k * s->p;
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < v->n; i++) v->sign[i] = s->y[i] == (double)(k == 1 ? 1 : j) ? 1 : -1;
        if (!search(v, &fault) || !progress_at(j + 1, k, &fault)) return tensor_fault(&fault);
        memcpy(all + j * s->p, v->beta, (size_t)s->p * sizeof *all);
        constants[j] = v->q > s->p ? v->beta[s->p] : 0;
        converged[j] = v->converged;
    }
    out[0] = ty_from(TY_F64, 2, (int64_t[]){k, s->p}, all);
    out[1] = ty_from(TY_F64, 1, &k, constants);
    out[2] = ty_from(TY_BOOL, 1, &k, converged);
    return NULL;
}

ty_svm_parts ty_linear_svm_sized(ty_tensor *x, ty_tensor *labels, int64_t classes,
                                 const ty_svm_options *given, size_t size) {
    OPTIONS_PARTS(ty_svm_parts, ty_svm_options, o, given, size);
    FLOATING_DEFAULT;
    PROGRESS_NAMED("fit");
    struct samples s = {0};
    ty_tensor *out[PARTS];
    ty_scope *scope = ty_open();
    ty_tensor *bad = refuse_options(&o, classes);
    if (!bad) bad = samples_read(&s, name, x, labels, "labels");
    if (!bad) bad = refuse_labels(&s, classes);
    int64_t k = classes == 2 ? 1 : classes;
    struct svm v = {
        .n = s.n, .q = s.p + !o.plain, .c = o.c > 0 ? o.c : 1, .most = o.iterations ? o.iterations : 100};
    double *room = NULL;
    bool *converged = NULL;
    if (!bad) {
        size_t q = (size_t)v.q, numbers = 2 * q + 4 * (size_t)s.n;
        room = (size_t)k > SIZE_MAX / 16 / q ? NULL : mem_array(numbers + (size_t)k * (q + 1), sizeof *room);
        converged = mem_array((size_t)k, sizeof *converged);
        ty_tensor *rows = ty_from(TY_F64, 2, (int64_t[]){s.n, s.p}, s.x),
                  *ones = ty_ones(TY_F64, 2, (int64_t[]){s.n, 1});
        v.x = o.plain ? rows : ty_concat(2, (ty_tensor *[]){rows, ones}, 1);
        bad = !ty_ok(v.x)         ? v.x
              : room && converged ? run(&v, &s, k, room, converged, out)
                                  : tensor_out_of_memory();
    }
    if (bad) results_poisoned(PARTS, out, bad);
    for (int i = 0; i < PARTS; i++) out[i] = scope ? ty_keep(out[i]) : out[i];
    ty_close(scope);
    mem_free(room);
    mem_free(converged);
    samples_free(&s);
    if (!bad)
        for (int i = 0; i < PARTS - 1; i++) out[i] = result_without(name, out[i], x);
    return (ty_svm_parts){out[0], out[1], out[2]};
}
