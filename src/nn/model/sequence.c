/* Sequences of layers given as values. */
#include "nn/model/model.h"
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/options.h"
#include <tyto/create.h>

/* Options of a sequence: n layers given as values. */
struct sequence {
    int n;
    ty_layer_value *steps; /* the layers; names and options are owned copies */
};

ty_tensor *ty_layer_sequence(ty_layer *at, int n, const ty_layer_value *steps, ty_tensor *x) {
    if (layer_of(at)->model->fault.set)
        return layer_refuse(at, layer_of(at)->model->fault.code, "%s", layer_of(at)->model->fault.text);
    if (n < 0 || (n && !steps))
        return layer_refuse(at, E_ARGUMENT, "a sequence of %d steps; expected 0 or more, and their array", n);
    for (int i = 0; i < n; i++)
        x = layer_one(at, steps[i].name, steps[i].kind, steps[i].options, steps[i].size, 1, &x);
    return tensor_of(x);
}

static void forward(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    const struct sequence *s = context;
    (void)n;
    y[0] = ty_layer_sequence(self, s->n, s->steps, x[0]);
}

/* Free a sequence; the model's release function. */
static void drop(const void *context) {
    struct sequence *s = (struct sequence *)(uintptr_t)context;
    for (int i = 0; s->steps && i < s->n; i++) {
        mem_free((void *)(uintptr_t)s->steps[i].name);
        mem_free((void *)(uintptr_t)s->steps[i].options);
    }
    mem_free(s->steps);
    mem_free(s);
}

/* Copy step `from`, number i from 0, with its name and options to *to; false sets the fault. What *to then
   has is freed with the sequence. */
static bool copy_step(ty_layer_value *to, const ty_layer_value *from, int i, struct fault *fault) {
    if (!from->kind) return fault_set(fault, E_ARGUMENT, "model: step %d has no kind", i);
    size_t bytes = from->kind->bytes;
    void *options = mem_alloc(bytes ? bytes : 1);
    char *name = from->name ? mem_copy_text(from->name) : NULL;
    *to = (ty_layer_value){from->kind, name, options, bytes};
    if (!options || (from->name && !name)) return fault_memory(fault, bytes);
    return !bytes || options_read(options, bytes, from->options, from->size, from->kind->name, fault);
}

/* Return a copy of n steps, which drop frees. NULL sets the fault: invalid arguments, or no memory. After
   other faults, which are set, the copy is partial. */
static struct sequence *copy(int n, const ty_layer_value *steps, struct fault *fault) {
    if ((n < 0 || (n && !steps)) &&
        !fault_set(fault, E_ARGUMENT, "model: a sequence of %d steps; expected 0 or more, and their array",
                   n))
        return NULL;
    struct sequence *s = mem_alloc(sizeof *s);
    ty_layer_value *own = mem_array((size_t)n + 1, sizeof *own);
    if (!s || !own) {
        mem_free(s);
        mem_free(own);
        fault_memory(fault, (size_t)n * sizeof *own);
        return NULL;
    }
    *s = (struct sequence){n, own};
    for (int i = 0; i < n && !fault->set; i++) copy_step(&own[i], &steps[i], i, fault);
    return s;
}

ty_model *ty_model_sequence_sized(int n, const ty_layer_value *steps, const ty_model_options *given,
                                  size_t given_size) {
    OPTIONS_OR(ty_model_options, options, given, given_size, model_failed(&options_fault));
    struct fault fault = {0};
    struct sequence *s = copy(n, steps, &fault);
    options.context_bytes = 0;
    ty_model *m = model_new_owning(forward, s, drop, options);
    if (m->fault.set) return m; /* may be the static model that stands for exhausted memory */
    if (m->options.inputs != 1 || m->options.results != 1)
        fault_set(&fault, E_ARGUMENT, "model: a sequence has one operand and one result");
    if (fault.set) fault_copy(&m->fault, &fault);
    return m;
}
