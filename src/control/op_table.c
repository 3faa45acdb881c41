/* Table of all operators, NULL at its end: elementwise rows, then the operators of operators.def. */
#include <string.h>
#include "ops/core/elementwise.h"
#include "ops/core/operators.h"
#include "ops/core/row_id.h"

const struct op *const op_table[] = {
#define OP1(name, ...) &row_ops[ROW_##name],
#define OP2(name, ...) &row_ops[ROW_##name],
#define OP3(name, ...) &row_ops[ROW_##name],
#include <tyto/elementwise.def>
#define OPERATOR(symbol) &op_##symbol,
#include "ops/core/operators.def"
#undef OPERATOR
    NULL};

const struct op *op_find(const char *name) {
    for (const struct op *const *op = op_table; *op; op++)
        if (!strcmp((*op)->name, name)) return *op;
    return NULL;
}
