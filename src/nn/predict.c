/*
 * Inference and evaluation. Models with lazy variables are compiled once per shape and dtype of the operands,
 * by ty_function; others compute eagerly. Failures go to the caller and do not fail the trainer.
 */
#include "base/machine/floating.h"
#include "nn/trainer.h"
#include "array/progress.h"
#include "base/alloc.h"
#include <math.h>
#include <string.h>
#include <tyto/cache.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>

/* ---- inference ---- */

static void call(void *model, ty_tensor *const *x, ty_tensor **y) {
    ty_model *m = model;
    ty_model_call(m, NULL, m->options.inputs, x, y);
}

/* Free a function that could not be made, so that the next call tries again. Return f, or NULL if it is freed. */
static ty_function *keep_if_made(ty_function *f) {
    if (!f || !*ty_function_error(f)) return f;
    ty_function_free(f);
    return NULL;
}

/* Return the compiled form of the model, made when it is first needed; NULL unless the model is lazy and takes n
   operands. */
static ty_function *predictor_of(ty_model *m, int n) {
    m->predictor = keep_if_made(m->predictor);
    if (!m->predictor && m->options.lazy && !m->fault.set && n == m->options.inputs)
        m->predictor = ty_function_new(call, m, n, m->options.results, (ty_compile_options){0});
    return m->predictor;
}

/* Call the model for inference on n operands x[]; y[] receives its results. Compiled if the model is lazy.
   False on failure; results are then poison. */
static bool predict(ty_model *m, int n, ty_tensor *const *x, ty_tensor **y) {
    if (predictor_of(m, n)) return ty_function_call(m->predictor, n, x, m->options.results, y);
    ty_model_call(m, NULL, n, x, y);
    for (int i = 0; i < m->options.results; i++)
        if (!ty_ok(y[i])) return false;
    return !m->fault.set;
}

bool ty_model_predict(ty_model *m, int n, ty_tensor *const *x, ty_tensor **y) {
    return y && predict(model_of(m), n, x, y);
}

bool ty_model_bound(ty_model *model, int operand, int axis, int64_t most, ty_tensor **error) {
    ty_model *m = model_of(model);
    struct fault fault = m->fault;
    if (!fault.set && !m->options.lazy)
        fault_set(
            &fault, E_STATE,
            "model_bound: the model is not lazy, so inference plans no memory; make it with .lazy = true");
    if (!fault.set) return ty_function_bound(predictor_of(m, m->options.inputs), operand, axis, most, error);
    model_tell(&fault, error);
    return false;
}

/* ---- evaluation ---- */

/* Examples in memory; batches are views. */
struct examples {
    int nparts;
    ty_tensor *parts[PARTS];
    int64_t n, batch;
};

/* Evaluate the n parts of the examples, whose first axes must agree, into *e. False sets the fault. */
static bool open_examples(struct examples *e, const ty_trainer *t, int n, ty_tensor *const *parts,
                          struct fault *fault) {
    static const char *const names[] = {"inputs", "labels", "further parts"};
    e->nparts = n;
    e->batch = t->batches.batch ? t->batches.batch : 100;
    for (int i = 0; i < n; i++) {
        e->parts[i] = ty_contiguous(ty_eval(parts[i]));
        if (!model_check(fault, "evaluation", e->parts[i])) return false;
        int64_t rows = ty_rank(e->parts[i]) > 0 ? ty_shape(e->parts[i])[0] : 0;
        if (!i) e->n = rows;
        if (rows != e->n)
            return fault_set(fault, E_SHAPE, "evaluation: %lld inputs but %lld %s", (long long)e->n,
                             (long long)rows, names[i < 2 ? i : 2]);
    }
    return e->n > 0 || fault_set(fault, E_ARGUMENT, "evaluation: there are no inputs");
}

/* Set parts[] to views of the examples from index `first` on, at most one batch; return their number. */
static int64_t take(const struct examples *e, int64_t first, ty_tensor **parts) {
    int64_t n = e->n - first < e->batch ? e->n - first : e->batch;
    for (int i = 0; i < e->nparts; i++) parts[i] = ty_slice(e->parts[i], 0, first, first + n, 1);
    return n;
}

/* Let f expect batches of the examples: the last one, which may be smaller, takes the memory plan of the others. f may
   be NULL or have failed, which its calls tell. */
static void expect(ty_function *f, const struct examples *e, int nparts) {
    int64_t most = e->n < e->batch ? e->n : e->batch;
    for (int i = 0; f && i < nparts; i++) ty_function_bound(f, i, 0, most, NULL);
}

/* ---- accuracy ---- */

/* Add the number of correct predictions of a batch of n examples to *right: parts[0] are the inputs,
   parts[1] the labels [n]. False sets the fault. */
static bool add_hits(ty_trainer *t, ty_tensor *const *parts, int64_t n, int64_t *right, struct fault *fault) {
    ty_tensor *y = NULL;
    if (t->model->options.results != 1 || t->model->options.inputs != 1)
        return fault_set(fault, E_ARGUMENT,
                         "evaluation: accuracy needs a model with one operand and one result");
    predict(t->model, 1, parts, &y);
    if (!model_check(fault, "evaluation", y)) return false;
    int last = ty_rank(y) - 1;
    if (last < 1 || ty_shape(y)[last] < 2 || ty_size(y) / ty_shape(y)[last] != n)
        return fault_set(
            fault, E_ARGUMENT,
            "evaluation: the model returns %lld numbers for %lld inputs, not a score for each class",
            (long long)ty_size(y), (long long)n);
    ty_tensor *found = ty_reshape(ty_argmax(y, ty_axis(-1)), 1, &n);
    ty_tensor *hits = ty_sum(ty_cast(ty_eq(found, ty_cast(parts[1], TY_I64)), TY_I64), TY_ALL);
    if (!model_check(fault, "evaluation", hits)) return false;
    *right += (int64_t)ty_item(hits);
    return true;
}

/* Check that labels are integers, or bools, on one axis; false sets the fault. */
static bool check_labels(const ty_tensor *labels, struct fault *fault) {
    if (!model_check(fault, "evaluation", labels)) return false;
    return (ty_dtype_of(labels) < TY_F16 && ty_rank(labels) == 1) ||
           fault_set(fault, E_SHAPE,
                     "evaluation: accuracy needs integer labels with one axis; these are %s of %d axes: use "
                     "the loss for regression",
                     ty_dtype_name(ty_dtype_of(labels)), ty_rank(labels));
}

/* Return the share of correct predictions of all examples; NaN sets the fault. */
static double accuracy(ty_trainer *t, const struct examples *e, struct fault *fault) {
    int64_t right = 0;
    struct progress progress;
    progress_begin(&progress, "evaluate", e->n);
    expect(predictor_of(t->model, 1), e, 1);
    for (int64_t first = 0; first < e->n && progress_step(&progress, first, fault); first += e->batch) {
        ty_scope *scope = ty_open();
        ty_tensor *parts[PARTS];
        int64_t n = take(e, first, parts);
        bool counted = add_hits(t, parts, n, &right, fault);
        ty_close(scope);
        if (!counted) break;
    }
    progress_end(&progress);
    return fault->set ? NAN : (double)right / (double)e->n;
}

double ty_trainer_accuracy(ty_trainer *t, ty_tensor *inputs, ty_tensor *labels, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = (t = trainer_of(t))->fault;
    struct examples examples;
    double result = NAN;
    ty_scope *scope = ty_open();
    ty_tensor *parts[] = {inputs, labels};
    if (!fault.set && model_check(&fault, "evaluation", inputs) && check_labels(labels, &fault) &&
        open_examples(&examples, t, 2, parts, &fault))
        result = accuracy(t, &examples, &fault);
    ty_close(scope);
    model_tell(&fault, error);
    return result;
}

/* ---- loss ---- */

static void call_loss(void *trainer, ty_tensor *const *x, ty_tensor **y) {
    y[0] = trainer_loss(trainer, x, NULL);
}

/* Return the compiled form of the loss, made when it is first needed; NULL unless the model is lazy. */
static ty_function *evaluator_of(ty_trainer *t) {
    t->evaluator = keep_if_made(t->evaluator);
    if (!t->evaluator && t->model->options.lazy)
        t->evaluator = ty_function_new(call_loss, t, t->batches.nparts, 1, (ty_compile_options){0});
    return t->evaluator;
}

/* Return the loss of a batch, a tensor of one element, compiled if the model is lazy; poison on failure.
   parts[] are the parts of the batch. */
static ty_tensor *loss_of(ty_trainer *t, ty_tensor *const *parts) {
    ty_tensor *y = NULL;
    if (!evaluator_of(t)) return trainer_loss(t, parts, NULL);
    ty_function_call(t->evaluator, t->batches.nparts, parts, 1, &y);
    return y;
}

/* Return the mean loss over all examples; NaN sets the fault. */
static double mean_loss(ty_trainer *t, const struct examples *e, struct fault *fault) {
    double sum = 0;
    struct progress progress;
    progress_begin(&progress, "evaluate", e->n);
    expect(evaluator_of(t), e, e->nparts);
    for (int64_t first = 0; first < e->n && progress_step(&progress, first, fault); first += e->batch) {
        ty_scope *scope = ty_open();
        ty_tensor *parts[PARTS];
        int64_t n = take(e, first, parts);
        ty_tensor *loss = loss_of(t, parts);
        if (model_check(fault, "evaluation", loss)) sum += (double)n * ty_item(loss);
        ty_close(scope);
        if (fault->set) break;
    }
    progress_end(&progress);
    return fault->set ? NAN : sum / (double)e->n;
}

/* ---- an epoch of a source ---- */

/* Add to *s the sum of losses of a batch, its hits and its number of examples; loss and hits only if s
   wants them. False sets the fault. */
static bool add_batch(ty_trainer *t, ty_tensor *const *parts, struct trainer_score *s, struct fault *fault) {
    int64_t n = ty_rank(parts[0]) ? ty_shape(parts[0])[0] : 1;
    s->count += n;
    if (s->loss_wanted) {
        ty_tensor *loss = loss_of(t, parts);
        if (!model_check(fault, "evaluation", loss)) return false;
        s->sum += (double)n * ty_item(loss);
    }
    return !s->accuracy_wanted || (check_labels(parts[1], fault) && add_hits(t, parts, n, &s->right, fault));
}

/* Check that the source b has the parts that the score needs: those of the training for the loss, labels
   for accuracy. False sets the fault. */
static bool check_parts(const struct batches *b, const ty_trainer *t, const struct trainer_score *s,
                        struct fault *fault) {
    if (s->loss_wanted && b->nparts != t->batches.nparts)
        return fault_set(fault, E_ARGUMENT, "evaluation: the source has %d parts; the training's have %d",
                         b->nparts, t->batches.nparts);
    return !s->accuracy_wanted || b->nparts > 1 ||
           fault_set(fault, E_SHAPE, "evaluation: accuracy needs labels, but the source has one part");
}

bool trainer_score(ty_trainer *t, const ty_batch_source *source, struct trainer_score *s,
                   struct fault *fault) {
    struct batches b;
    if (!source) return fault_set(fault, E_ARGUMENT, "evaluation: the source of batches is NULL");
    if (!batches_open(&b, &(ty_trainer_options){.source = source}, fault)) return false;
    check_parts(&b, t, s, fault);
    struct progress progress;
    progress_begin(&progress, "evaluate", source->steps_per_epoch);
    for (int64_t i = 0; i < source->steps_per_epoch && !fault->set && progress_step(&progress, i, fault);
         i++) {
        ty_scope *scope = ty_open();
        ty_tensor *parts[PARTS];
        if (batches_take(&b, i, parts, fault)) add_batch(t, parts, s, fault);
        ty_close(scope);
    }
    progress_end(&progress);
    batches_drop(&b);
    return !fault->set;
}

double ty_trainer_accuracy_of(ty_trainer *t, const ty_batch_source *source, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = (t = trainer_of(t))->fault;
    struct trainer_score score = {.accuracy_wanted = true};
    ty_scope *scope = ty_open();
    bool done = !fault.set && trainer_score(t, source, &score, &fault);
    ty_close(scope);
    model_tell(&fault, error);
    return done ? (double)score.right / (double)score.count : NAN;
}

double ty_trainer_evaluate(ty_trainer *t, int n, ty_tensor *const *parts, const ty_batch_source *source,
                           ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = (t = trainer_of(t))->fault;
    struct examples examples;
    double result = NAN;
    ty_scope *scope = ty_open();
    if (!fault.set && !source && (n != t->batches.nparts || !parts))
        fault_set(&fault, E_ARGUMENT, "evaluation: %d parts; batches of the training have %d", n,
                  t->batches.nparts);
    struct trainer_score score = {.loss_wanted = true};
    if (!fault.set && source)
        result = trainer_score(t, source, &score, &fault) ? score.sum / (double)score.count : NAN;
    else if (!fault.set && open_examples(&examples, t, n, parts, &fault))
        result = mean_loss(t, &examples, &fault);
    ty_close(scope);
    model_tell(&fault, error);
    return result;
}
