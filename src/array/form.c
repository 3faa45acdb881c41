/* Dtypes and shapes in messages; all messages about lack of memory for elements are made here. */
#include "array/form.h"
#include <stdio.h>
#include "array/dtype.h"
#include "array/tensor.h"
#include "base/bytes.h"
#include "base/context/stop.h"

size_t form_words(char *out, size_t capacity, ty_dtype dtype, int rank, const int64_t *shape) {
    size_t n = (size_t)snprintf(out, capacity, "%s[", ty_dtype_name(dtype));
    for (int i = 0; i < rank && n < capacity; i++)
        n += (size_t)snprintf(out + n, capacity - n, i ? ",%lld" : "%lld", (long long)shape[i]);
    if (n < capacity) n += (size_t)snprintf(out + n, capacity - n, "]");
    return n < capacity ? n : capacity - 1;
}

bool form_fault(struct fault *f, ty_dtype dtype, int rank, const int64_t *shape) {
    char form[160], size[BYTES_WORDS];
    if (account_fault(f)) return false;
    form_words(form, sizeof form, dtype, rank, shape);
    uint64_t bytes = (uint64_t)dtype_bytes(dtype, shape_size(rank, shape));
    return fault_set(f, E_MEMORY, "out of memory: %s for %s", bytes_words(size, bytes), form);
}

ty_tensor *form_return(ty_tensor *x, ty_dtype dtype, int rank, const int64_t *shape) {
    struct fault fault = {0};
    if (x) return tensor_return(x);
    form_fault(&fault, dtype, rank, shape);
    return tensor_fault(&fault);
}
