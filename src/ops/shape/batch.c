#include "ops/shape/batch.h"
#include <tyto/shape.h>
#include "base/alloc.h"
#include "ops/core/structure.h"

ty_tensor *batch_repeat(ty_tensor *x, int64_t n) {
    int64_t shape[TY_MAX_RANK + 1];
    if (!ty_ok(x)) return x;
    int rank = ty_rank(x);
    shape[0] = n;
    if (rank) memcpy(shape + 1, ty_shape(x), sizeof *shape * (size_t)rank);
    return ty_broadcast(x, rank + 1, shape);
}

ty_tensor *batch_operand(const struct batch *b, int i) {
    return b->batched[i] ? b->x[i] : batch_repeat(b->x[i], b->n);
}

ty_tensor *batch_leading(const struct batch *b, int i) {
    return b->batched[i] ? b->x[i] : ty_expand(b->x[i], 0);
}

ty_tensor *batch_align(ty_tensor *x, int rank) {
    int64_t shape[TY_MAX_RANK + 1];
    if (!ty_ok(x)) return x;
    int own = ty_rank(x) - 1, more = rank - own;
    if (more <= 0) return x;
    shape[0] = ty_shape(x)[0];
    for (int i = 0; i < more; i++) shape[1 + i] = 1;
    if (own) memcpy(shape + 1 + more, ty_shape(x) + 1, sizeof *shape * (size_t)own);
    return ty_reshape(x, rank + 1, shape);
}

/* Return y's operator recorded again on the operands that operand(b, i) returns for each i. Poison on
   failure. */
static ty_tensor *with_operands(const struct batch *b, ty_tensor *(*operand)(const struct batch *b, int i)) {
    enum { USUAL = 8 };
    size_t n = (size_t)b->y->ninputs;
    ty_tensor *room[USUAL] = {0}, **x = n <= USUAL ? room : mem_array(n, sizeof *x);
    if (!x) return tensor_out_of_memory();
    for (int i = 0; i < b->y->ninputs; i++) x[i] = operand(b, i);
    ty_tensor *y = batch_record(b, x);
    if (x != room) mem_free(x);
    return y;
}

ty_tensor *batch_shifted(const struct batch *b) { return with_operands(b, batch_operand); }

static ty_tensor *aligned_operand(const struct batch *b, int i) {
    return b->batched[i] ? batch_align(b->x[i], b->y->layout.rank) : b->x[i];
}

ty_tensor *batch_aligned(const struct batch *b) { return with_operands(b, aligned_operand); }
