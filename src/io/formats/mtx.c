/*
 * Matrix Market as a format of dense matrices. Coordinates are scattered into zeros and duplicates are summed.
 * Always written as a dense file.
 */
#include <inttypes.h>
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/formats/matches.h"
#include "io/formats/matrix_market.h"

bool mtx_matches(const uint8_t *head, size_t n) {
    static const char banner[] = "%%matrixmarket";
    size_t i = 0;
    while (i < sizeof banner - 1 && i < n &&
           (head[i] | (head[i] >= 'A' && head[i] <= 'Z' ? 0x20 : 0)) == banner[i])
        i++;
    return i == sizeof banner - 1;
}

/* Add the value of entry i, from 0, of the file to its element of the row-major matrix `dense`. */
static void add_up(const struct market *m, int64_t i, void *dense) {
    int64_t at = m->indices[2 * i] * m->columns + m->indices[2 * i + 1];
    if (m->field == MARKET_COMPLEX)
        ((double complex *)dense)[at] += ((const double complex *)m->values)[i];
    else if (m->field == MARKET_REAL || m->field == MARKET_PATTERN)
        ((double *)dense)[at] += ((const double *)m->values)[i];
    else /* modulo 2^64, as integer tensors add */
        ((uint64_t *)dense)[at] += ((const uint64_t *)m->values)[i];
}

/* Fill x [rows, columns], whose dtype is the file's, with the matrix; values of duplicate entries are
   added. False sets the fault. */
static bool fill(struct market *m, ty_tensor *x) {
    if (tensor_size(x)) memset(tensor_data(x), 0, tensor_bytes(x));
    if (m->array) return market_read_array(m, tensor_data(x));
    if (!market_read_entries(m)) return false;
    for (int64_t i = 0; i < m->count; i++) add_up(m, i, tensor_data(x));
    return true;
}

/* Return a new uninitialised value [rows, columns] for the dense matrix; the caller owns it. NULL sets a's
   fault, also above the unpack limit. */
static ty_tensor *make(struct ty_archive *a, const struct market *m) {
    int64_t shape[] = {m->rows, m->columns}, size;
    ty_dtype dtype = market_dtype(m);
    uint64_t bytes;
    if (__builtin_mul_overflow((uint64_t)m->rows * dtype_table[dtype].size, (uint64_t)m->columns, &bytes))
        bytes = UINT64_MAX;
    if (bytes > unpack_limit(a->input, &a->options)) {
        fault_set(&a->fault, E_LIMIT,
                  "%s: %" PRId64 " by %" PRId64 " would take %" PRIu64
                  " bytes, more than the allowed %" PRIu64
                  ": read it as a sparse matrix (ty_matrix_market_load), or allow more (.most_bytes; "
                  "--most-bytes of tyto)",
                  m->name, m->rows, m->columns, bytes, unpack_limit(a->input, &a->options));
        return NULL;
    }
    if (!shape_check(2, shape, dtype_table[dtype].size, &size)) {
        fault_set(&a->fault, E_MEMORY, "%s: its sizes exceed memory", m->name);
        return NULL;
    }
    ty_tensor *x = tensor_new_value(dtype, 2, shape);
    if (!x) fault_memory(&a->fault, (size_t)bytes);
    return x;
}

bool mtx_open(struct ty_archive *a) {
    size_t n = 0;
    struct archive_entry *e = archive_single(a);
    char *text = e ? market_text(a->input, &a->options, &n, &a->fault) : NULL;
    struct market m = {.name = a->input->name, .at = text, .end = text + n, .fault = &a->fault};
    if (!a->input->exact) m.most = unpack_limit(a->input, &a->options);
    bool ok = !a->fault.set && market_read_head(&m) && (a->held = make(a, &m)) && fill(&m, a->held);
    if (ok) {
        e->dtype = a->held->dtype;
        ok = entry_shape(e, &a->arena, 2, a->held->layout.shape, &a->fault);
    }
    market_drop(&m);
    mem_free(text);
    return ok;
}

ty_tensor *mtx_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault) {
    (void)e, (void)fault;
    return tensor_share(a->held);
}

bool mtx_write(struct writing *w) {
    enum { FLUSH = 1 << 16 };
    struct text t = {0};
    if (!writing_single(w, "mtx") || !writing_numbers(w, "mtx")) return false;
    const ty_tensor *x = w->tensors[0];
    int rank = x->layout.rank;
    if (rank > 2)
        return fault_set(w->fault, E_SHAPE,
                         "save: mtx holds a matrix, but the tensor has %d axes: reshape it", rank);
    int64_t rows = rank > 0 ? x->layout.shape[0] : 1, columns = rank > 1 ? x->layout.shape[1] : 1;
    size_t size = dtype_table[x->dtype].size;
    text_add(&t, "%%%%MatrixMarket matrix array %s general\n%" PRId64 " %" PRId64 "\n",
             market_field(x->dtype), rows, columns);
    bool ok = true;
    for (int64_t k = 0; k < columns && ok; k++)
        for (int64_t i = 0; i < rows && ok; i++) {
            market_add_value(&t, x->dtype, (const char *)tensor_data(x) + (size_t)(i * columns + k) * size);
            text_add(&t, "\n");
            if (t.length >= FLUSH) ok = output_text(w->out, &t);
        }
    ok = ok && output_text(w->out, &t);
    text_drop(&t);
    return ok;
}
