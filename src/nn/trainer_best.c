/*
 * The best epoch of a training: variables with copies of the model's parameters and states.  Checkpoints hold them, so
 * that a resumed training goes back to an epoch before the checkpoint.
 */
#include <string.h>
#include <tyto/create.h>
#include <tyto/io.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "nn/trainer.h"

#define BEST "best:" /* a colon marks names of trainers: models skip them on loading */

static int count_of(const ty_trainer *t) { return ty_model_parameters(t->model) + ty_model_states(t->model); }

/* Return variable i of the model: a parameter, or behind these a state. */
static ty_tensor *variable_of(const ty_trainer *t, int i) {
    int parameters = ty_model_parameters(t->model);
    return i < parameters ? ty_model_parameter(t->model, i) : ty_model_state(t->model, i - parameters);
}

void trainer_best_drop(ty_trainer *t) {
    for (int i = 0; i < t->nkept; i++) ty_release(t->kept[i]);
    mem_free(t->kept);
    t->kept = NULL;
    t->nkept = 0;
}

bool trainer_best_make(ty_trainer *t, struct fault *fault) {
    int n = count_of(t);
    t->kept = mem_array((size_t)n + 1, sizeof *t->kept);
    if (!t->kept) return fault_memory(fault, (size_t)n * sizeof *t->kept);
    ty_scope *scope = ty_open();
    for (int i = 0; i < n && !fault->set; i++) {
        struct text name = {0};
        ty_tensor *x = variable_of(t, i);
        text_add(&name, BEST "%s", ty_name(x));
        ty_tensor *copy = ty_var(ty_zeros_like(ty_eval(ty_detach(x))), name.data);
        if (name.failed)
            fault_memory(fault, name.length);
        else if (!ty_ok(copy))
            fault_tensor(fault, copy);
        else
            t->kept[t->nkept++] = ty_retain(copy);
        text_drop(&name);
    }
    ty_close(scope);
    if (fault->set) trainer_best_drop(t);
    return !fault->set;
}

bool trainer_best_held(const ty_trainer *t, const ty_archive *archive) {
    struct text name = {0};
    bool held = false;
    if (count_of(t)) text_add(&name, BEST "%s", ty_name(variable_of(t, 0)));
    for (int i = 0; name.data && i < ty_archive_count(archive) && !held; i++)
        held = !strcmp(ty_archive_name(archive, i), name.data);
    text_drop(&name);
    return held;
}

/* Assign the values of the model's variables to the copies, or `back`. */
static bool assign(ty_trainer *t, bool back, struct fault *fault) {
    size_t n = (size_t)t->nkept;
    ty_tensor **own = mem_array(n + 1, sizeof *own), **values = mem_array(n + 1, sizeof *values),
              *error = NULL;
    ty_scope *scope = ty_open();
    if (!own || !values) fault_memory(fault, n * sizeof *own);
    for (int i = 0; i < t->nkept && !fault->set; i++) {
        own[i] = variable_of(t, i);
        values[i] = ty_detach(back ? t->kept[i] : own[i]);
    }
    if (!fault->set && !ty_assign_all(t->nkept, back ? own : t->kept, values, &error))
        fault_set(fault, error ? ty_error_code(error) : E_INTERNAL, "%s",
                  error ? ty_error(error) : "fit: the best epoch could not be kept");
    ty_close(scope);
    mem_free(own);
    mem_free(values);
    return !fault->set;
}

bool trainer_best_keep(ty_trainer *t, struct fault *fault) {
    return (t->kept || trainer_best_make(t, fault)) && assign(t, false, fault);
}

bool trainer_best_restore(ty_trainer *t, struct fault *fault) { return !t->kept || assign(t, true, fault); }
