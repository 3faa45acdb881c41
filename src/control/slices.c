/* Public functions of slices.  On values they run at once, without a program; else they record a call. */
#include <tyto/call.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "array/remote.h"
#include "array/form.h"
#include "base/alloc.h"
#include "base/context/stop.h"
#include "base/options.h"
#include "control/call.h"
#include "control/slices.h"
#include "ops/core/bound.h"
#include "ops/core/watch.h"

/* Arguments of a public function, resolved. */
struct request {
    const char *name;
    enum slices_kind kind;
    const ty_slicing *given;
    int n;           /* operands with slices */
    ty_tensor **x;   /* they, then the start if there is one */
    int all;         /* length of x */
    uint64_t *masks; /* axes of a slice, by operand */
    int rank;        /* axes that count slices, and their sizes */
    int64_t shape[2 * TY_MAX_RANK];
    ty_form form; /* of the result; its shape is `shape` for a map, filter and scan */
};

static const char *const names[] = {[SLICES_MAP] = "map_slices",
                                    [SLICES_FILTER] = "filter_slices",
                                    [SLICES_FOLD] = "fold_slices",
                                    [SLICES_SCAN] = "scan_slices",
                                    [SLICES_EACH] = "each_slice"};

static bool has_start(int64_t kind) { return kind == SLICES_FOLD || kind == SLICES_SCAN; }

const char *slices_name(const struct call_attr *a) { return names[a->slices.kind]; }
int64_t slices_operands(const struct call_attr *a) { return a->n - has_start(a->slices.kind); }

/* ---- checks ---- */

/* Set r->masks.  Poison if an operand lacks an axis; else NULL. */
static ty_tensor *find_axes(struct request *r) {
    for (int i = 0; i < r->n; i++) {
        ty_axes axes = r->given->axes_of ? r->given->axes_of[i] : r->given->axes;
        ty_tensor *bad = refuse_axes(r->name, r->x[i], axes);
        if (bad) return bad;
        if (axes.keep)
            return refuse(r->name, r->n, r->x, E_ARGUMENT,
                          "`keep` of the axes of slices is true; expected false");
        r->masks[i] = axes_bits(axes, r->x[i]->layout.rank);
    }
    return NULL;
}

/* Set r->rank and r->shape to the axes that count slices.  Poison if operands do not fit each other; else NULL. */
static ty_tensor *find_count(struct request *r) {
    int clash;
    const struct layout **layouts = mem_array((size_t)r->n, sizeof *layouts);
    if (!layouts) return tensor_out_of_memory();
    for (int i = 0; i < r->n; i++) layouts[i] = &r->x[i]->layout;
    bool fit = slices_count_shape(r->n, layouts, (const int64_t *)r->masks, &r->rank, r->shape, &clash);
    mem_free(layouts);
    int64_t count;
    if (fit && shape_check(r->rank, r->shape, 1, &count)) return NULL;
    if (fit) return refuse(r->name, r->n, r->x, E_MEMORY, "the slices are too many for the address space");
    return refuse(
        r->name, r->n, r->x, E_SHAPE,
        "the axes that count slices of operand %d do not broadcast with those of the operands before",
        clash + 1);
}

/* Set r->form to that of the result, if `of` is that of one slice or the state.  Poison if it is invalid; else NULL. */
static ty_tensor *find_form(struct request *r, ty_form of) {
    ty_tensor *bad = call_refuse_forms(r->name, r->n, r->x, 1, &of);
    if (bad) return bad;
    r->form = of;
    if (r->kind == SLICES_FOLD || r->kind == SLICES_EACH) return NULL;
    for (int i = 0; i < of.rank; i++) r->shape[r->rank + i] = of.shape[i];
    r->form = (ty_form){of.dtype, r->rank + of.rank, r->shape};
    return call_refuse_forms(r->name, r->n, r->x, 1, &r->form);
}

/* Check the request, whose result has form *of for each slice, and fill the rest of it.  Poison on failure; else NULL. */
static ty_tensor *check(struct request *r, const ty_form *of) {
    struct fault fault = {0};
    if (!OPTIONS_UNUSED(r->given, r->name, &fault)) return tensor_fault(&fault);
    if (!r->given->f) return refuse(r->name, r->n, r->x, E_ARGUMENT, "the function is NULL");
    ty_tensor *bad = find_axes(r);
    if (!bad) bad = find_count(r);
    return bad ? bad : find_form(r, *of);
}

/* ---- at once ---- */

/* True if the call can run at once: all operands are values without history, and no subgraph is being recorded. */
static bool is_immediate(const struct request *r) { return bound_alone() && all_plain(r->all, r->x); }

static bool run(const struct launch *l, struct fault *fault) {
    const struct kernel *k = l->kernel;
    return slices_run(k, l->slots, k->noutputs ? operand_base(&k->outputs[0], l->slots) : NULL, fault);
}

/* Launch kernel k, as programs do.  False, with the fault set, on failure. */
static bool launch(const struct kernel *k, void *const *slots, struct fault *fault) {
    struct launch l = {.kernel = k, .slots = slots, .run = run};
    if (!launch_allowed(thread_now(), k, fault)) return false;
    bool done = launch_watches() ? watcher.watch(&l, fault) : run(&l, fault);
    return stop_end(fault) && done;
}

/* Call the function for values now and fill y, which is NULL for ty_each_slice.  False, with the fault set, on
   failure. */
static bool compute(const struct request *r, const struct call_attr *a, ty_tensor *y, struct fault *fault) {
    struct operand *operands = mem_array((size_t)r->all + 1, sizeof *operands);
    void **slots = mem_array((size_t)r->all + 1, sizeof *slots);
    bool done = (operands && slots) || fault_memory(fault, ((size_t)r->all + 1) * sizeof *operands);
    for (int i = 0; done && i < r->all + (y != NULL); i++) {
        const ty_tensor *x = i < r->all ? r->x[i] : y;
        if (!(done = tensor_home(x, fault))) break;
        slots[i] = tensor_data(x);
        operands[i] = (struct operand){.slot = i, .dtype = x->dtype, .layout = x->layout};
        operands[i].layout.offset = 0;
    }
    struct kernel k = {.kind = KERNEL_CALL,
                       .op = &op_call,
                       .attr = a,
                       .attr_bytes = call_bytes(a),
                       .core_dtype = r->form.dtype,
                       .ninputs = r->all,
                       .ncore = r->all,
                       .noutputs = y != NULL,
                       .inputs = operands,
                       .outputs = operands ? operands + r->all : NULL,
                       .width = 1};
    done = done && launch(&k, slots, fault);
    mem_free(operands);
    mem_free(slots);
    return done;
}

/* Return the result of the call with attributes a on values; poison on failure. */
static ty_tensor *immediate(const struct request *r, const struct call_attr *a) {
    struct fault fault = {0};
    if (r->kind == SLICES_EACH)
        return compute(r, a, NULL, &fault) ? tensor_return(ty_retain(r->x[0])) : tensor_fault(&fault);
    ty_tensor *y = tensor_new_value(r->form.dtype, r->form.rank, r->form.shape);
    if (!y) {
        form_fault(&fault, r->form.dtype, r->form.rank, r->form.shape);
        return tensor_fault(&fault);
    }
    if (compute(r, a, y, &fault)) return tensor_return(y);
    tensor_free_one_reference(y);
    return tensor_fault(&fault);
}

/* ---- all functions ---- */

/* Derivatives of ty_each_slice, whose result is x[0]. */
static void pass_gradient(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                          ty_tensor *const *g, ty_tensor **gradients) {
    (void)context, (void)n, (void)x, (void)m, (void)y;
    gradients[0] = g[0];
}
static void pass_tangent(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                         ty_tensor *const *t, ty_tensor **tangents) {
    (void)context, (void)n, (void)x, (void)m, (void)y;
    tangents[0] = t[0];
}

/* Return the attributes of the call, which the caller frees.  NULL if memory runs out. */
static struct call_attr *attributes(const struct request *r) {
    const ty_slicing *g = r->given;
    bool each = r->kind == SLICES_EACH;
    ty_callee callee = {.context = g->context,
                        .release = g->release,
                        .vjp = each ? pass_gradient : g->vjp,
                        .jvp = each ? pass_tangent : g->jvp,
                        .ordered = g->ordered};
    struct call_slices slices = {g->f, r->kind, g->threads};
    return call_new(&callee, &slices, r->n, r->masks, r->all, 1, &r->form);
}

/* Compute or record the checked call.  Poison on failure.  The context is released in any case. */
static ty_tensor *call(const struct request *r) {
    struct call_attr *a = attributes(r);
    bool now = !a || is_immediate(r);
    ty_tensor *y = tensor_out_of_memory();
    if (a && now) y = immediate(r, a);
    if (now && r->given->release) call_release(r->given->release, r->given->context);
    if (now)
        mem_free(a);
    else
        call_record(a, r->x, &y);
    return y;
}

/* Return the result of the call of `name` for n operands x and the start, unless that is NULL; poison on failure.
   of: form of the result for one slice; NULL: that of the start, or of x[0] for ty_each_slice. */
static ty_tensor *slices(enum slices_kind kind, int n, ty_tensor *const *x, ty_tensor *const *start,
                         const ty_form *of, const ty_slicing *g) {
    struct request r = {.name = names[kind], .kind = kind, .given = g, .n = n, .all = n + (start != NULL)};
    ty_tensor *bad = first_poison_in(r.name, n, x);
    if (!bad) bad = refuse_stored(r.name, n, x);
    if (!bad && n < 1)
        bad = ty_poison_code(E_ARGUMENT, "%s: the number of operands is 0; expected 1 or more", r.name);
    if (!bad && start) bad = first_poison_in(r.name, 1, start);
    if (!bad && start) bad = refuse_stored(r.name, 1, start);
    r.x = bad ? NULL : mem_array((size_t)r.all, sizeof *r.x);
    r.masks = bad ? NULL : mem_array((size_t)n, sizeof *r.masks);
    if (!bad && (!r.x || !r.masks)) bad = tensor_out_of_memory();
    for (int i = 0; !bad && i < r.all; i++) {
        r.x[i] = tensor_resolve(i < n ? x[i] : *start);
        if (!ty_ok(r.x[i])) bad = tensor_return(ty_retain(r.x[i]));
    }
    if (!bad) {
        const ty_tensor *like = r.x[start ? n : 0];
        ty_form own = {like->dtype, like->layout.rank, like->layout.shape};
        bad = check(&r, of ? of : &own);
    }
    if (bad && g->release) call_release(g->release, g->context);
    ty_tensor *y = bad ? bad : call(&r);
    mem_free(r.x);
    mem_free(r.masks);
    return y;
}

ty_tensor *ty_map_slices_sized(int n, ty_tensor *const *x, ty_form form, const ty_slicing *given,
                               size_t size) {
    FLOATING_DEFAULT;
    OPTIONS(ty_slicing, slicing, given, size);
    return slices(SLICES_MAP, n, x, NULL, &form, &slicing);
}

ty_tensor *ty_fold_slices_sized(ty_tensor *start, int n, ty_tensor *const *x, const ty_slicing *given,
                                size_t size) {
    FLOATING_DEFAULT;
    OPTIONS(ty_slicing, slicing, given, size);
    return slices(SLICES_FOLD, n, x, &start, NULL, &slicing);
}

ty_tensor *ty_scan_slices_sized(ty_tensor *start, int n, ty_tensor *const *x, const ty_slicing *given,
                                size_t size) {
    FLOATING_DEFAULT;
    OPTIONS(ty_slicing, slicing, given, size);
    return slices(SLICES_SCAN, n, x, &start, NULL, &slicing);
}

ty_tensor *ty_each_slice_sized(int n, ty_tensor *const *x, const ty_slicing *given, size_t size) {
    FLOATING_DEFAULT;
    OPTIONS(ty_slicing, slicing, given, size);
    return slices(SLICES_EACH, n, x, NULL, NULL, &slicing);
}

/* Return the slices of x, of axes `set`, one after the other: [number of slices, their axes]. */
static ty_tensor *listed(ty_tensor *x, ty_axes set) {
    int order[TY_MAX_RANK], rank = ty_rank(x), counts = 0;
    uint64_t bits = axes_bits(set, rank);
    int64_t shape[TY_MAX_RANK + 1] = {1};
    for (int i = 0; i < rank; i++)
        if (!(bits >> i & 1)) shape[0] *= ty_shape(x)[order[counts++] = i];
    for (int i = 0, n = counts; i < rank; i++)
        if (bits >> i & 1) {
            shape[1 + n - counts] = ty_shape(x)[i];
            order[n++] = i;
        }
    return ty_reshape(ty_permute(x, order), 1 + rank - counts, shape);
}

ty_tensor *ty_filter_slices_sized(ty_tensor *x, const ty_slicing *given, size_t size) {
    static const ty_form flag = {TY_BOOL, 0, NULL};
    FLOATING_DEFAULT;
    OPTIONS(ty_slicing, slicing, given, size);
    ty_scope *scope = ty_open();
    ty_tensor *mask = slices(SLICES_FILTER, 1, &x, NULL, &flag, &slicing);
    ty_tensor *known = value_now("filter_slices", mask);
    ty_tensor *bad = ty_ok(known) ? refuse_fixed("filter_slices", known, 1, &x) : known;
    if (bad) return leave(scope, bad);
    ty_axes set = slicing.axes_of ? slicing.axes_of[0] : slicing.axes;
    return leave(scope, ty_compress(ty_ravel(known), listed(x, set), 0));
}
