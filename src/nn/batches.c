/* Shuffles examples by Philox numbers. */
#include "nn/batches.h"
#include "array/remote.h"
#include "array/scope.h"
#include "base/alloc.h"
#include "base/options.h"
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "base/machine/floating.h"
#include "ops/random/random_epoch.h"

static const char *const part_names[] = {"inputs", "targets"};
static const char *part_name(int i) { return i < 2 ? part_names[i] : "further parts"; }

/* Check a source of batches and copy it to b->source; false sets the fault. */
static bool open_source(struct batches *b, const ty_batch_source *source, struct fault *fault) {
    if (!source->batch) return fault_set(fault, E_ARGUMENT, "trainer: the source's function is NULL");
    if (source->n < 1 || source->n > PARTS)
        return fault_set(fault, E_ARGUMENT, "trainer: the source has %d parts, expected 1 to %d", source->n,
                         PARTS);
    if (!OPTIONS_UNUSED(source, "trainer: the source", fault)) return false;
    if (source->steps_per_epoch < 1)
        return fault_set(fault, E_ARGUMENT,
                         "trainer: the source has %lld steps an epoch, expected at least 1",
                         (long long)source->steps_per_epoch);
    b->source = *source;
    b->nparts = source->n;
    return true;
}

/* Check part i, from 0, of the data: a tensor whose first axis has as many examples as that of part 0,
   which sets b->n. False sets the fault. */
static bool check_part(struct batches *b, int i, ty_tensor *part, struct fault *fault) {
    if (!part) return fault_set(fault, E_ARGUMENT, "trainer: %s are missing", part_name(i));
    if (!ty_ok(part))
        return fault_set(fault, ty_error_code(part), "trainer: %s: %s", part_name(i), ty_error(part));
    if (ty_rank(part) < 1)
        return fault_set(fault, E_SHAPE, "trainer: %s have rank 0; expected a first axis of examples",
                         part_name(i));
    int64_t n = ty_shape(part)[0];
    if (!i) b->n = n;
    return n == b->n || fault_set(fault, E_SHAPE, "trainer: %lld inputs but %lld %s", (long long)b->n,
                                  (long long)n, part_name(i));
}

/* Set b->batch: -1 means all examples, 0 at most 100 of them. False sets the fault unless it is 1..b->n. */
static bool check_batch(struct batches *b, int64_t batch, struct fault *fault) {
    b->batch = batch == -1 ? b->n : batch ? batch : b->n < 100 ? b->n : 100;
    return (b->batch >= 1 && b->batch <= b->n) ||
           fault_set(fault, E_ARGUMENT, "trainer: a batch of %lld from %lld examples; expected 1 to %lld",
                     (long long)b->batch, (long long)b->n, (long long)b->n);
}

/* Evaluate part i, from 0, of the data and retain it in b->parts[i]; allocate b->rows[i], the buffer for
   one batch of it. False sets the fault. */
static bool open_part(struct batches *b, int i, ty_tensor *part, struct fault *fault) {
    ty_tensor *whole = at_home(ty_contiguous(ty_eval(part))); /* batches are gathered there */
    if (!ty_ok(whole)) return fault_set(fault, ty_error_code(whole), "trainer: %s", ty_error(whole));
    if (dtype_stored(whole->dtype))
        return fault_set(fault, E_DTYPE, "trainer: the data is %s, which is for storage alone; ty_cast it",
                         ty_dtype_name(whole->dtype));
    b->parts[i] = ty_retain(whole);
    b->row_bytes[i] = (size_t)(ty_size(whole) / b->n) * ty_dtype_size(ty_dtype_of(whole));
    b->rows[i] = mem_array((size_t)b->batch, b->row_bytes[i]);
    return b->rows[i] || fault_memory(fault, (size_t)b->batch * b->row_bytes[i]);
}

bool batches_open(struct batches *b, const ty_trainer_options *o, struct fault *fault) {
    memset(b, 0, sizeof *b);
    b->seed = o->seed;
    b->sampling = o->order;
    b->epoch = -1;
    if (o->source) return open_source(b, o->source, fault);
    b->n = b->batch = 1;
    if (o->objective && !o->inputs && !o->targets && !o->nmore) return true; /* batches without parts */
    if (o->nmore < 0 || o->nmore > PARTS - 2 || (o->nmore && !o->more))
        return fault_set(fault, E_LIMIT, "trainer: %d further parts, expected at most %d", o->nmore,
                         PARTS - 2);
    ty_tensor *given[PARTS] = {o->inputs, o->targets};
    b->nparts = 2 + o->nmore;
    for (int i = 0; i < o->nmore; i++) given[2 + i] = o->more[i];
    if (o->objective && !o->targets && !o->nmore) b->nparts = 1;
    for (int i = 0; i < b->nparts; i++)
        if (!check_part(b, i, given[i], fault)) return false;
    if (!check_batch(b, o->batch, fault)) return false;
    b->order = mem_array((size_t)b->n, sizeof *b->order);
    if (!b->order) return fault_memory(fault, (size_t)b->n * sizeof *b->order);
    for (int i = 0; i < b->nparts; i++)
        if (!open_part(b, i, given[i], fault)) return false;
    return true;
}

void batches_drop(struct batches *b) {
    for (int i = 0; i < PARTS; i++) {
        if (b->parts[i]) ty_release(b->parts[i]);
        mem_free(b->rows[i]);
    }
    mem_free(b->order);
}

/* Fill b->order[0..b->n) with example indices for one epoch: in order, shuffled or drawn, as b->sampling
   says. u[i] in [0, 1) is one uniform number per example. */
static void arrange(struct batches *b, const double *u) {
    for (int64_t i = 0; i < b->n; i++)
        b->order[i] = b->sampling == TY_SAMPLED ? (int64_t)(u[i] * (double)b->n) : i;
    for (int64_t i = b->n - 1; i > 0 && b->sampling == TY_SHUFFLED; i--) random_exchange(b->order, i, u[i]);
}

/* Set b->order for `epoch`, from 0, by random numbers of the seed and the epoch. False sets the fault. */
static bool shuffle(struct batches *b, int64_t epoch, struct fault *fault) {
    FLOATING_DEFAULT;
    ty_tensor *key = ty_fold(ty_fold(ty_key(b->seed), STREAM_ORDER), (uint64_t)epoch);
    ty_tensor *numbers = ty_uniform(TY_F64, 1, &b->n, key);
    const double *u = ty_data(numbers);
    if (!u) return fault_set(fault, ty_error_code(numbers), "trainer: shuffling: %s", ty_error(numbers));
    arrange(b, u);
    b->epoch = epoch;
    return true;
}

/* Return a new tensor [batch, ...] with a copy of the examples order[0..batch) of part number `part`;
   poison on failure. */
static ty_tensor *gather(struct batches *b, int part, const int64_t *order) {
    ty_tensor *x = b->parts[part];
    size_t bytes = b->row_bytes[part];
    const char *from = ty_data(x);
    char *to = b->rows[part];
    for (int64_t i = 0; i < b->batch && bytes; i++)
        memcpy(to + (size_t)i * bytes, from + (size_t)order[i] * bytes, bytes);
    int64_t shape[TY_MAX_RANK];
    memcpy(shape, ty_shape(x), (size_t)ty_rank(x) * sizeof *shape);
    shape[0] = b->batch;
    return ty_from(ty_dtype_of(x), ty_rank(x), shape, to);
}

/* Have the user's source set out[0..nparts) to the parts of the batch of `step`, from 0. False sets the
   fault, also if a part is missing or poison. */
static bool take_from_source(struct batches *b, int64_t step, ty_tensor **out, struct fault *fault) {
    for (int i = 0; i < b->nparts; i++) out[i] = NULL;
    struct scope_fence fence = scope_fence();
    bool given = b->source.batch(b->source.context, step, out);
    scope_fence_join(fence, "the source of batches", fault);
    for (int i = 0; i < b->nparts && !fault->set; i++)
        if (out[i] && !ty_ok(out[i]))
            return fault_set(fault, ty_error_code(out[i]), "trainer: %s: %s", part_name(i), ty_error(out[i]));
    for (int i = 0; i < b->nparts && !fault->set; i++)
        if (!given || !out[i])
            return fault_set(fault, E_ARGUMENT, "trainer: the source gave no %s for step %lld", part_name(i),
                             (long long)step);
    return !fault->set;
}

bool batches_take(struct batches *b, int64_t step, ty_tensor **out, struct fault *fault) {
    if (b->source.batch) return take_from_source(b, step, out, fault);
    if (!b->nparts) return true;
    int64_t epoch = step / batches_per_epoch(b), place = step % batches_per_epoch(b);
    if (epoch != b->epoch && !shuffle(b, epoch, fault)) return false;
    for (int i = 0; i < b->nparts; i++) {
        out[i] = gather(b, i, b->order + place * b->batch);
        if (!ty_ok(out[i]))
            return fault_set(fault, ty_error_code(out[i]), "trainer: %s: %s", part_name(i), ty_error(out[i]));
    }
    return true;
}
