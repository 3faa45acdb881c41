/* The operator `call`: its rules ask the user's rules.  compile/bodies/call.c launches it. */
#include "control/call.h"
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "base/options.h"
#include "control/many.h"
#include "control/results.h"
#include "control/slices.h"
#include "control/user.h"
#include "grad/batch.h"
#include "grad/custom.h"
#include "grad/reverse.h"
#include "grad/unused.h"
#include "ops/shape/batch.h"

/* Release function of a callee, shared by all tensors and programs with its context. */
struct call_owner {
    atomic_int refs;
    void (*release)(void *context);
    void *context;
};

/* ---- attributes ---- */

/* Return the position in a->words[] of the form of result `index`: its dtype, rank and sizes follow. */
static int64_t form_at(const struct call_attr *a, int64_t index) {
    int64_t at = 0;
    for (int64_t i = 0; i < index; i++) at += 2 + a->words[at + 1];
    return at;
}

ty_form call_form(const struct call_attr *a, int64_t index) {
    const int64_t *words = a->words + form_at(a, index);
    return (ty_form){(ty_dtype)words[0], (int)words[1], words + 2};
}

/* Return the number of masks behind the forms. */
static int64_t masks_of(const struct call_attr *a) { return a->slices.f ? slices_operands(a) : 0; }

const int64_t *call_masks(const struct call_attr *a) { return a->words + form_at(a, a->m); }

size_t call_bytes(const struct call_attr *a) {
    return sizeof *a + (size_t)(form_at(a, a->m) + masks_of(a)) * sizeof *a->words;
}

const char *call_name(const struct call_attr *a) { return a->slices.f ? slices_name(a) : "call"; }

void call_release(void (*release)(void *context), void *context) {
    struct scope_fence fence = scope_fence();
    release(context);
    scope_fence_end(fence);
}

static void attr_retain(void *attr) {
    struct call_owner *owner = ((struct call_attr *)attr)->owner;
    if (owner) atomic_fetch_add_explicit(&owner->refs, 1, memory_order_relaxed);
}

/* Drop the reference of *attr, a struct call_attr, to its owner; the last one calls the release function. */
static void attr_release(void *attr) {
    struct call_owner *owner = ((struct call_attr *)attr)->owner;
    if (!owner || !last_reference(&owner->refs)) return;
    call_release(owner->release, owner->context);
    mem_free(owner);
}

static bool owns(const void *attr) { return ((const struct call_attr *)attr)->owner != NULL; }
static int64_t serial(const void *attr) { return ((const struct call_attr *)attr)->serial; }

/* ---- the operator ---- */

/* Infer a node without elements into *in.  False, with the fault set, without attributes, as in a file. */
static bool infer(struct infer *in) {
    infer_nothing(in);
    return in->attr_bytes >= sizeof(struct call_attr) ||
           infer_fault(in, E_UNSUPPORTED, "its function belongs to the program that recorded it");
}

static int results(const void *attr) { return (int)((const struct call_attr *)attr)->m; }

static bool result(const void *attr, int64_t index, struct infer *in) {
    ty_form form = call_form(attr, index);
    in->dtype = form.dtype;
    in->rank = form.rank;
    for (int i = 0; i < form.rank; i++) in->shape[i] = form.shape[i];
    return true;
}

/* Kernels copy operands, whose memory must be dense, but slices are read in any layout. */
static int dense(const void *attr) { return ((const struct call_attr *)attr)->slices.f ? 0 : INT32_MAX; }

/* ---- the user's rules ---- */

/* Call a derivative of y's callee: its vjp, or else its jvp, for `given`, the derivatives of results or operands, NULL
   where they are 0, into made[].  False, with the fault set, on failure. */
static bool call_rule(ty_tensor *y, bool back, ty_tensor *const *given, ty_tensor **made,
                      struct fault *fault) {
    const struct call_attr *a = y->attr;
    int m = (int)a->m;
    ty_tensor **of = mem_array((size_t)m, sizeof *of);
    if (!of) return fault_memory(fault, (size_t)m * sizeof *of);
    for (int i = 0; i < m; i++) of[i] = result_of(y, i);
    struct scope_fence fence = scope_fence();
    bool unused = unused_allow(false);
    (back ? a->callee.vjp : a->callee.jvp)(a->callee.context, y->ninputs, y->inputs, m, of, given, made);
    unused_allow(unused);
    bool done = scope_fence_join(fence, call_name(a), fault);
    ty_tensor *const *like = back ? y->inputs : of;
    for (int i = 0; i < (back ? y->ninputs : m) && done; i++) {
        if (!made[i]) continue;
        made[i] = tensor_resolve(made[i]);
        done = rule_fits(call_name(a), back ? "gradient" : "tangent", i, made[i], like[i],
                         back ? "its x" : "its y", fault);
    }
    mem_free(of);
    return done;
}

/* Gradient rule: set out[i] for each needed[i] from g, the set of gradients of the results of y, by the user's vjp.  On
   failure out[] is poison. */
static void vjp_all(ty_tensor *y, ty_tensor *g, const bool *needed, ty_tensor **out) {
    const struct call_attr *a = y->attr;
    struct fault fault = {0};
    ty_tensor **given = mem_array((size_t)a->m, sizeof *given);
    bool done = given || fault_memory(&fault, (size_t)a->m * sizeof *given);
    if (done && !a->callee.vjp)
        done = fault_set(&fault, E_UNSUPPORTED,
                         "%s: the function has no vjp; set one, or ty_detach its operands", call_name(a));
    for (int i = 0; done && i < a->m; i++) given[i] = gradients_of(g, i);
    bool was = ty_set_history(true);
    done = done && call_rule(y, true, given, out, &fault);
    ty_set_history(was);
    for (int i = 0; i < y->ninputs; i++) {
        if (!needed[i]) out[i] = NULL;
        if (!done && needed[i]) out[i] = tensor_fault(&fault);
    }
    mem_free(given);
}

/* Return the set of the tangents of y's results with wanted[] among made[a->m]; index[] is scratch.  NULL: all are 0. */
static ty_tensor *tangents_of(const struct call_attr *a, const bool *wanted, ty_tensor **made, int *index) {
    int n = 0;
    for (int i = 0; i < a->m; i++) {
        if (!made[i] || (wanted && !wanted[i])) continue;
        index[n] = i;
        made[n++] = made[i];
    }
    return n ? gradients_new(n, index, made) : NULL;
}

/* Tangent rule: return the set of tangents of y's wanted results for tangents t[] of its operands, by the user's jvp.
   NULL: they are 0.  Poison on failure. */
static ty_tensor *jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    const struct call_attr *a = y->attr;
    struct fault fault = {0};
    if (!a->callee.jvp) {
        fault_set(&fault, E_UNSUPPORTED,
                  "%s: the function has no jvp, which forward derivatives need; set one, or ty_detach its "
                  "operands",
                  call_name(a));
        return tensor_fault(&fault);
    }
    ty_tensor **made = mem_array((size_t)a->m, sizeof *made), *set = tensor_out_of_memory();
    int *index = mem_array((size_t)a->m, sizeof *index);
    if (made && index)
        set =
            call_rule(y, false, t, made, &fault) ? tangents_of(a, wanted, made, index) : tensor_fault(&fault);
    mem_free(made);
    mem_free(index);
    return set;
}

/* ---- running ---- */

/* Copy y, result i of the user's function, to its memory `to`; NULL: the function has filled it.  False, with the fault
   set, if y is poison or of another form. */
static bool store(const struct call_attr *a, int i, ty_tensor *y, void *to, struct fault *fault) {
    if (!y) return true;
    char words[WORDS], shape[WORDS];
    ty_form form = call_form(a, i);
    y = ty_contiguous(ty_eval(y));
    if (!ty_ok(y)) return fault_tensor_from(fault, "call", y);
    if (y->dtype != form.dtype || !shape_equal(y->layout.rank, y->layout.shape, form.rank, form.shape))
        return fault_set(fault, y->dtype == form.dtype ? E_SHAPE : E_DTYPE,
                         "call: result %d is %s; expected %s%s, which ty_call was given", i,
                         tensor_describe_into(words, sizeof words, y), dtype_table[form.dtype].name,
                         shape_words(shape, form.rank, form.shape));
    size_t bytes = tensor_bytes(y);
    const void *data = bytes ? ty_data(y) : NULL;
    if (data) memcpy(to, data, bytes);
    return data || !bytes || fault_memory(fault, bytes);
}

bool call_run(const struct call_attr *a, int n, ty_tensor *const *x, void *const *data, struct fault *fault) {
    int m = (int)a->m;
    ty_tensor **y = mem_array((size_t)m, sizeof *y);
    ty_form *forms = mem_array((size_t)m, sizeof *forms);
    bool done = (y && forms) || fault_memory(fault, (size_t)m * sizeof *forms);
    for (int i = 0; i < m && done; i++) forms[i] = call_form(a, i);
    ty_called call = {.n = n, .x = x, .m = m, .forms = forms, .data = data, .y = y};
    struct user_home home = user_home();
    struct user_settings settings;
    ty_scope *scope = ty_open();
    if (done) {
        user_enter(&settings, &home);
        a->callee.f(a->callee.context, &call);
        done = user_leave(&settings, "call", fault);
    }
    for (int i = 0; i < m && done; i++) done = store(a, i, y[i], data[i], fault);
    ty_close(scope);
    mem_free(forms);
    mem_free(y);
    return done;
}

/* ---- recording ---- */

static atomic_llong ordered; /* number of ordered calls recorded so far */

/* Return attributes with room for `words`, which the caller frees.  NULL, if memory runs out.  Only members are set,
   since padding must be 0. */
static struct call_attr *attr_new(const ty_callee *callee, const struct call_slices *slices, int n, int m,
                                  int64_t words) {
    struct call_attr *a = mem_alloc(sizeof *a + (size_t)words * sizeof *a->words);
    if (!a) return NULL;
    a->callee.f = callee->f;
    a->callee.vjp = callee->vjp;
    a->callee.jvp = callee->jvp;
    a->callee.context = callee->context;
    a->callee.release = callee->release;
    a->callee.ordered = callee->ordered;
    a->callee.batched = callee->batched;
    a->slices = *slices;
    a->n = n;
    a->m = m;
    return a;
}

/* Write form `from`, with one more first axis of size `examples` unless that is negative, to words[].  Return its
   length. */
static int64_t put_form(int64_t *words, ty_form from, int64_t examples) {
    int64_t at = 0;
    words[at++] = from.dtype;
    words[at++] = from.rank + (examples >= 0);
    if (examples >= 0) words[at++] = examples;
    for (int i = 0; i < from.rank; i++) words[at++] = from.shape[i];
    return at;
}

struct call_attr *call_new(const ty_callee *callee, const struct call_slices *slices, int nmasks,
                           const uint64_t *masks, int n, int m, const ty_form *forms) {
    int64_t words = nmasks;
    for (int i = 0; i < m; i++) words += 2 + forms[i].rank;
    struct call_attr *a = attr_new(callee, slices, n, m, words);
    if (!a) return NULL;
    words = 0;
    for (int i = 0; i < m; i++) words += put_form(a->words + words, forms[i], -1);
    if (nmasks) memcpy(a->words + words, masks, (size_t)nmasks * sizeof *masks);
    return a;
}

static int64_t next_serial(const ty_callee *callee) {
    return callee->ordered ? atomic_fetch_add(&ordered, 1) + 1 : 0;
}

/* Record y again on the batches of b as one call of a function that accepts them.  Poison on failure. */
static ty_tensor *record_batch(const struct batch *b) {
    const struct call_attr *a = b->y->attr;
    int64_t at = 0;
    struct call_attr *more = attr_new(&a->callee, &a->slices, (int)a->n, (int)a->m, form_at(a, a->m) + a->m);
    ty_tensor **x = mem_array((size_t)b->y->ninputs, sizeof *x), *node = tensor_out_of_memory();
    for (int i = 0; more && i < a->m; i++) at += put_form(more->words + at, call_form(a, i), b->n);
    for (int i = 0; x && i < b->y->ninputs; i++) x[i] = b->batched[i] ? b->x[i] : batch_repeat(b->x[i], b->n);
    if (more && x) {
        more->owner = a->owner;
        more->serial = next_serial(&a->callee);
        node = record(&op_call, more, call_bytes(more), b->y->ninputs, x);
    }
    mem_free(more);
    mem_free(x);
    return node;
}

/* Record y, whose operands no example of the batch changes, again.  Poison on failure. */
static ty_tensor *record_same(const struct batch *b) {
    const struct call_attr *a = b->y->attr;
    size_t bytes = call_bytes(a);
    struct call_attr *same = mem_alloc(bytes);
    if (!same) return tensor_out_of_memory();
    memcpy(same, a, bytes);
    same->serial = next_serial(&a->callee);
    ty_tensor *node = record(&op_call, same, bytes, b->y->ninputs, b->x);
    mem_free(same);
    return node;
}

/* Batch rule: write results which[0..m) to out[].  A function that accepts batches is called once. */
static void batch_results(const struct batch *b, int m, const int *which, ty_tensor **out) {
    const struct call_attr *a = b->y->attr;
    bool any = false;
    for (int i = 0; i < b->y->ninputs; i++) any = any || b->batched[i];
    if (any && !a->callee.batched) {
        batch_fallback.results_one_by_one(b, m, which, out);
        return;
    }
    ty_tensor *node = any ? record_batch(b) : record_same(b);
    if (ty_ok(node))
        results_of(node, m, which, out);
    else
        results_poisoned(m, out, node);
}

const struct op op_call = {.name = "call",
                           .kind = KERNEL_CALL,
                           .arity = -1,
                           .infer = infer,
                           .vjp_all = vjp_all,
                           .jvp = jvp,
                           .batch_results = batch_results,
                           .attr_retain = attr_retain,
                           .attr_release = attr_release,
                           .results = results,
                           .result = result,
                           .dense = dense,
                           .serial = serial,
                           .owns = owns,
                           .row = -1,
                           .lazy = true,
                           .onnx = "",
                           .doc = "a function of the user, which runs on values"};

ty_tensor *call_refuse_forms(const char *name, int n, ty_tensor *const *x, int m, const ty_form *forms) {
    if (m < 1 || m > INT16_MAX)
        return refuse(name, n, x, E_ARGUMENT, "%d results; expected 1 to %d", m, INT16_MAX);
    if (!forms) return refuse(name, n, x, E_ARGUMENT, "the array of forms is NULL");
    struct op named = op_call; /* for the name in messages */
    named.name = name;
    for (int i = 0; i < m; i++) {
        struct shape_attr attr;
        struct fault fault = {0};
        struct infer in = {.op = &named, .fault = &fault};
        memset(&attr, 0, sizeof attr);
        shape_attr_fill(&attr, forms[i].dtype, forms[i].rank, forms[i].shape);
        int64_t size;
        bool fits = infer_shape(&in, &attr) && infer_fits(&in);
        if (fits && !shape_check(in.rank, in.shape, dtype_table[in.dtype].size, &size))
            fits = infer_fault(&in, E_MEMORY, "the result exceeds the address space");
        if (!fits) return tensor_fault(&fault);
    }
    return NULL;
}

/* Return an owner with one reference that calls the release function of `callee`.  NULL if memory runs out. */
static struct call_owner *owner_new(const ty_callee *callee) {
    struct call_owner *owner = mem_alloc(sizeof *owner);
    if (!owner) return NULL;
    atomic_init(&owner->refs, 1);
    owner->release = callee->release;
    owner->context = callee->context;
    return owner;
}

bool call_record(struct call_attr *a, ty_tensor *const *x, ty_tensor **y) {
    int m = (int)a->m, *which = mem_array((size_t)m, sizeof *which);
    bool owned = a->callee.release != NULL;
    ty_scope *scope = ty_open();
    a->owner = owned ? owner_new(&a->callee) : NULL;
    a->serial = next_serial(&a->callee);
    ty_tensor *node = which && (a->owner || !owned) ? record(&op_call, a, call_bytes(a), (int)a->n, x)
                                                    : tensor_out_of_memory();
    for (int i = 0; which && i < m; i++) which[i] = i;
    bool done = ty_ok(node) ? results_of(node, m, which, y) : results_poisoned(m, y, node);
    for (int i = 0; i < m && scope; i++) y[i] = ty_keep(y[i]);
    ty_close(scope);
    done = results_settled(m, y) && done;
    if (a->owner)
        attr_release(a);
    else if (owned)
        call_release(a->callee.release, a->callee.context);
    mem_free(which);
    mem_free(a);
    return done;
}

bool ty_call_sized(const ty_callee *given, size_t size, int n, ty_tensor *const *x, int nresults,
                   const ty_form *forms, ty_tensor **results) {
    static const struct call_slices none;
    int poisoned = nresults > 0 ? nresults : 0;
    OPTIONS_OR(ty_callee, callee, given, size,
               results_poisoned(poisoned, results, tensor_fault(&options_fault)));
    ty_tensor *bad = first_poison(n, x);
    if (!bad && !results) bad = ty_poison_code(E_ARGUMENT, "call: the array of results is NULL");
    struct fault fault = {0};
    if (!bad && !OPTIONS_UNUSED(&callee, "call", &fault)) bad = tensor_fault(&fault);
    if (!bad && !callee.f) bad = refuse("call", n, x, E_ARGUMENT, "the function is NULL");
    if (!bad) bad = call_refuse_forms("call", n, x, nresults, forms);
    struct call_attr *a = bad ? NULL : call_new(&callee, &none, 0, NULL, n, nresults, forms);
    if (a) return call_record(a, x, results);
    if (callee.release) call_release(callee.release, callee.context);
    return results_poisoned(poisoned, results, bad ? bad : tensor_out_of_memory());
}
