/* Copies of variables of a training: of the best epoch, and of the state before a search. */
#include <tyto/create.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "nn/trainer.h"

void trainer_copies_drop(int n, ty_tensor **copies) {
    for (int i = 0; i < n; i++) ty_release(copies[i]);
}

bool trainer_copies_make(int n, ty_tensor *const *list, const char *prefix, ty_tensor **copies,
                         struct fault *fault) {
    int made = 0;
    ty_scope *scope = ty_open();
    for (int i = 0; i < n && !fault->set; i++) {
        struct text name = {0};
        text_add(&name, "%s%s", prefix, ty_name(list[i]));
        ty_tensor *copy = ty_var(ty_zeros_like(ty_eval(ty_detach(list[i]))), name.data);
        if (name.failed)
            fault_memory(fault, name.length);
        else if (!ty_ok(copy))
            fault_tensor(fault, copy);
        else
            copies[made++] = ty_retain(copy);
        text_drop(&name);
    }
    ty_close(scope);
    if (fault->set) trainer_copies_drop(made, copies);
    return !fault->set;
}

bool trainer_copy(int n, ty_tensor *const *to, ty_tensor *const *from, struct fault *fault) {
    ty_tensor **values = mem_array((size_t)n + 1, sizeof *values), *error = NULL;
    if (!values) return fault_memory(fault, (size_t)n * sizeof *values);
    ty_scope *scope = ty_open();
    for (int i = 0; i < n; i++) values[i] = ty_detach(from[i]);
    bool done = ty_assign_all(n, to, values, &error); /* the fault may be an earlier one, of a failed save */
    if (!done)
        fault_set(fault, error ? ty_error_code(error) : E_INTERNAL, "%s",
                  error ? ty_error(error) : "trainer: variables could not be copied");
    ty_close(scope);
    mem_free(values);
    return done;
}
