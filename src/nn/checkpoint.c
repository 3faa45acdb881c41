/* Everything is checked before anything is assigned, so a bad file changes no variable. */
#include "nn/checkpoint.h"
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/context/stop.h"
#include "io/archive.h"
#include "nn/model/model.h"
#include <string.h>
#include <tyto/graph.h>

bool checkpoint_write(const char *path, int n, ty_tensor *const *variables, int nmeta,
                      const char *const *keys, const char *const *values, struct fault *fault) {
    const char **names = mem_array((size_t)n + 1, sizeof *names);
    if (!names) return fault_memory(fault, (size_t)n * sizeof *names);
    for (int i = 0; i < n; i++) names[i] = ty_name(variables[i]);
    ty_tensor *error = NULL;
    ty_scope *scope = ty_open();
    stop_mask(); /* a trainer that is asked to stop still writes the checkpoint that it has begun */
    bool saved = ty_checkpoint_save(path, n, names, variables, nmeta, keys, values, &error);
    stop_unmask();
    if (!saved)
        fault_set(fault, error ? ty_error_code(error) : E_INTERNAL, "%s",
                  error ? ty_error(error) : "the file could not be written");
    ty_close(scope);
    mem_free(names);
    return !fault->set;
}

/* Return true if `value`, read from the file `path`, has the variable's dtype and shape; else set the fault
   and return false. */
static bool fits(const ty_tensor *value, const ty_tensor *variable, const char *path, struct fault *fault) {
    if (!ty_ok(value)) return fault_tensor(fault, value);
    int rank = ty_rank(variable);
    bool equal = ty_rank(value) == rank && ty_dtype_of(value) == ty_dtype_of(variable) &&
                 !memcmp(ty_shape(value), ty_shape(variable), (size_t)rank * sizeof(int64_t));
    return equal ||
           fault_set(fault, E_SHAPE, "%s: %s has %s of %lld elements in %d axes, expected %s of %lld in %d",
                     path, ty_name(variable), ty_dtype_name(ty_dtype_of(value)), (long long)ty_size(value),
                     ty_rank(value), ty_dtype_name(ty_dtype_of(variable)), (long long)ty_size(variable),
                     rank);
}

bool checkpoint_opened(const ty_archive *archive, struct fault *fault) {
    return !archive->fault.set || fault_copy(fault, &archive->fault);
}

bool checkpoint_read(const ty_archive *archive, const char *path, int n, ty_tensor *const *variables,
                     struct fault *fault) {
    if (!checkpoint_opened(archive, fault)) return false;
    ty_tensor **values = mem_array((size_t)n + 1, sizeof *values), *error = NULL;
    if (!values) return fault_memory(fault, (size_t)n * sizeof *values);
    ty_scope *scope = ty_open();
    for (int i = 0; i < n && !fault->set; i++) {
        values[i] = ty_archive_get(archive, ty_name(variables[i]));
        fits(values[i], variables[i], path, fault);
    }
    if (!fault->set && !ty_assign_all(n, variables, values, &error))
        fault_set(fault, error ? ty_error_code(error) : E_INTERNAL, "%s", error ? ty_error(error) : path);
    ty_close(scope);
    mem_free(values);
    return !fault->set;
}
