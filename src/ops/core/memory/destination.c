/*
 * Results in given memory. A promise of one operator on values runs the operator's kernel on the destination. Other
 * promises are compiled, and the program writes into the destination if nothing that it reads later lies there
 * (compile/runs/into.c). Where neither can, the result is computed beside the destination and copied.
 */
#include "ops/core/memory/destination.h"
#include <stdlib.h>
#include <tyto/memory.h>
#include "array/form.h"
#include "array/remote.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "ops/core/eager.h"
#include "ops/core/evaluator.h"
#include "ops/core/memory/overlap.h"
#include "ops/core/structure.h"

enum { NAME = 160 };

/* ---- destinations ---- */

/* Return the reason why x cannot be memory that results are written into; NULL if it can. */
static const char *obstacle_of_memory(const ty_tensor *x) {
    if (x->current || x->op == &op_input) return "it is a variable; use ty_assign";
    if (x->promise) return "it is a promise; expected memory";
    if (x->tracked) return "it is tracked by gradients, which need its present elements; use ty_detach";
    if (!x->buffer) return "it has no memory";
    if (x->buffer->read_only) return "its memory is read-only";
    if (dtype_stored(x->dtype)) return "its dtype is for storage alone; use ty_cast";
    return layout_is_distinct(&x->layout) ? NULL : "several of its indices address one element";
}

/* Return the reason why x cannot be written into; NULL if it can. */
static const char *obstacle(const ty_tensor *x) {
    const char *reason = obstacle_of_memory(x);
    if (reason || tensor_may_change(x)) return reason;
    if (atomic_load(&x->refs) != 1 || atomic_load(&x->buffer->refs) != 1)
        return "others hold its value (a view, a promise, a program, a second reference), and values do not "
               "change; use "
               "ty_memory for memory that changes, or ty_give";
    return NULL;
}

/* Check that a result of the form of x may be written into destination d. False, with the fault set, if not. */
static bool check(const char *name, const ty_tensor *d, const ty_tensor *x, struct fault *fault) {
    char left[NAME], right[NAME];
    if (d == &tensor_null) return fault_set(fault, E_ARGUMENT, "%s: the destination is NULL", name);
    if (!ty_ok(d)) return fault_tensor_from(fault, name, d);
    if (!ty_ok(x)) return fault_tensor_from(fault, name, x);
    const char *reason = obstacle(d);
    tensor_describe_into(left, sizeof left, d);
    if (reason) return fault_set(fault, E_STATE, "%s: %s cannot be a destination: %s", name, left, reason);
    tensor_describe_into(right, sizeof right, x);
    if (d->dtype != x->dtype)
        return fault_set(fault, E_DTYPE, "%s: the destination is %s, the result %s; use ty_cast", name, left,
                         right);
    if (!tensor_same_form(d, x))
        return fault_set(fault, E_SHAPE, "%s: the destination is %s, the result %s", name, left, right);
    if (!tensor_home(d, fault)) return false;
    buffer_written_home(d->buffer);
    return true;
}

/* The addresses of a destination, for sorting. */
struct range {
    uintptr_t low, high;
    int number;
};

static int by_address(const void *a, const void *b) {
    const struct range *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

/* Check that no two destinations share bytes. False, with the fault set, if two do, or memory runs out. */
static bool check_apart(const char *name, int n, ty_tensor *const *destinations, struct fault *fault) {
    int count = 0;
    struct range *ranges = mem_array((size_t)n, sizeof *ranges);
    if (!ranges) return fault_memory(fault, (size_t)n * sizeof *ranges);
    for (int i = 0; i < n; i++) {
        struct place p;
        if (!destinations[i]) continue;
        p = place_of(destinations[i]);
        place_extent(&p, &ranges[count].low, &ranges[count].high);
        ranges[count++].number = i;
    }
    qsort(ranges, (size_t)count, sizeof *ranges, by_address);
    for (int i = 0; i < count && !fault->set; i++)
        for (int k = i + 1; k < count && ranges[k].low < ranges[i].high && !fault->set; k++) {
            int first = ranges[i].number, second = ranges[k].number;
            struct place a = place_of(destinations[first]), b = place_of(destinations[second]);
            if (places_meet(&a, &b))
                fault_set(fault, E_ARGUMENT, "%s: destinations %d and %d overlap", name, first, second);
        }
    mem_free(ranges);
    return !fault->set;
}

bool destinations_check(const char *name, int n, ty_tensor *const *destinations, ty_tensor *const *forms,
                        struct fault *fault) {
    for (int i = 0; i < n; i++)
        if (destinations[i] && !check(name, destinations[i], forms[i], fault)) return false;
    return n < 2 || check_apart(name, n, destinations, fault);
}

/* ---- one operator ---- */

enum { USUAL = 8 };

/* An operator on values, and a view of the destination for its result. */
struct direct {
    struct infer in;
    ty_tensor *inputs[USUAL];
    ty_tensor *to;
};

/* Return x, a value of `shape` after broadcasting, as a view whose axes run in the direction in which `to` has no
   negative steps. Poison if memory runs out. */
static ty_tensor *turned(ty_tensor *x, const struct layout *to) {
    struct layout_room room;
    struct layout *l = layout_room_init(&room, to->rank);
    layout_broadcast(&x->layout, to->rank, to->shape, l);
    for (int i = 0; i < to->rank; i++) {
        if (to->strides[i] >= 0 || to->shape[i] < 2) continue;
        l->offset += (to->shape[i] - 1) * l->strides[i];
        l->strides[i] = -l->strides[i];
    }
    return tensor_return(tensor_new_view(x, l));
}

static bool has_negative_step(const struct layout *l) {
    for (int i = 0; i < l->rank; i++)
        if (l->strides[i] < 0 && l->shape[i] > 1) return true;
    return false;
}

/* Let operands and destination of an elementwise kernel run forwards in the destination's memory. False, with the fault
   set, if memory runs out. */
static bool turn(struct direct *d, struct fault *fault) {
    const struct layout *to = &d->to->layout;
    for (int i = 0; i < d->in.ninputs; i++) {
        d->inputs[i] = turned(d->inputs[i], to);
        if (!ty_ok(d->inputs[i])) return fault_tensor(fault, d->inputs[i]);
    }
    d->to = turned(d->to, to);
    return ty_ok(d->to) || fault_tensor(fault, d->to);
}

/* True if the kernel of the operator may write into the destination's memory: outputs of its kind may have steps, and
   it reads its operands in that memory before it writes. */
static bool writes_directly(const struct direct *d) {
    const struct kernel_row *kind = &kernel_table[d->in.op->kind];
    struct place to = place_of(d->to);
    bool dense = layout_is_contiguous(to.layout);
    if (!dense && (kind->dense || has_negative_step(to.layout))) return false;
    for (int i = 0; i < d->in.ninputs; i++) {
        struct layout_room room;
        struct place from = place_of(d->inputs[i]);
        if (!places_meet(&from, &to)) continue;
        bool at_once = kind->in_place || (kind->replaces && i == 0 && dense);
        if (!at_once) return false;
        if (kind->in_place) {
            from.layout = layout_room_init(&room, to.layout->rank);
            layout_broadcast(&d->inputs[i]->layout, to.layout->rank, to.layout->shape, &room.layout);
        }
        if (!places_equal(&from, &to)) return false;
    }
    return true;
}

/* Compute the operator into the destination's memory, or into memory of its own, from where it is copied. Views of the
   destination may have copies on devices by now, which are forgotten. False, with the fault set, on failure. */
static bool compute(struct direct *d, struct fault *fault) {
    bool elementwise = kernel_table[d->in.op->kind].in_place;
    if (tensor_size(d->to) == 0) return true;
    if (elementwise && has_negative_step(&d->to->layout) && !turn(d, fault)) return false;
    if (writes_directly(d)) {
        bool done = eager_compute(d->to, &d->in, fault);
        buffer_written_home(d->to->buffer);
        return done;
    }
    ty_tensor *beside =
        tensor_return(tensor_new_value(d->to->dtype, d->to->layout.rank, d->to->layout.shape));
    if (!ty_ok(beside)) return form_fault(fault, d->to->dtype, d->to->layout.rank, d->to->layout.shape);
    return eager_compute(beside, &d->in, fault) && destination_copy(d->to, beside, fault);
}

bool destination_copy(ty_tensor *destination, ty_tensor *value, struct fault *fault) {
    struct direct d = {.to = destination, .inputs = {value}};
    struct place from = place_of(value), to = place_of(destination);
    if (tensor_size(value) == 0 || places_equal(&from, &to)) return true;
    d.in = (struct infer){.op = &op_copy, .ninputs = 1, .inputs = d.inputs, .dtype = value->dtype};
    ty_scope *scope = ty_open();
    bool done = compute(&d, fault);
    ty_close(scope);
    return done;
}

enum { MOST_VIEWS = 16 }; /* views of views, in calls of value_of: longer chains are compiled */

/* Return the value of x if it is one, a constant, or a view of one through `left` more views at most; NULL if it has
   to be computed. Poison on failure. */
static ty_tensor *value_of(ty_tensor *x, int left) {
    if (!x->promise) return x;
    if (x->op == &op_constant) return x->inputs[0]->promise ? NULL : x->inputs[0];
    if (!x->op->view || x->ninputs != 1 || !left) return NULL;
    ty_tensor *of = value_of(x->inputs[0], left - 1);
    return of && ty_ok(of) ? record(x->op, x->attr, x->attr_bytes, 1, &of) : of;
}

/* Set *d to the operator of promise x on values. False if it is none, or its operands must be computed; also with the
   fault set on failure. */
static bool direct_of(struct direct *d, ty_tensor *to, ty_tensor *x, struct fault *fault) {
    bool alone = x->op->kind != KERNEL_NONE && !kernel_table[x->op->kind].launches && !x->op->results &&
                 x->ninputs <= USUAL;
    *d = (struct direct){.to = to};
    for (int i = 0; alone && i < x->ninputs; i++) {
        d->inputs[i] = value_of(x->inputs[i], MOST_VIEWS);
        alone = d->inputs[i];
        if (alone && !ty_ok(d->inputs[i])) return fault_tensor(fault, d->inputs[i]);
    }
    if (!alone) return false;
    d->in = infer_of(x, fault);
    d->in.inputs = d->inputs;
    return true;
}

/* ---- any promises ---- */

static bool compute_one(ty_tensor *destination, ty_tensor *x, struct fault *fault) {
    struct direct d;
    ty_tensor *value = value_of(x, MOST_VIEWS);
    if (value) return ty_ok(value) ? destination_copy(destination, value, fault) : fault_tensor(fault, value);
    if (direct_of(&d, destination, x, fault)) return compute(&d, fault);
    return !fault->set && evaluator.evaluate_into(1, &x, &destination, fault);
}

/* True if `value` lies in the memory of a destination other than number i of n. */
static bool is_written(const ty_tensor *value, int i, int n, ty_tensor *const *destinations) {
    struct place from = place_of(value);
    for (int k = 0; k < n && tensor_may_change(value); k++) {
        struct place to = place_of(destinations[k]);
        if (k != i && places_meet(&from, &to)) return true;
    }
    return false;
}

/* Compute x[n] into destinations[n]. room[3 n]: for values, promises and their destinations. False, with the
   fault set, on failure. */
static bool compute_several(int n, ty_tensor *const *destinations, ty_tensor *const *x, ty_tensor **room,
                            struct fault *fault) {
    ty_tensor **values = room, **promises = room + n, **places = room + 2 * n;
    int count = 0;
    for (int i = 0; i < n; i++) {
        values[i] = value_of(x[i], MOST_VIEWS);
        if (values[i] && ty_ok(values[i]) && is_written(values[i], i, n, destinations))
            values[i] = record(&op_copy, NULL, 0, 1, &values[i]);
        if (values[i] && !ty_ok(values[i])) return fault_tensor(fault, values[i]);
        if (values[i]) continue;
        promises[count] = x[i];
        places[count++] = destinations[i];
    }
    if (count && !evaluator.evaluate_into(count, promises, places, fault)) return false;
    for (int i = 0; i < n; i++)
        if (values[i] && !destination_copy(destinations[i], values[i], fault)) return false;
    return true;
}

/* Check and compute. room[4 n]. False, with the fault set, on failure. */
static bool write_all(const char *name, int n, ty_tensor *const *destinations, ty_tensor *const *x,
                      ty_tensor **room, struct fault *fault) {
    for (int i = 0; i < n; i++) {
        char words[NAME];
        room[i] = tensor_resolve(x[i]);
        if (!destinations[i]) return fault_set(fault, E_ARGUMENT, "%s: the destination is NULL", name);
        if (ty_ok(room[i]) && room[i]->tracked && room[i]->op != &op_detach && record_remembers())
            return fault_set(fault, E_UNSUPPORTED,
                             "%s: %s is tracked, and no gradient flows through a destination; use ty_detach",
                             name, tensor_describe_into(words, sizeof words, room[i]));
    }
    if (!destinations_check(name, n, destinations, room, fault)) return false;
    return n == 1 ? compute_one(destinations[0], room[0], fault)
                  : compute_several(n, destinations, room, room + n, fault);
}

/* Implement ty_into_all for the public function `name`. */
static bool into(const char *name, int n, ty_tensor *const *destinations, ty_tensor *const *x,
                 ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault;
    ty_tensor *few[4], **room = n < 2 ? few : mem_array(4 * (size_t)n, sizeof *room);
    fault_clear(&fault);
    ty_scope *scope = ty_open();
    bool lazily = record_lazily(false), done = false;
    if (!room)
        fault_memory(&fault, 4 * (size_t)n * sizeof *room);
    else
        done = n < 1 || write_all(name, n, destinations, x, room, &fault);
    record_lazily(lazily);
    ty_close(scope);
    if (room != few) mem_free(room);
    if (error) *error = done ? NULL : tensor_fault(&fault);
    return done;
}

bool ty_into_all(int n, ty_tensor *const *destinations, ty_tensor *const *x, ty_tensor **error) {
    ty_tensor *missing =
        n >= 0 && (n == 0 || (destinations && x)) ? NULL : first_poison(n, destinations ? x : NULL);
    if (missing && error) *error = missing;
    return !missing && into("into_all", n, destinations, x, error);
}

bool ty_into(ty_tensor *destination, ty_tensor *x, ty_tensor **error) {
    return into("into", 1, &destination, &x, error);
}

bool ty_expose(ty_tensor *x, ty_tensor **error) {
    struct fault fault;
    char name[NAME];
    x = tensor_of(x);
    fault_clear(&fault);
    const char *reason = ty_ok(x) ? obstacle_of_memory(x) : NULL;
    if (!ty_ok(x))
        fault_tensor_from(&fault, "expose", x);
    else if (reason)
        fault_set(&fault, E_STATE, "expose: %s cannot become memory: %s",
                  tensor_describe_into(name, sizeof name, x), reason);
    else
        atomic_store(&x->buffer->exported, true);
    if (error) *error = fault.set ? tensor_fault(&fault) : NULL;
    return !fault.set;
}

bool ty_is_read(const ty_tensor *x) {
    const struct buffer *b = ty_is_promise(x) ? NULL : tensor_of(x)->buffer;
    return b && !b->done && atomic_load_explicit(&b->readers, memory_order_relaxed) > 0;
}
