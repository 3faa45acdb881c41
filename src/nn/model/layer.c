/* The tree of layers, and the common path of every call of a layer. */
#include "base/machine/floating.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/options.h"
#include "nn/model/model.h"
#include "nn/option.h"
#include "array/scope.h"
#include "base/alloc.h"
#include "graph/structure.h"
#include "ops/core/op.h"
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tyto/create.h>

ty_tensor *layer_refuse(ty_layer *self, ty_code code, const char *format, ...) {
    char sentence[900], whole[1024];
    va_list args;
    va_start(args, format);
    text_format(sentence, sizeof sentence, format, args);
    va_end(args);
    self = layer_of(self);
    ty_model *m = self->model;
    if (m->fault.set) return tensor_fault(&m->fault);
    /* A message passed on from an inner layer, or from a function of the user, already begins with a layer's name. */
    bool handed_on = hash_bytes(sentence, strlen(sentence)) == m->told || fault_names(sentence, self->path);
    bool named = *self->path && !handed_on;
    text_print(whole, sizeof whole, "%s%s%s", named ? self->path : "", named ? ": " : "", sentence);
    if (strlen(whole) < sizeof sentence) m->told = hash_bytes(whole, strlen(whole));
    return ty_poison_code(code, "%s", whole);
}

/* most results of one kind */
enum { MOST_RESULTS = 16 };

/* ---- the tree ---- */

struct field option_field(const ty_option *o) {
    static const struct field types[] = {
        [TY_OPTION_INT] = {.type = FIELD_LONG, .size = sizeof(int64_t)},
        [TY_OPTION_REAL] = {.type = FIELD_REAL, .size = sizeof(double), .low = -DBL_MAX, .end = INFINITY},
        [TY_OPTION_FLAG] = {.type = FIELD_FLAG, .size = sizeof(bool)},
        [TY_OPTION_ACTIVATION] = {.type = FIELD_OTHER, .size = sizeof(ty_activation)},
        [TY_OPTION_INIT] = {.type = FIELD_OTHER, .size = sizeof(ty_init)},
        [TY_OPTION_POINTER] = {.type = FIELD_OTHER, .size = sizeof(void *)}};
    struct field f = types[o->type];
    f.name = o->name, f.offset = o->offset, f.most = o->count ? o->count : 1;
    return f;
}

/* Return true if both structs of options, at a and b, have bitwise equal values of option o. */
static bool same_option(const ty_option *o, const char *a, const char *b) {
    struct field f = option_field(o);
    return !memcmp(a + f.offset, b + f.offset, f.size * (size_t)f.most);
}

/* Return true if layer l, called again, has the same kind and options; else set the fault. */
static bool check_again(const ty_layer *l, const ty_layer_kind *kind, const void *options,
                        struct fault *fault) {
    if (l->kind != kind)
        return fault_set(fault, E_ARGUMENT, "%s: the name is used by a %s and a %s", l->path,
                         l->kind ? l->kind->name : "place", kind ? kind->name : "place");
    for (const ty_option *o = kind ? kind->options : NULL; o && o->name; o++)
        if (!same_option(o, l->options, options))
            return fault_set(fault, E_ARGUMENT,
                             "%s: it was created with another %s; keep a layer's options in all calls, or "
                             "use another name",
                             l->path, o->name);
    return true;
}

static ty_layer *find(const ty_layer *at, const char *name) {
    for (ty_layer *l = at->child; l; l = l->next)
        if (!strcmp(l->name, name)) return l;
    return NULL;
}

static const char *prefix_of(const ty_layer_kind *kind) { return kind->prefix ? kind->prefix : kind->name; }

/* Return the number of children of `at` called in this pass without a name of their own and whose kind has
   the prefix of `kind`. */
static int numbered(const ty_layer *at, const ty_layer_kind *kind) {
    int n = 0;
    for (const ty_layer *l = at->child; l; l = l->next)
        n += l->numbered && l->pass == at->model->pass && !strcmp(prefix_of(l->kind), prefix_of(kind));
    return n;
}

/* Make a new child `name` of layer `at`, with a copy of the options, and add it to the model, which owns
   it. NULL sets the fault: no memory. */
static ty_layer *make(ty_layer *at, const char *name, const ty_layer_kind *kind, const void *options,
                      struct fault *fault) {
    ty_model *m = at->model;
    ty_layer *l = mem_alloc(sizeof *l);
    struct text path = {0};
    text_add(&path, "%s%s%s", at->path, *at->path ? "." : "", name);
    char *words = text_take(&path);
    void *copy = kind ? mem_alloc(kind->bytes ? kind->bytes : 1) : NULL;
    if (!l || !words || (kind && !copy) || !list_reserve(m->layers, m->nlayers + 1, m->capacity)) {
        mem_free(l);
        mem_free(words);
        mem_free(copy);
        fault_memory(fault, sizeof *l);
        return NULL;
    }
    if (kind && kind->bytes) memcpy(copy, options, kind->bytes);
    *l =
        (ty_layer){.model = m, .parent = at, .next = at->child, .path = words, .kind = kind, .options = copy};
    l->name = words + strlen(words) - strlen(name);
    l->place = location_layer(words);
    l->index = m->nlayers;
    l->rank = -1;
    at->child = m->layers[m->nlayers++] = l;
    return l;
}

static bool check_name(const char *name, struct fault *fault) {
    bool well = *name && strlen(name) < 128 && !strchr(name, '.');
    return well || fault_set(fault, E_ARGUMENT,
                             "layer: invalid name \"%.130s\"; expected 1 to 127 bytes without a dot", name);
}

/* Return the layer `name` inside `at` for a call, created if new; a NULL name is numbered automatically.
   NULL sets the fault, also if the layer had another kind or options. */
static ty_layer *layer_enter(ty_layer *at, const char *name, const ty_layer_kind *kind, const void *options,
                             struct fault *fault) {
    char by_number[160];
    ty_model *m = at->model;
    int number = 0;
    if (m->fault.set && !fault_copy(fault, &m->fault)) return NULL;
    if (!name) {
        number = numbered(at, kind) + 1;
        snprintf(by_number, sizeof by_number, "%.120s%d", prefix_of(kind), number);
        name = by_number;
    } else if (!check_name(name, fault)) {
        return NULL;
    }
    ty_layer *l = find(at, name);
    if (l && !check_again(l, kind, options, fault)) return NULL;
    if (!l) l = make(at, name, kind, options, fault);
    if (!l) return NULL;
    if (l->pass != m->pass) l->calls = 0, l->operations = 0;
    l->pass = m->pass;
    l->numbered = number;
    l->calls++;
    /* Automatic numbering restarts in each call. */
    for (ty_layer *c = l->child; c; c = c->next) c->numbered = 0;
    return l;
}

ty_layer *ty_layer_in(ty_layer *at, const char *name) {
    struct fault fault = {0};
    at = layer_of(at);
    if (!name) fault_set(&fault, E_ARGUMENT, "layer: the name is NULL");
    ty_layer *l = fault.set ? NULL : layer_enter(at, name, NULL, NULL, &fault);
    if (l) return l;
    /* Inner layers report this fault until the end of the pass. */
    if (at->model != &model_null && !at->model->fault.set) fault_copy(&at->model->pass_fault, &fault);
    return at;
}

const char *ty_layer_path(const ty_layer *self) { return layer_of(self)->path; }
bool ty_layer_trains(const ty_layer *self) { return layer_of(self)->model->key != NULL; }
ty_dtype ty_layer_dtype(const ty_layer *self) {
    ty_dtype dtype = layer_of(self)->model->options.compute;
    return dtype ? dtype : TY_F32;
}

ty_tensor *ty_layer_key(ty_layer *self) {
    self = layer_of(self);
    if (!self->model->key) return NULL;
    ty_tensor *key = ty_fold(self->model->key, (uint64_t)self->index + 1);
    return self->calls > 1 ? ty_fold(key, (uint64_t)self->calls) : key;
}

void ty_layer_count(ty_layer *self, double operations) {
    self = layer_of(self);
    if (self->parent) self->operations += operations;
}

/* ---- calls ---- */

/* Check the arguments of a call of a layer, its n operands included, and that neither model nor pass has
   failed; false sets the fault. */
static bool check_call(const ty_layer *at, const ty_layer_kind *kind, int n, ty_tensor *const *x,
                       struct fault *fault) {
    if (at->model->fault.set) return fault_copy(fault, &at->model->fault);
    if (at->model->pass_fault.set) return fault_copy(fault, &at->model->pass_fault);
    if (!kind || !kind->forward || !kind->name)
        return fault_set(fault, E_ARGUMENT, "layer: the kind, its name or its function is NULL");
    if (!OPTIONS_UNUSED(kind, kind->name, fault)) return false;
    if (kind->results > MOST_RESULTS)
        return fault_set(fault, E_LIMIT, "%s: a kind with %d results, expected at most %d", kind->name,
                         kind->results, MOST_RESULTS);
    int operands = kind->operands ? kind->operands : 1;
    if (n < 0 || (operands > 0 && n != operands))
        return fault_set(fault, E_ARGUMENT, "%s: %d tensors, expected %d", kind->name, n,
                         operands > 0 ? operands : 0);
    return !n || x || fault_set(fault, E_ARGUMENT, "%s: the array of %d tensors is NULL", kind->name, n);
}

/* Return poison for the first poisoned or missing operand of x[0..n), NULL if there is none. Kinds with any
   number of operands may have NULL ones. */
static ty_tensor *bad_operand(ty_layer *at, const ty_layer_kind *kind, int n, ty_tensor *const *x) {
    for (int i = 0; i < n; i++) {
        if (!x[i] && kind->operands >= 0)
            return layer_refuse(at, E_ARGUMENT, "%s: operand %d is NULL", kind->name, i + 1);
        if (x[i] && !ty_ok(x[i])) return ty_poison_code(ty_error_code(x[i]), "%s", ty_error(x[i]));
    }
    return NULL;
}

static void note(ty_layer *l, const ty_tensor *y) {
    l->dtype = ty_dtype_of(y);
    l->rank = ty_rank(y);
    memcpy(l->shape, ty_shape(y), (size_t)l->rank * sizeof *l->shape);
}

/* Run the layer's forward function on n operands; y[0..results) receives its results. False sets the fault,
   also if one is missing or poison. */
static bool run(ty_layer *self, int n, ty_tensor *const *x, int results, ty_tensor **y, struct fault *fault) {
    for (int i = 0; i < results; i++) y[i] = NULL;
    struct scope_fence fence = scope_fence();
    const char *outer = location_now.layer;
    location_now.layer = self->place;
    self->kind->forward(self, self->options, n, x, y);
    location_now.layer = outer;
    if (!scope_fence_join(fence, self->path, fault)) return false;
    for (int i = 0; i < results; i++) {
        if (!y[i]) return fault_set(fault, E_USER, "its function did not set result %d", i);
        if (!ty_ok(y[i])) return fault_tensor(fault, y[i]);
    }
    note(self, y[0]);
    if (self->model->watch) self->model->watch(self->model->watcher, self, n ? x[0] : NULL, y[0]);
    return true;
}

/* Enter layer `name` at `at`, making it if it is new, and run its function on n operands; y[] receives its
   results. Return NULL on success, else poison; all that the call made is then undone. */
static ty_tensor *enter_and_run(ty_layer *at, const char *name, const ty_layer_kind *kind,
                                const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    struct fault fault = {0};
    ty_model *m = at->model;
    struct extent before = model_extent(m);
    ty_tensor *poison = NULL;
    if (!m->nesting++) m->told = 0;
    ty_layer *self = layer_enter(at, name, kind, options, &fault);
    if (!self)
        poison = layer_refuse(at, fault.code, "%s", fault.text);
    else if (!run(self, n, x, kind->results > 0 ? kind->results : 1, y, &fault))
        poison = layer_refuse(self, fault.code, "%s", fault.text);
    if (poison) model_cut(m, before);
    m->nesting--;
    return poison;
}

/* Replace the options *given of `size` bytes by a struct of kind->bytes bytes.  *own, which the caller frees, is a copy
   if the sizes differ, else NULL.  False sets the fault. */
static bool known_options(const ty_layer_kind *kind, const void **given, size_t size, void **own,
                          struct fault *fault) {
    if (!kind->bytes || (*given && size == kind->bytes)) return true;
    *own = mem_alloc(kind->bytes);
    if (!*own) return fault_memory(fault, kind->bytes);
    const void *options = *given;
    *given = *own;
    return options_read(*own, kind->bytes, options, size, kind->name, fault);
}

void ty_layer_call(ty_layer *at, const char *name, const ty_layer_kind *kind, const void *options,
                   size_t size, int n, ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    void *own = NULL;
    at = layer_of(at);
    if (!y) return;
    ty_tensor *poison = NULL;
    if (!check_call(at, kind, n, x, &fault) || !known_options(kind, &options, size, &own, &fault))
        poison = layer_refuse(at, fault.code, "%s", fault.text);
    else if (!(poison = bad_operand(at, kind, n, x)))
        poison = enter_and_run(at, name, kind, options, n, x, y);
    int results = kind && kind->results > 0 ? kind->results : 1;
    if (poison) results_poisoned(results < MOST_RESULTS ? results : MOST_RESULTS, y, poison);
    mem_free(own);
}

ty_tensor *layer_one(ty_layer *at, const char *name, const ty_layer_kind *kind, const void *options,
                     size_t size, int n, ty_tensor *const *x) {
    ty_tensor *y[MOST_RESULTS] = {NULL};
    ty_layer_call(at, name, kind, options, size, n, x, y);
    return y[0];
}
