/* Finds the loop of an operator or cast in the table of its group and the current instruction set. */
#include "engine/cpu/cpu.h"
#include "engine/cpu/elementwise/loop_tables.h"
#include "ops/core/row_id.h"

#define OP1(...)
#define OP2(...)
#define OP3(...)
#define ROWS_OF(group)                                                                                       \
    extern cpu_row_loops elementwise_##group##_base, elementwise_##group##_avx2, elementwise_##group##_avx512;
#include <tyto/elementwise.def>

/* The groups in ascending order of their first operator. */
static const struct {
    int first;
    const cpu_loop *const *loops[ISA_COUNT];
} groups[] = {
#define OP1(...)
#define OP2(...)
#define OP3(...)
#define ROWS_OF(group) {ROWS_OF_##group, ISA_TABLE(elementwise_##group##_)},
#include <tyto/elementwise.def>
};
static const cpu_loop *const *const casts[ISA_COUNT] = ISA_TABLE(cast_);

static cpu_loop row_loop(int row, ty_dtype dtype) {
    int group = sizeof groups / sizeof *groups - 1;
    while (groups[group].first > row) group--;
    return groups[group].loops[isa_current()][dtype][row - groups[group].first];
}

cpu_loop cpu_loop_find(const struct op *op, ty_dtype in, ty_dtype out) {
    if (!dtype_valid(in) || !dtype_valid(out)) return NULL;
    if (op == &op_cast) return casts[isa_current()][in][out];
    return op->row >= 0 ? row_loop(op->row, in) : NULL;
}
