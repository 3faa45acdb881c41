/* Parameters and states: created on first request, found afterwards. */
#include "base/options.h"
#include "base/list.h"
#include "nn/model/model.h"
#include "array/scope.h"
#include "base/alloc.h"
#include "ops/core/structure.h"
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>

static struct variable_entry *find(const ty_layer *self, const char *name) {
    for (struct variable_entry *e = self->variables; e; e = e->next)
        if (!strcmp(e->name, name)) return e;
    return NULL;
}

static bool same_shape(const ty_tensor *x, int rank, const int64_t *shape) {
    return ty_rank(x) == rank && (!rank || !memcmp(ty_shape(x), shape, (size_t)rank * sizeof *shape));
}

/* Check that variable e, requested again, is of the same kind (parameter or state) and shape. False sets
   the fault. */
static bool check_again(const struct variable_entry *e, const ty_parameter *p, bool is_state,
                        struct fault *fault) {
    static const char *const words[] = {"parameter", "state"};
    if (e->is_state != is_state)
        return fault_set(fault, E_ARGUMENT, "%s is a %s, but was requested as a %s", e->name,
                         words[e->is_state], words[is_state]);
    if (same_shape(e->variable, p->rank, p->shape)) return true;
    return fault_set(
        fault, E_SHAPE,
        "%s has the shape %s, but %s is needed: inputs of a layer keep the sizes of its first call", e->name,
        shape_words((char[WORDS]){0}, ty_rank(e->variable), ty_shape(e->variable)),
        shape_words((char[WORDS]){0}, p->rank, p->shape));
}

/* Return the evaluated initial value of the variable `name`, drawn by init for the shape and dtype of
   `place`; NULL sets the fault, also if the initialiser returns another shape or dtype. */
static ty_tensor *draw(const char *name, const ty_init *init, const ty_place *place, struct fault *fault) {
    struct scope_fence fence = scope_fence();
    ty_tensor *value = ty_eval(scope_fence_result(fence, "initialiser", init->draw(place, init->a, init->b)));
    if (!model_check(fault, name, value)) return NULL;
    bool fits = same_shape(value, place->rank, place->shape) && ty_dtype_of(value) == place->dtype;
    if (!fits)
        fault_set(fault, E_DTYPE, "%s: the initialiser returned another shape or dtype than requested", name);
    return fits ? value : NULL;
}

enum {
    SMALL = 1 << 18
}; /* elements of models, 1 MiB of f32, that are made in any case: their tensors tell what differs */

/* Count the elements of a new variable; false, with the fault set, if the model may not have so many. */
static bool take_elements(ty_model *m, const ty_parameter *p, struct fault *fault) {
    double n = 1;
    for (int i = 0; i < p->rank; i++) n *= (double)p->shape[i];
    m->elements += n;
    return !m->most_elements || m->elements <= m->most_elements || m->elements <= SMALL ||
           fault_set(fault, E_SHAPE, "the file has %.0f elements; expected at least %.0f for this network",
                     m->most_elements, m->elements);
}

/* Make the variable `name` of a layer with its initial value, add it to the model's list, which owns it,
   and return its entry. NULL sets the fault. */
static struct variable_entry *make(ty_layer *self, const char *name, const ty_parameter *p, bool is_state,
                                   struct fault *fault) {
    ty_model *m = self->model;
    struct entries *list = is_state ? &m->states : &m->parameters;
    if (!take_elements(m, p, fault)) return NULL;
    struct text full = {0};
    text_add(&full, "%s%s%s", self->path, *self->path ? "." : "", name);
    struct variable_entry *e = mem_alloc(sizeof *e);
    char *keras = p->keras ? mem_copy_text(p->keras) : NULL;
    if (full.failed || !e || (p->keras && !keras) || !list_reserve(list->at, list->n + 1, list->capacity)) {
        text_drop(&full);
        mem_free(e);
        mem_free(keras);
        fault_memory(fault, sizeof *e);
        return NULL;
    }
    ty_place place = {p->dtype ? p->dtype : m->options.dtype, p->rank, p->shape, p->fan_in, p->fan_out, NULL};
    place.key = ty_fold(ty_key(m->options.seed), (uint64_t)list->n);
    ty_tensor *value = draw(name, &p->init, &place, fault), *variable = NULL;
    if (value) variable = model_variable(m, value, full.data);
    text_drop(&full);
    if (!variable || !model_check(fault, name, variable)) {
        mem_free(e);
        mem_free(keras);
        return NULL;
    }
    *e = (struct variable_entry){.owner = self, .next = self->variables, .variable = ty_retain(variable)};
    memcpy(e->pytorch, p->pytorch, sizeof e->pytorch);
    memcpy(e->keras_axes, p->keras_axes, sizeof e->keras_axes);
    memcpy(e->keras_blocks, p->keras_blocks, sizeof e->keras_blocks);
    e->keras = keras;
    e->keras_join = p->keras_join;
    e->is_state = is_state;
    e->name = ty_name(e->variable) + strlen(self->path) + (*self->path != 0);
    self->variables = list->at[list->n++] = e;
    return e;
}

/* Check the name and shape of a request for a variable, and that neither model nor pass has failed. False
   sets the fault. */
static bool check(const ty_layer *self, const char *name, const ty_parameter *p, struct fault *fault) {
    if (self->model->fault.set) return fault_copy(fault, &self->model->fault);
    if (self->model->pass_fault.set) return fault_copy(fault, &self->model->pass_fault);
    if (!name || !*name) return fault_set(fault, E_ARGUMENT, "the name of a parameter is NULL or empty");
    if (p->rank < 0 || p->rank > TY_MAX_RANK || (p->rank && !p->shape))
        return fault_set(fault, E_SHAPE, "%s: rank %d%s", name, p->rank,
                         p->rank && !p->shape ? " without a shape" : "");
    for (int i = 0; i < p->rank; i++)
        if (p->shape[i] < 0)
            return fault_set(fault, E_ARGUMENT, "%s: size %lld on axis %d is negative", name,
                             (long long)p->shape[i], i);
    return true;
}

/* Return the layer's variable `name`, made as *p says if it is new; an unset initialiser of *p is set to
   the default. NULL sets the fault. */
static struct variable_entry *get(ty_layer *self, const char *name, ty_parameter *p, bool is_state,
                                  struct fault *fault) {
    if (!check(self, name, p, fault)) return NULL;
    if (!p->init.draw) p->init = (ty_init){is_state ? ty_init_zeros : ty_init_glorot_uniform, 0, 0};
    struct variable_entry *e = find(self, name);
    if (e) return check_again(e, p, is_state, fault) ? e : NULL;
    ty_scope *scope = ty_open();
    e = make(self, name, p, is_state, fault);
    ty_close(scope);
    return e;
}

ty_tensor *ty_layer_parameter_sized(ty_layer *self, const char *name, const ty_parameter *given,
                                    size_t given_size) {
    OPTIONS(ty_parameter, p, given, given_size);
    struct fault fault = {0};
    self = layer_of(self);
    struct variable_entry *e = get(self, name, &p, false, &fault);
    if (!e) return layer_refuse(self, fault.code, "%s", fault.text);
    ty_dtype compute = self->model->options.compute;
    return compute == self->model->options.dtype ? e->variable : ty_cast(e->variable, compute);
}

ty_tensor *ty_layer_state_sized(ty_layer *self, const char *name, const ty_parameter *given,
                                size_t given_size) {
    OPTIONS(ty_parameter, p, given, given_size);
    struct fault fault = {0};
    self = layer_of(self);
    struct variable_entry *e = get(self, name, &p, true, &fault);
    if (!e) return layer_refuse(self, fault.code, "%s", fault.text);
    if (e->pending) return e->pending;
    return self->model->options.lazy ? e->variable : ty_detach(e->variable);
}

void ty_layer_set_state(ty_layer *self, const char *name, ty_tensor *value) {
    self = layer_of(self);
    struct variable_entry *e = name ? find(self, name) : NULL;
    if (!self->model->key) return;
    if (!e && !ty_ok(value)) { /* the state failed before, with this reason */
        fault_tensor(&self->model->pass_fault, value);
        return;
    }
    if (!e || !e->is_state) {
        fault_set(&self->model->pass_fault, E_ARGUMENT,
                  "%s%s%s is set, but no state of that name was requested before", self->path,
                  *self->path ? "." : "", name ? name : "NULL");
        return;
    }
    ty_tensor *next = self->model->options.lazy ? value : ty_detach(value);
    next = ty_cast(next, ty_dtype_of(e->variable));
    if (ty_ok(next) && !same_shape(e->variable, ty_rank(next), ty_shape(next)))
        next = layer_refuse(self, E_SHAPE, "the state %s cannot become a tensor of another shape", name);
    if (e->pending) ty_release(e->pending);
    e->pending = ty_retain(next);
}
