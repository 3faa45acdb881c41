/*
 * Evaluation, in batches of the training's size: one program serves all of them, because the last partial
 * batch is filled up with examples that are then not counted.
 */
#include "nn/trainer.h"
#include "base/alloc.h"
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>

/* The class of each image of the batch in predict_input, as i64. */
static ty_tensor *classes(ty_trainer *t) {
    ty_tensor *y = ty_model_forward(t->model, t->predict_input, NULL);
    return ty_argmax(y, ty_axis(-1));
}

static ty_tensor *predict(ty_trainer *t) {
    if (!t->model->options.lazy) return classes(t);
    if (!t->predict) {
        ty_tensor *y = classes(t);
        t->predict = ty_compile(1, &y, (ty_compile_options){0});
    }
    if (*ty_program_error(t->predict) || !ty_run(t->predict))
        return ty_poison("%s", ty_program_error(t->predict));
    return ty_output(t->predict, 0);
}

struct evaluation {
    ty_tensor *images;
    const int64_t *labels;
    size_t row_bytes;
    char *rows;
    int64_t *found;
    int64_t n;
};

/* Counts the hits among examples first .. first+batch-1, those past the end left out; -1 after a fault. */
static int64_t hits(ty_trainer *t, const struct evaluation *e, int64_t first) {
    int64_t batch = t->options.batch, n = e->n - first < batch ? e->n - first : batch, right = 0;
    memcpy(e->rows, (const char *)ty_data(e->images) + (size_t)first * e->row_bytes,
           (size_t)n * e->row_bytes);
    int64_t shape[TY_MAX_RANK];
    memcpy(shape, ty_shape(e->images), (size_t)ty_rank(e->images) * sizeof *shape);
    shape[0] = batch;
    ty_tensor *x = ty_from(ty_dtype_of(e->images), ty_rank(e->images), shape, e->rows);
    if (!trainer_feed(t, &t->predict_input, x)) return -1;
    ty_tensor *y = predict(t);
    if (!model_check(&t->fault, "evaluation", y)) return -1;
    if (ty_size(y) != batch || !ty_read(y, TY_I64, e->found)) {
        fault_set(&t->fault, "evaluation: the model gives %lld classes for %lld images",
                  (long long)ty_size(y), (long long)batch);
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

static bool check(ty_trainer *t, const ty_tensor *images, const ty_tensor *labels) {
    if (!model_check(&t->fault, "evaluation", images) || !model_check(&t->fault, "evaluation", labels))
        return false;
    bool fits = ty_rank(images) > 0 && ty_rank(labels) == 1 && ty_shape(images)[0] == ty_shape(labels)[0];
    if (!fits) return fault_set(&t->fault, "evaluation: images and labels differ in number");
    return ty_size(images) > 0 || fault_set(&t->fault, "evaluation: there are no images");
}

double ty_trainer_accuracy(ty_trainer *t, ty_tensor *images, ty_tensor *labels) {
    if (t->fault.set) return NAN;
    ty_scope *scope = ty_open();
    struct evaluation e = {.images = ty_contiguous(images)};
    int64_t *known = NULL;
    double result = NAN;
    if (check(t, e.images, labels)) {
        e.n = ty_shape(e.images)[0];
        e.row_bytes = (size_t)(ty_size(e.images) / e.n) * ty_dtype_size(ty_dtype_of(e.images));
        e.rows = mem_array((size_t)t->options.batch, e.row_bytes);
        e.found = mem_array((size_t)t->options.batch, sizeof *e.found);
        e.labels = known = mem_array((size_t)e.n, sizeof *known);
        if (!e.rows || !e.found || !known)
            fault_memory(&t->fault, (size_t)t->options.batch * e.row_bytes);
        else if (!ty_read(labels, TY_I64, known))
            fault_set(&t->fault, "evaluation: the labels cannot be read");
        else
            result = share(t, &e);
    }
    mem_free(e.rows);
    mem_free(e.found);
    mem_free(known);
    ty_close(scope);
    return result;
}
