/*
 * Evaluation, in batches of the training's size: one program serves all of them, because the last partial
 * batch is filled up with examples that are then not counted.  What fails here is told to the caller and is no
 * failure of the training.
 */
#include "base/floating.h"
#include "nn/checkpoint.h"
#include "nn/trainer.h"
#include "base/alloc.h"
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>

/* The class of each input of the batch in predict_input, as i64. */
static ty_tensor *classes(ty_trainer *t) {
    ty_tensor *y = ty_model_forward(t->model, t->predict_input, NULL);
    int last = ty_ok(y) ? ty_rank(y) - 1 : -1;
    if (ty_ok(y) && (last < 1 || ty_shape(y)[last] < 2))
        return ty_poison("the model gives %lld numbers for %lld inputs: there are no classes to choose from",
                         (long long)ty_size(y), (long long)t->options.batch);
    return ty_argmax(y, ty_axis(-1));
}

static void drop_program(ty_trainer *t) {
    ty_program_free(t->predict);
    t->predict = NULL;
}

/* A program that does not compile, for want of memory say, is tried again the next time. */
static ty_tensor *predict(ty_trainer *t) {
    if (!t->model->options.lazy) return classes(t);
    if (!t->predict) {
        ty_tensor *y = classes(t);
        t->predict = ty_compile(1, &y, (ty_compile_options){0});
    }
    if (!*ty_program_error(t->predict) && ty_run(t->predict)) return ty_output(t->predict, 0);
    ty_tensor *bad = ty_poison("%s", ty_program_error(t->predict));
    drop_program(t);
    return bad;
}

/* Gives the batch to predict_input; one of another form needs another program. */
static bool feed(ty_trainer *t, ty_tensor *x, struct fault *fault) {
    const ty_tensor *before = t->predict_input;
    size_t bytes = sizeof(int64_t) * (size_t)ty_rank(x);
    bool fits = before && ty_dtype_of(before) == ty_dtype_of(x) && ty_rank(before) == ty_rank(x) &&
                !memcmp(ty_shape(before), ty_shape(x), bytes);
    if (before && !fits) {
        drop_program(t);
        ty_release(t->predict_input);
        t->predict_input = NULL;
    }
    return trainer_feed(t, &t->predict_input, x, fault);
}

struct evaluation {
    ty_tensor *inputs;
    const int64_t *labels;
    size_t row_bytes;
    char *rows;
    int64_t *found;
    int64_t n;
    struct fault *fault;
};

/* Counts the hits among examples first .. first+batch-1, those past the end left out; -1 after a fault. */
static int64_t hits(ty_trainer *t, const struct evaluation *e, int64_t first) {
    int64_t batch = t->options.batch, n = e->n - first < batch ? e->n - first : batch, right = 0;
    memcpy(e->rows, (const char *)ty_data(e->inputs) + (size_t)first * e->row_bytes,
           (size_t)n * e->row_bytes);
    int64_t shape[TY_MAX_RANK];
    memcpy(shape, ty_shape(e->inputs), (size_t)ty_rank(e->inputs) * sizeof *shape);
    shape[0] = batch;
    ty_tensor *x = ty_from(ty_dtype_of(e->inputs), ty_rank(e->inputs), shape, e->rows);
    if (!model_check(e->fault, "evaluation", x) || !feed(t, x, e->fault)) return -1;
    ty_tensor *y = predict(t);
    if (!model_check(e->fault, "evaluation", y)) return -1;
    if (ty_size(y) != batch || !ty_read(y, TY_I64, e->found)) {
        fault_set(e->fault, "evaluation: the model gives %lld classes for %lld inputs", (long long)ty_size(y),
                  (long long)batch);
        return -1;
    }
    for (int64_t i = 0; i < n; i++) right += e->found[i] == e->labels[first + i];
    return right;
}

static double share(ty_trainer *t, const struct evaluation *e) {
    int64_t right = 0;
    for (int64_t first = 0; first < e->n; first += t->options.batch) {
        ty_scope *scope = ty_open();
        int64_t found = hits(t, e, first);
        ty_close(scope);
        if (found < 0) return NAN;
        right += found;
    }
    return (double)right / (double)e->n;
}

static bool is_whole(ty_dtype dtype) { return dtype < TY_F16; }

static bool check(const ty_tensor *inputs, const ty_tensor *labels, struct fault *fault) {
    if (!model_check(fault, "evaluation", inputs) || !model_check(fault, "evaluation", labels)) return false;
    if (!is_whole(ty_dtype_of(labels)) || ty_rank(labels) != 1)
        return fault_set(
            fault,
            "evaluation: accuracy is the share of right classes, which labels of one axis of integers "
            "number; these are %s of %d axes: what is learned is no classes but values, whose measure is "
            "the loss",
            ty_dtype_name(ty_dtype_of(labels)), ty_rank(labels));
    int64_t n = ty_rank(inputs) > 0 ? ty_shape(inputs)[0] : 0;
    if (n != ty_shape(labels)[0])
        return fault_set(fault, "evaluation: %lld inputs but %lld labels", (long long)n,
                         (long long)ty_shape(labels)[0]);
    return ty_size(inputs) > 0 || fault_set(fault, "evaluation: there are no inputs");
}

static double evaluate(ty_trainer *t, ty_tensor *inputs, ty_tensor *labels, struct fault *fault) {
    struct evaluation e = {.inputs = inputs, .n = ty_shape(inputs)[0], .fault = fault};
    size_t batch = (size_t)t->options.batch;
    double result = NAN;
    e.row_bytes = (size_t)(ty_size(inputs) / e.n) * ty_dtype_size(ty_dtype_of(inputs));
    e.rows = mem_array(batch, e.row_bytes);
    e.found = mem_array(batch, sizeof *e.found);
    int64_t *known = mem_array((size_t)e.n, sizeof *known);
    e.labels = known;
    if (!e.rows || !e.found || !known)
        fault_memory(fault, batch * e.row_bytes);
    else if (!ty_read(labels, TY_I64, known))
        fault_set(fault, "evaluation: the labels cannot be read");
    else
        result = share(t, &e);
    mem_free(e.rows);
    mem_free(e.found);
    mem_free(known);
    return result;
}

double ty_trainer_accuracy(ty_trainer *t, ty_tensor *inputs, ty_tensor *labels, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = (t = trainer_of(t))->fault;
    double result = NAN;
    ty_scope *scope = ty_open();
    if (!fault.set) inputs = ty_contiguous(ty_eval(inputs));
    if (!fault.set && check(inputs, labels, &fault)) result = evaluate(t, inputs, labels, &fault);
    ty_close(scope);
    model_tell(&fault, error);
    return result;
}
