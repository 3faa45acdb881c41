/* Shuffling is Fisher and Yates's (Knuth, The Art of Computer Programming 3.4.2 P) on Philox numbers. */
#include "nn/batches.h"
#include "base/alloc.h"
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "base/floating.h"

/* Bytes of one example along axis 0. */
static size_t row_bytes(const ty_tensor *x) {
    int64_t rows = ty_shape(x)[0];
    return (size_t)(ty_size(x) / rows) * ty_dtype_size(ty_dtype_of(x));
}

static bool check(const struct batches *b, ty_tensor *inputs, ty_tensor *targets, struct fault *fault) {
    if (!inputs || !targets) return fault_set(fault, "trainer: inputs or targets are missing");
    if (!ty_ok(inputs)) return fault_set(fault, "trainer: inputs: %s", ty_error(inputs));
    if (!ty_ok(targets)) return fault_set(fault, "trainer: targets: %s", ty_error(targets));
    if (ty_rank(inputs) < 1 || ty_rank(targets) < 1)
        return fault_set(
            fault, "trainer: inputs of rank %d and targets of rank %d, expected an axis of examples first",
            ty_rank(inputs), ty_rank(targets));
    int64_t n = ty_shape(inputs)[0], other = ty_shape(targets)[0];
    if (n != other)
        return fault_set(fault, "trainer: %lld inputs but %lld targets", (long long)n, (long long)other);
    if (b->batch < 1 || b->batch > n)
        return fault_set(fault, "trainer: a batch of %lld from %lld examples; expected 1 to %lld",
                         (long long)b->batch, (long long)n, (long long)n);
    return true;
}

bool batches_open(struct batches *b, ty_tensor *inputs, ty_tensor *targets, int64_t batch, uint64_t seed,
                  struct fault *fault) {
    memset(b, 0, sizeof *b);
    b->batch = batch;
    b->seed = seed;
    b->epoch = -1;
    if (!check(b, inputs, targets, fault)) return false;
    b->n = ty_shape(inputs)[0];
    b->order = mem_array((size_t)b->n, sizeof *b->order);
    if (!b->order) return fault_memory(fault, (size_t)b->n * sizeof *b->order);
    ty_tensor *given[2] = {inputs, targets};
    for (int i = 0; i < 2; i++) {
        ty_tensor *whole = ty_contiguous(ty_eval(given[i]));
        if (!ty_ok(whole)) return fault_set(fault, "trainer: %s", ty_error(whole));
        b->parts[i] = ty_retain(whole);
        b->row_bytes[i] = row_bytes(whole);
        b->rows[i] = mem_array((size_t)batch, b->row_bytes[i]);
        if (!b->rows[i]) return fault_memory(fault, (size_t)batch * b->row_bytes[i]);
    }
    return true;
}

void batches_drop(struct batches *b) {
    for (int i = 0; i < 2; i++) {
        if (b->parts[i]) ty_release(b->parts[i]);
        mem_free(b->rows[i]);
    }
    mem_free(b->order);
}

static bool shuffle(struct batches *b, int64_t epoch, struct fault *fault) {
    FLOATING_DEFAULT;
    ty_tensor *key = ty_fold(ty_fold(ty_key(b->seed), STREAM_ORDER), (uint64_t)epoch);
    ty_tensor *numbers = ty_uniform(TY_F64, 1, &b->n, key);
    const double *u = ty_data(numbers);
    if (!u) return fault_set(fault, "trainer: shuffling: %s", ty_error(numbers));
    for (int64_t i = 0; i < b->n; i++) b->order[i] = i;
    for (int64_t i = b->n - 1; i > 0; i--) {
        int64_t j = (int64_t)(u[i] * (double)(i + 1)), held = b->order[i];
        b->order[i] = b->order[j];
        b->order[j] = held;
    }
    b->epoch = epoch;
    return true;
}

/* The rows of one part that order[0..batch) names, as one tensor. */
static ty_tensor *gather(struct batches *b, int part, const int64_t *order) {
    ty_tensor *x = b->parts[part];
    size_t bytes = b->row_bytes[part];
    const char *from = ty_data(x);
    char *to = b->rows[part];
    for (int64_t i = 0; i < b->batch; i++)
        memcpy(to + (size_t)i * bytes, from + (size_t)order[i] * bytes, bytes);
    int64_t shape[TY_MAX_RANK];
    memcpy(shape, ty_shape(x), (size_t)ty_rank(x) * sizeof *shape);
    shape[0] = b->batch;
    return ty_from(ty_dtype_of(x), ty_rank(x), shape, to);
}

bool batches_take(struct batches *b, int64_t step, ty_tensor *out[2], struct fault *fault) {
    int64_t epoch = step / batches_per_epoch(b), place = step % batches_per_epoch(b);
    if (epoch != b->epoch && !shuffle(b, epoch, fault)) return false;
    for (int i = 0; i < 2; i++) out[i] = gather(b, i, b->order + place * b->batch);
    return true;
}
