/* Making one example of a batch. */
#include <inttypes.h>
#include <string.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "array/remote.h"
#include "base/context/stop.h"
#include "base/threads/parallel.h"
#include "data/loader.h"

int64_t loader_count(const ty_loader *l, int64_t number) {
    int64_t first = number % l->batches * l->batch, left = l->epoch_size - first;
    return left < l->batch ? left : l->batch;
}

/* Return the index in the set of the example at position `place`, from 0, of `epoch`, from 0, as the
   loader's order says. */
static int64_t example_at(const ty_loader *l, int64_t epoch, int64_t place) {
    uint64_t n = (uint64_t)l->set->size;
    struct permuted order;
    if (l->options.order == TY_IN_ORDER) return place;
    if (l->options.order == TY_SAMPLED)
        return (int64_t)draw_below(
            &(ty_draws){l->options.seed, (uint64_t)epoch, (uint64_t)place, DRAW_SAMPLE, 0}, n);
    draw_order(&order, n, l->options.seed, (uint64_t)epoch);
    return (int64_t)permuted_at(&order, (uint64_t)place);
}

/* As take, on the thread's engine. */
static bool take_here(const ty_loader *l, int64_t number, int64_t place, ty_tensor **out,
                      struct fault *fault) {
    int64_t epoch = number / l->batches, index = example_at(l, epoch, number % l->batches * l->batch + place);
    if (!dataset_take(l->set, index, out, fault)) return false;
    const int nsteps[] = {l->options.nsteps, l->options.ntarget_steps};
    for (int i = 0; i < 2; i++)
        if (nsteps[i])
            out[i] = ty_eval(ty_augment(nsteps[i], l->steps[i], out[i], l->options.seed, epoch, index));
    for (int i = 0; i < l->set->nfields; i++) {
        out[i] = at_home(ty_detach(ty_contiguous(out[i])));
        struct fault own = {0};
        if (!ty_ok(out[i]) && !fault_tensor(&own, out[i])) return dataset_blame(l->set, index, &own, fault);
    }
    return true;
}

/* Make example `place`, from 0, of batch `number`, counted from 0 over all epochs. out[] receives its
   fields: augmented, evaluated, row-major, owned by the current scope. False sets the fault. */
static bool take(const ty_loader *l, int64_t number, int64_t place, ty_tensor **out, struct fault *fault) {
    const char *engine = ty_engine_name();
    bool other = strcmp(engine, l->engine) != 0;
    if (other) ty_use_engine(l->engine);
    bool taken = take_here(l, number, place, out, fault);
    if (other) ty_use_engine(engine);
    return taken;
}

/* Allocate parts[0..n), a batch of `count` examples with the dtypes and shapes of example[0..n); the caller
   has one reference to each. False sets the fault, and nothing is kept. */
static bool make_parts(int64_t count, int n, ty_tensor *const *example, ty_tensor **parts,
                       struct fault *fault) {
    int64_t shape[TY_MAX_RANK] = {count}, size;
    for (int i = 0; i < n; i++) {
        const struct layout *l = &example[i]->layout;
        size_t width = dtype_table[example[i]->dtype].size;
        bool fits = l->rank < TY_MAX_RANK;
        if (fits && l->rank) memcpy(shape + 1, l->shape, (size_t)l->rank * sizeof *shape);
        fits = fits && shape_check(l->rank + 1, shape, width, &size);
        parts[i] = fits ? tensor_new_value(example[i]->dtype, l->rank + 1, shape) : NULL;
        if (parts[i]) continue;
        fault_memory(fault, tensor_bytes(example[i]) * (size_t)count);
        while (i--) tensor_free_one_reference(parts[i]);
        return false;
    }
    return true;
}

static bool fits_row(const ty_tensor *part, const ty_tensor *x) {
    const struct layout *p = &part->layout, *l = &x->layout;
    return part->dtype == x->dtype && shape_equal(p->rank - 1, p->shape + 1, l->rank, l->shape);
}

/* Copy the fields of an example to row job.place of the slot's batch, which the first example allocates.
   Marks the slot if dtypes or shapes differ from that. False sets the fault: no memory. */
static bool put(const ty_loader *l, struct job job, ty_tensor *const *example, struct fault *fault) {
    ty_tensor *parts[TY_MOST_FIELDS];
    struct slot *slot = job.slot;
    int n = l->set->nfields;
    if (!loader_install(slot, NULL, n)) {
        if (!make_parts(slot->count, n, example, parts, fault)) return false;
        if (!loader_install(slot, parts, n))
            for (int i = 0; i < n; i++) tensor_free_one_reference(parts[i]);
    }
    for (int i = 0; i < n; i++) {
        size_t bytes = tensor_bytes(example[i]);
        if (!fits_row(slot->parts[i], example[i]))
            loader_differs(slot);
        else if (bytes)
            memcpy((char *)tensor_data(slot->parts[i]) + (size_t)job.place * bytes, tensor_data(example[i]),
                   bytes);
    }
    return true;
}

bool loader_make(ty_loader *l, struct job job) {
    struct fault fault = {0};
    ty_tensor *example[TY_MOST_FIELDS];
    bool before = parallel_alone(true);
    ty_scope *scope = ty_open();
    bool made = take(l, job.number, job.place, example, &fault) && put(l, job, example, &fault);
    bool stopped = !made && stop_said(&fault);
    if (!made && !stopped) loader_blame(job.slot, job.place, &fault);
    ty_close(scope);
    parallel_alone(before);
    return !stopped;
}

/* Set the fault of batch `number`, from 0 over all epochs, whose examples differ. Each is made again and
   compared with the first, so that the message does not depend on the order in which threads ran. */
void loader_explain(const ty_loader *l, int64_t number, struct fault *fault) {
    ty_tensor *first[TY_MOST_FIELDS], *other[TY_MOST_FIELDS];
    char a[128], b[128];
    ty_scope *scope = ty_open();
    bool ok = take(l, number, 0, first, fault);
    for (int64_t place = 1; place < loader_count(l, number) && ok; place++) {
        ty_scope *inner = ty_open();
        ok = take(l, number, place, other, fault);
        for (int i = 0; i < l->set->nfields && ok; i++) {
            if (tensor_same_form(first[i], other[i])) continue;
            ok = fault_set(
                fault, E_ARGUMENT,
                "data: field \"%.60s\" of a batch is %s in the first example but %s in number %" PRId64
                ": use steps that make images of one size (ty_step_resize, ty_step_crop)",
                l->set->fields[i].name, tensor_describe_into(a, sizeof a, first[i]),
                tensor_describe_into(b, sizeof b, other[i]), place);
        }
        ty_close(inner);
    }
    ty_close(scope);
    if (!fault->set)
        fault_set(fault, E_SHAPE, "data: the examples of a batch have different shapes or dtypes");
}
