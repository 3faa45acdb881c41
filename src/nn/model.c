/*
 * Models: making one, appending layers, the forward walk.  A failed layer leaves its sentence in the model,
 * which then ignores further calls; the check is made once by whoever uses the model.
 */
#include "nn/model.h"
#include "array/scope.h"
#include "base/alloc.h"
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>

static ty_model no_memory = {.fault = {.set = true, .text = "out of memory: a model could not be made"}};
ty_model model_null = {.fault = {.set = true, .text = "model: NULL where a model belongs"}};

bool model_check(struct fault *fault, const char *what, const ty_tensor *x) {
    return ty_ok(x) ? !fault->set : fault_set(fault, "%s: %s", what, ty_error(x));
}

/* Makes room for one more element of `size` bytes; the array moves. */
static bool make_room(void **array, int count, int *capacity, size_t size, struct fault *fault) {
    if (count < *capacity) return true;
    size_t more = *capacity ? 2 * (size_t)*capacity : 8;
    void *grown = mem_grow(*array, more, size);
    if (!grown) return fault_memory(fault, more * size);
    *array = grown;
    *capacity = (int)more;
    return true;
}

/* The input's pseudo-layer: the shape that the first real layer sees, with a batch axis before. */
static bool set_input(ty_model *m, int rank, const int64_t *shape) {
    if (rank < 0 || rank >= TY_MAX_RANK)
        return fault_set(&m->fault, "model: inputs of rank %d, expected 0 to %d", rank, TY_MAX_RANK - 1);
    if (rank && !shape) return fault_set(&m->fault, "model: NULL where %d sizes belong", rank);
    if (!make_room((void **)&m->layers, 0, &m->capacity, sizeof *m->layers, &m->fault)) return false;
    struct layer *input = &m->layers[m->nlayers++];
    memset(input, 0, sizeof *input);
    input->rank = rank + 1;
    input->shape[0] = 1;
    for (int i = 0; i < rank; i++) {
        input->shape[i + 1] = shape[i];
        if (shape[i] < 1)
            return fault_set(&m->fault, "model: axis %d of the input has size %lld, expected at least 1", i,
                             (long long)shape[i]);
    }
    return true;
}

ty_model *ty_model_new(int rank, const int64_t *shape, ty_model_options options) {
    ty_model *m = mem_alloc(sizeof *m);
    if (!m) return &no_memory;
    m->options = options;
    if (!m->options.dtype) m->options.dtype = TY_F32;
    set_input(m, rank, shape);
    return m;
}

static void layer_drop(struct layer *l) {
    mem_free(l->name);
    mem_free(l->options);
}

void ty_model_free(ty_model *m) {
    if (!m || m == &no_memory) return;
    for (int i = 0; i < m->nlayers; i++) layer_drop(&m->layers[i]);
    for (int i = 0; i < m->nparameters; i++) ty_release(m->parameters[i]);
    mem_free(m->layers);
    mem_free(m->parameters);
    mem_free(m);
}

const char *ty_model_error(const ty_model *m) {
    return model_of(m)->fault.set ? model_of(m)->fault.text : "";
}
bool ty_model_is_lazy(const ty_model *m) { return model_of(m)->options.lazy; }
int ty_model_parameters(const ty_model *m) { return model_of(m)->nparameters; }

ty_tensor *ty_model_parameter(const ty_model *m, int i) {
    m = model_of(m);
    if (i >= 0 && i < m->nparameters) return m->parameters[i];
    return ty_poison("model: parameter %d of %d", i, m->nparameters);
}

/* First values for a parameter, checked. */
static ty_tensor *draw(ty_model *m, const char *name, ty_init init, ty_place place) {
    struct scope_fence fence = scope_fence();
    ty_tensor *value = ty_eval(scope_fence_result(fence, "initialiser", init.draw(place, init.a, init.b)));
    if (!model_check(&m->fault, name, value)) return NULL;
    bool fits = ty_rank(value) == place.rank && ty_dtype_of(value) == place.dtype;
    for (int i = 0; fits && i < place.rank; i++) fits = ty_shape(value)[i] == place.shape[i];
    if (!fits)
        fault_set(&m->fault, "%s: the initialiser returned another shape or dtype than it was asked for",
                  name);
    return fits ? value : NULL;
}

bool model_parameter(ty_model *m, struct layer *l, const char *name, ty_init init, int rank,
                     const int64_t *shape, double fan_in, double fan_out) {
    struct text full = {0};
    text_add(&full, "%s.%s", l->name, name);
    if (full.failed || !make_room((void **)&m->parameters, m->nparameters, &m->parameter_capacity,
                                  sizeof *m->parameters, &m->fault)) {
        text_drop(&full);
        return fault_memory(&m->fault, 0);
    }
    ty_place place = {m->options.dtype, rank, shape, fan_in, fan_out, NULL};
    place.key = ty_fold(ty_key(m->options.seed), (uint64_t)m->nparameters);
    ty_tensor *value = draw(m, full.data, init, place);
    if (value) {
        ty_tensor *parameter = m->options.lazy ? ty_var(value, full.data) : ty_track(value, full.data);
        if (model_check(&m->fault, full.data, parameter)) {
            l->parameters[l->nparameters++] = parameter;
            m->parameters[m->nparameters++] = ty_retain(parameter);
        }
    }
    text_drop(&full);
    return !m->fault.set;
}

/* "conv2" for the second layer whose kind has the prefix "conv". */
static char *layer_name(const ty_model *m, const struct layer_kind *kind) {
    int same = 1;
    for (int i = 1; i < m->nlayers; i++) same += !strcmp(m->layers[i].kind->prefix, kind->prefix);
    struct text t = {0};
    text_add(&t, "%s%d", kind->prefix, same);
    return text_take(&t);
}

/* Records the layer on a promise of a batch of two, to learn the shape of its output. */
static bool find_shape(ty_model *m, struct layer *l, const struct layer *in) {
    int64_t shape[TY_MAX_RANK];
    memcpy(shape, in->shape, sizeof shape);
    shape[0] = 2;
    ty_tensor *x = ty_lazy(ty_broadcast(ty_scalar(m->options.dtype, 0), in->rank, shape));
    if (!model_check(&m->fault, l->name, x)) return false;
    ty_tensor *y = l->kind->forward(m, l, x, NULL);
    if (!model_check(&m->fault, l->name, y)) return false;
    if (ty_rank(y) < 1 || ty_shape(y)[0] != 2)
        return fault_set(&m->fault, "%s: the batch axis was lost; a layer keeps axis 0 as it is", l->name);
    l->rank = ty_rank(y);
    memcpy(l->shape, ty_shape(y), (size_t)l->rank * sizeof *l->shape);
    return true;
}

void model_add(ty_model *m, const struct layer_kind *kind, const void *options) {
    m = model_of(m);
    if (m->fault.set ||
        !make_room((void **)&m->layers, m->nlayers, &m->capacity, sizeof *m->layers, &m->fault))
        return;
    struct layer *l = &m->layers[m->nlayers];
    memset(l, 0, sizeof *l);
    l->kind = kind;
    l->name = layer_name(m, kind);
    l->options = mem_alloc(kind->options);
    m->nlayers++;
    if (!l->name || !l->options) {
        fault_memory(&m->fault, kind->options);
        return;
    }
    memcpy(l->options, options, kind->options);
    ty_scope *scope = ty_open();
    if (!kind->build || kind->build(m, l, l - 1)) find_shape(m, l, l - 1);
    ty_close(scope);
}

/* Whether x is a batch of what the model was made for; else a poisoned tensor. */
static ty_tensor *check_input(const ty_model *m, ty_tensor *x) {
    const struct layer *input = &m->layers[0];
    bool fits = ty_rank(x) == input->rank;
    for (int i = 1; fits && i < input->rank; i++) fits = ty_shape(x)[i] == input->shape[i];
    if (fits || !ty_ok(x)) return x;
    struct text t = {0};
    for (int i = 0; i < ty_rank(x); i++) text_add(&t, i ? ",%lld" : "%lld", (long long)ty_shape(x)[i]);
    text_add(&t, "], expected [batch");
    for (int i = 1; i < input->rank; i++) text_add(&t, ",%lld", (long long)input->shape[i]);
    ty_tensor *poison = t.failed
                            ? ty_poison("out of memory: model: the input has another shape than expected")
                            : ty_poison("model: the input has shape [%s]", t.data);
    text_drop(&t);
    return poison;
}

ty_tensor *ty_model_forward(const ty_model *m, ty_tensor *x, ty_tensor *key) {
    m = model_of(m);
    if (m->fault.set) return ty_poison("%s", m->fault.text);
    x = check_input(m, x);
    for (int i = 1; i < m->nlayers && ty_ok(x); i++) {
        ty_tensor *own = key ? ty_fold(key, (uint64_t)i) : NULL;
        x = m->layers[i].kind->forward(m, &m->layers[i], x, own);
    }
    return tensor_of(x);
}
