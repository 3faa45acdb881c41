/* Models: creation, calls, and undoing failed calls. */
#include "nn/model/model.h"
#include "nn/model/notes.h"
#include "array/scope.h"
#include "base/options.h"
#include "base/alloc.h"
#include "base/nearest.h"
#include "ops/core/op.h"
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>

static ty_model no_memory = {
    .fault = {.set = true, .code = E_MEMORY, .text = "out of memory: a model could not be made"},
    .root = {.model = &no_memory, .path = "", .name = ""}};
ty_model model_null = {.fault = {.set = true, .code = E_ARGUMENT, .text = "model: the model is NULL"},
                       .root = {.model = &model_null, .path = "", .name = ""}};

static bool is_static(const ty_model *m) { return !m || m == &no_memory || m == &model_null; }

bool model_check(struct fault *fault, const char *what, const ty_tensor *x) {
    return ty_ok(x) ? !fault->set : fault_tensor_from(fault, what, x);
}

bool model_tell(const struct fault *fault, ty_tensor **error) {
    if (fault->set && error) *error = ty_poison_code(fault->code, "%s", fault->text);
    return !fault->set;
}

/* ---- creation and freeing ---- */

/* Replace zeros in the options by defaults and check them; a failure sets m->fault. */
static void check_options(ty_model *m) {
    ty_model_options *o = &m->options;
    if (!o->dtype) o->dtype = TY_F32;
    if (!o->compute) o->compute = o->dtype;
    if (!o->inputs) o->inputs = 1;
    if (!o->results) o->results = 1;
    if (o->inputs < 0 || o->inputs > TY_MAX_RANK || o->results < 0 || o->results > TY_MAX_RANK) {
        fault_set(&m->fault, E_ARGUMENT, "model: %d inputs and %d results, expected 1 to %d of each",
                  o->inputs, o->results, TY_MAX_RANK);
        o->inputs = o->results = 1;
    }
    ty_dtype given[] = {o->dtype, o->compute};
    for (int i = 0; i < 2; i++)
        if (given[i] < TY_F16 || given[i] >= TY_DTYPES)
            fault_set(&m->fault, E_DTYPE, "model: parameters of %s; expected a floating-point dtype",
                      ty_dtype_name(given[i]));
}

static void free_context(const void *context) { mem_free((void *)(uintptr_t)context); }

ty_model *model_new_owning(ty_forward forward, void *context, void (*drop)(const void *context),
                           ty_model_options options) {
    ty_model *m = mem_alloc(sizeof *m);
    if (!m) {
        if (context && drop) drop(context);
        return &no_memory;
    }
    m->options = options;
    m->forward = forward;
    m->context = context;
    m->drop = drop;
    m->root = (ty_layer){.model = m, .path = "", .name = "", .rank = -1};
    check_options(m);
    return m;
}

ty_model *model_failed(const struct fault *fault) {
    ty_model *m = model_new_owning(NULL, NULL, NULL, (ty_model_options){0});
    fault_copy(&m->fault, fault); /* no_memory has a fault already */
    return m;
}

ty_model *ty_model_new_sized(ty_forward forward, const void *context, const ty_model_options *given,
                             size_t given_size) {
    OPTIONS_OR(ty_model_options, options, given, given_size, model_failed(&options_fault));
    size_t bytes = options.context_bytes;
    void *own = bytes && context ? mem_alloc(bytes) : NULL;
    if (own) memcpy(own, context, bytes);
    ty_model *m = bytes ? model_new_owning(forward, own, free_context, options)
                        : model_new_owning(forward, (void *)(uintptr_t)context, NULL, options);
    if (is_static(m) || !bytes || own) return m;
    if (context)
        fault_memory(&m->fault, bytes);
    else
        fault_set(&m->fault, E_ARGUMENT, "model: the context of %zu bytes is NULL", bytes);
    return m;
}

static void layer_drop(ty_layer *l) {
    mem_free(l->path);
    mem_free(l->options);
    mem_free(l);
}

/* Release the variable of e and its pending value, and free e. */
static void entry_drop(struct variable_entry *e) {
    ty_release(e->variable);
    if (e->pending) ty_release(e->pending);
    mem_free(e->keras);
    mem_free(e);
}

/* Remove and free the entries from index n on. Variables of an owner are listed newest first, so the last
   one made is found at once. */
static void cut_entries(struct entries *entries, int n) {
    while (entries->n > n) {
        struct variable_entry *e = entries->at[--entries->n], **link = &e->owner->variables;
        while (*link != e) link = &(*link)->next;
        *link = e->next;
        entry_drop(e);
    }
}

struct extent model_extent(const ty_model *m) {
    return (struct extent){m->nlayers, m->parameters.n, m->states.n};
}

void model_cut(ty_model *m, struct extent extent) {
    cut_entries(&m->parameters, extent.parameters);
    cut_entries(&m->states, extent.states);
    while (m->nlayers > extent.layers) {
        ty_layer *l = m->layers[--m->nlayers];
        l->parent->child = l->next;
        layer_drop(l);
    }
}

void model_forget(ty_model *m) {
    for (int i = 0; i < m->states.n; i++) {
        struct variable_entry *e = m->states.at[i];
        if (e->pending) ty_release(e->pending);
        e->pending = NULL;
    }
}

void ty_model_free(ty_model *m) {
    if (is_static(m)) return;
    ty_function_free(m->predictor);
    model_forget(m);
    model_cut(m, (struct extent){0, 0, 0});
    if (m->key) ty_release(m->key);
    if (m->drop && m->context) m->drop(m->context);
    notes_drop(m);
    mem_free(m->layers);
    mem_free(m->parameters.at);
    mem_free(m->states.at);
    mem_free(m);
}

const char *ty_model_error(const ty_model *m) {
    return model_of(m)->fault.set ? model_of(m)->fault.text : "";
}
ty_tensor *ty_model_failure(const ty_model *m) { return tensor_failure(&model_of(m)->fault); }
bool ty_model_is_lazy(const ty_model *m) { return model_of(m)->options.lazy; }
int ty_model_operands(const ty_model *m) { return model_of(m)->options.inputs; }
int ty_model_results(const ty_model *m) { return model_of(m)->options.results; }
ty_layer *ty_model_root(ty_model *m) { return &model_of(m)->root; }

/* ---- variables ---- */

int ty_model_parameters(const ty_model *m) { return model_of(m)->parameters.n; }
int ty_model_states(const ty_model *m) { return model_of(m)->states.n; }

ty_tensor *ty_model_parameter(const ty_model *m, int i) {
    m = model_of(m);
    if (i >= 0 && i < m->parameters.n) return m->parameters.at[i]->variable;
    return ty_poison_code(E_INDEX, "model: parameter %d is out of bounds for %d parameters", i,
                          m->parameters.n);
}

ty_tensor *ty_model_state(const ty_model *m, int i) {
    m = model_of(m);
    if (i >= 0 && i < m->states.n) return m->states.at[i]->variable;
    return ty_poison_code(E_INDEX, "model: state %d is out of bounds for %d states", i, m->states.n);
}

ty_tensor *ty_model_find(const ty_model *m, const char *name) {
    m = model_of(m);
    if (!name) return ty_poison_code(E_ARGUMENT, "model: the name is NULL");
    const struct entries *lists[] = {&m->parameters, &m->states};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < lists[k]->n; i++)
            if (!strcmp(ty_name(lists[k]->at[i]->variable), name)) return lists[k]->at[i]->variable;
    struct nearest near = {.wanted = name}; /* costs much more than the search */
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < lists[k]->n; i++) nearest_offer(&near, ty_name(lists[k]->at[i]->variable));
    return ty_poison_code(E_ARGUMENT, "model: unknown name %.200s%s", name,
                          nearest_known(&near, (char[NEAREST_KNOWN]){0}));
}

int ty_model_freeze(ty_model *m, const char *prefix, bool frozen) {
    int n = 0;
    m = model_of(m);
    size_t length = prefix ? strlen(prefix) : 0;
    for (int i = 0; i < m->parameters.n; i++) {
        struct variable_entry *e = m->parameters.at[i];
        if (strncmp(ty_name(e->variable), prefix ? prefix : "", length) != 0) continue;
        e->frozen = frozen;
        n++;
    }
    return n;
}

bool ty_model_is_frozen(const ty_model *m, int i) {
    m = model_of(m);
    return i >= 0 && i < m->parameters.n && m->parameters.at[i]->frozen;
}

int ty_model_updates(const ty_model *m, int room, ty_update *updates) {
    int n = 0;
    m = model_of(m);
    for (int i = 0; i < m->states.n; i++) {
        const struct variable_entry *e = m->states.at[i];
        if (!e->pending) continue;
        if (updates && n < room) updates[n] = (ty_update){.variable = e->variable, .value = e->pending};
        n++;
    }
    return n;
}

static bool assign(ty_model *m, ty_update *updates, ty_tensor **lists, int n, ty_tensor **error) {
    ty_model_updates(m, n, updates);
    for (int i = 0; i < n; i++) lists[i] = updates[i].variable, lists[n + i] = updates[i].value;
    return ty_assign_all(n, lists, lists + n, error);
}

bool ty_model_commit(ty_model *m, ty_tensor **error) {
    struct fault fault = (m = model_of(m))->fault;
    int n = ty_model_updates(m, 0, NULL);
    if (fault.set || !n) return model_tell(&fault, error);
    ty_update *updates = mem_array((size_t)n, sizeof *updates);
    ty_tensor **lists = mem_array(2 * (size_t)n, sizeof *lists);
    bool done = false;
    if (!updates || !lists)
        model_tell((fault_memory(&fault, (size_t)n * sizeof *lists), &fault), error);
    else
        done = assign(m, updates, lists, n, error);
    mem_free(updates);
    mem_free(lists);
    if (done) model_forget(m);
    return done;
}

/* ---- calls ---- */

void ty_model_begin(ty_model *m, ty_tensor *key) {
    m = model_of(m);
    if (is_static(m)) return;
    if (m->depth) {
        fault_set(&m->pass_fault, E_STATE, "model: a pass was started inside its forward function");
        return;
    }
    if (!m->keep) model_forget(m);
    ty_tensor *held = key && ty_ok(key) ? ty_retain(key) : NULL;
    if (m->key) ty_release(m->key);
    m->key = held;
    m->pass++;
    m->told = 0;
    fault_clear(&m->pass_fault);
    if (held) model_is_folded(m, &m->pass_fault);
    m->root.pass = m->pass;
}

/* Check the arguments of a call of the model, that it has not failed, and that key (NULL: inference) may be
   given; false sets the fault. */
static bool check_call(const ty_model *m, int n, ty_tensor *const *x, ty_tensor *key, struct fault *fault) {
    if (m->fault.set) return fault_copy(fault, &m->fault);
    if (!m->forward)
        return fault_set(fault, E_ARGUMENT,
                         "model: it has no forward function; call its layers at ty_model_root");
    if (n != m->options.inputs || (n && !x))
        return fault_set(fault, E_ARGUMENT, "model: called on %d tensors, expected %d", x ? n : 0,
                         m->options.inputs);
    if (key && !ty_ok(key)) return fault_set(fault, ty_error_code(key), "model: key: %s", ty_error(key));
    if (key && model_is_folded(m, fault)) return false;
    if (m->depth) return fault_set(fault, E_STATE, "model: it was called inside its forward function");
    for (int i = 0; i < n; i++)
        if (!ty_ok(x[i])) return fault_tensor(fault, x[i]);
    return true;
}

/* Run the model's forward function on n operands; y[0..results) receives its results. False sets the fault,
   also if one is missing or poison. */
static bool forward(ty_model *m, int n, ty_tensor *const *x, ty_tensor **y, struct fault *fault) {
    for (int i = 0; i < m->options.results; i++) y[i] = NULL;
    struct scope_fence fence = scope_fence();
    m->forward(&m->root, m->context, n, x, y);
    scope_fence_join(fence, "the model's forward function", fault);
    if (m->pass_fault.set) return fault_copy(fault, &m->pass_fault);
    for (int i = 0; i < m->options.results && !fault->set; i++) {
        if (!y[i]) return fault_set(fault, E_USER, "model: the forward function did not set result %d", i);
        if (!ty_ok(y[i])) return fault_tensor(fault, y[i]);
    }
    return !fault->set;
}

void ty_model_call(ty_model *m, ty_tensor *key, int n, ty_tensor *const *x, ty_tensor **y) {
    struct fault fault = {0};
    m = model_of(m);
    if (!y) return;
    if (check_call(m, n, x, key, &fault)) {
        struct extent before = model_extent(m);
        ty_model_begin(m, key);
        m->depth++;
        bool done = forward(m, n, x, y, &fault);
        m->depth--;
        if (done && !m->notes[TY_NOTE_INPUT] && n) notes_input(m, x[0]);
        if (done) return;
        model_forget(m);
        model_cut(m, before);
    }
    results_poisoned(m->options.results ? m->options.results : 1, y, tensor_fault(&fault));
}

ty_tensor *ty_model_forward(ty_model *m, ty_tensor *x, ty_tensor *key) {
    m = model_of(m);
    ty_tensor *y = NULL;
    if (m->fault.set) return tensor_fault(&m->fault);
    if (m->options.results != 1)
        return ty_poison_code(E_ARGUMENT, "model: it has %d results; call it by ty_model_call",
                              m->options.results);
    ty_model_call(m, key, 1, &x, &y);
    return tensor_of(y);
}

/* Create the layers of a model by a call on n promises, of the dtypes and shapes of x, without elements.
   False on failure, with poison in *error unless it is NULL. */
bool ty_model_build(ty_model *m, int n, ty_tensor *const *x, ty_tensor **error) {
    struct fault fault = {0};
    m = model_of(m);
    ty_tensor *forms[TY_MAX_RANK], *y[TY_MAX_RANK];
    ty_scope *scope = ty_open();
    if (!m->fault.set && (n != m->options.inputs || (n && !x)))
        fault_set(&fault, E_ARGUMENT, "model: called on %d tensors, expected %d", x ? n : 0,
                  m->options.inputs);
    for (int i = 0; i < n && !fault.set && !m->fault.set; i++) {
        if (!ty_ok(x[i]) && fault_tensor(&fault, x[i])) break;
        forms[i] = ty_lazy(ty_broadcast(ty_scalar(ty_dtype_of(x[i]), 0), ty_rank(x[i]), ty_shape(x[i])));
    }
    if (!fault.set) {
        ty_model_call(m, NULL, n, forms, y);
        if (!ty_ok(y[0])) fault_tensor(&fault, y[0]);
    }
    ty_close(scope);
    return model_tell(&fault, error);
}
