/*
 * The best epoch of a training: variables with copies of the model's parameters and states.  Checkpoints hold them, so
 * that a resumed training goes back to an epoch before the checkpoint.
 */
#include <string.h>
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

/* Return a list of the model's variables, which the caller frees; NULL sets the fault. */
static ty_tensor **variables(const ty_trainer *t, struct fault *fault) {
    int n = count_of(t);
    ty_tensor **list = mem_array((size_t)n + 1, sizeof *list);
    if (!list) fault_memory(fault, (size_t)n * sizeof *list);
    for (int i = 0; list && i < n; i++) list[i] = variable_of(t, i);
    return list;
}

void trainer_best_drop(ty_trainer *t) {
    trainer_copies_drop(t->nkept, t->kept);
    mem_free(t->kept);
    t->kept = NULL;
    t->nkept = 0;
}

bool trainer_best_make(ty_trainer *t, struct fault *fault) {
    int n = count_of(t);
    ty_tensor **list = variables(t, fault);
    t->kept = mem_array((size_t)n + 1, sizeof *t->kept);
    if (!t->kept) fault_memory(fault, (size_t)n * sizeof *t->kept);
    if (list && t->kept && trainer_copies_make(n, list, BEST, t->kept, fault)) t->nkept = n;
    mem_free(list);
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
    ty_tensor **own = variables(t, fault);
    bool done = own && trainer_copy(t->nkept, back ? own : t->kept, back ? t->kept : own, fault);
    mem_free(own);
    return done;
}

bool trainer_best_keep(ty_trainer *t, struct fault *fault) {
    return (t->kept || trainer_best_make(t, fault)) && assign(t, false, fault);
}

bool trainer_best_restore(ty_trainer *t, struct fault *fault) { return !t->kept || assign(t, true, fault); }
