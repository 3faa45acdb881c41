/* Picks the loop of a row (or of the cast) from the table of the ISA in use. */
#include "engine/cpu/elementwise/loop_tables.h"

#if defined(__x86_64__)
static const cpu_loop *const *const elementwise[ISA_COUNT] = {elementwise_base, elementwise_avx2,
                                                              elementwise_avx512};
static const cpu_loop *const *const casts[ISA_COUNT] = {cast_base, cast_avx2, cast_avx512};
#else
static const cpu_loop *const *const elementwise[ISA_COUNT] = {elementwise_base, elementwise_base,
                                                              elementwise_base};
static const cpu_loop *const *const casts[ISA_COUNT] = {cast_base, cast_base, cast_base};
#endif

cpu_loop cpu_loop_find(const struct op *op, ty_dtype in, ty_dtype out) {
    if (!dtype_valid(in) || !dtype_valid(out)) return NULL;
    if (op == &op_cast) return casts[isa_current()][in][out];
    return op->row >= 0 ? elementwise[isa_current()][in][op->row] : NULL;
}
