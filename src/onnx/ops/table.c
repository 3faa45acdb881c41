/* The table of operators: the rows of operators.def, then those of the elementwise operators. */
#include <limits.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/linalg.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include <tyto/special.h>
#include "onnx/ops/operators.h"

#define AI ""
#define ML "ai.onnx.ml"
#define PREVIEW "ai.onnx.preview"
#define TRAIN "ai.onnx.preview.training"
#define MS "com.microsoft"
#define LATEST INT_MAX

static const struct onnx_row rows[] = {
#define ROW(domain, name, first, last, function)                                                             \
    {domain, #name, first, last, onnx_op_##function, NULL, NULL, NULL, ONNX_PLAIN},
#define MOVE(domain, name, first, last, function)                                                            \
    {domain, #name, first, last, onnx_op_##function, NULL, NULL, NULL, ONNX_MOVES},
#define VIEW(domain, name, first, last, function)                                                            \
    {domain, #name, first, last, onnx_op_##function, NULL, NULL, NULL, ONNX_VIEWS},
#define RETRACE(domain, name, first, last, function)                                                         \
    {domain, #name, first, last, onnx_op_##function, NULL, NULL, NULL, ONNX_RETRACES},
#define CHOOSE(domain, name, first, last, function)                                                          \
    {domain, #name, first, last, onnx_op_##function, NULL, NULL, NULL, ONNX_CHOOSES},
#define ROW1(domain, name, first, last, function)                                                            \
    {domain, #name, first, last, NULL, function, NULL, NULL, ONNX_PLAIN},
#define ROW2(domain, name, first, last, function)                                                            \
    {domain, #name, first, last, NULL, NULL, function, NULL, ONNX_PLAIN},
#define ROW3(domain, name, first, last, function)                                                            \
    {domain, #name, first, last, NULL, NULL, NULL, function, ONNX_PLAIN},
#include "onnx/ops/operators.def"
#define OP1(name, in, out, value, gradient, error, low, high, onnx, doc)                                     \
    {AI, onnx, 1, LATEST, NULL, ty_##name, NULL, NULL, ONNX_PLAIN},
#define OP2(name, in, out, value, a, b, error, low, high, onnx, doc)                                         \
    {AI, onnx, 1, LATEST, NULL, NULL, ty_##name, NULL, ONNX_PLAIN},
#define OP3(name, in, out, value, a, b, c, error, low, high, onnx, doc)                                      \
    {AI, onnx, 1, LATEST, NULL, NULL, NULL, ty_##name, ONNX_PLAIN},
#include <tyto/elementwise.def>
};

const struct onnx_row *onnx_row_find(const char *domain, const char *name, int64_t opset) {
    if (!*name) return NULL; /* elementwise operators that ONNX lacks have no name */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0 && strcmp(rows[i].domain, domain) == 0 &&
            opset >= rows[i].first && opset <= rows[i].last)
            return &rows[i];
    return NULL;
}

ty_tensor *onnx_legacy_operand(struct onnx_call *call, ty_tensor *a, ty_tensor *b) {
    if (call->opset >= 7 || !onnx_attribute(call, "axis")) return b;
    int axis = onnx_axis(call, "axis", 0, a), after = ty_rank(a) - axis - ty_rank(b);
    for (; after > 0; after--) b = ty_expand(b, -1);
    return b;
}

/* Compute a row of two operands, which have one dtype but for powers. */
static bool run_two(const struct onnx_row *row, struct onnx_call *call) {
    ty_tensor *a = onnx_input(call, 0), *b = onnx_input(call, 1);
    if (!call->fault->set && row->f2 != onnx_power && ty_dtype_of(a) != ty_dtype_of(b))
        return onnx_refuse(call, E_DTYPE, "operands are of %s and %s; expected one dtype",
                           ty_dtype_name(ty_dtype_of(a)), ty_dtype_name(ty_dtype_of(b)));
    return onnx_output(call, 0, row->f2(a, onnx_legacy_operand(call, a, b)));
}

bool onnx_row_run(const struct onnx_row *row, struct onnx_call *call) {
    int operands = row->f1 ? 1 : row->f2 ? 2 : row->f3 ? 3 : call->ninputs;
    if (call->ninputs != operands)
        return onnx_refuse(call, E_ARGUMENT, "takes %d inputs, but has %d", operands, call->ninputs);
    bool moves = row->kind == ONNX_MOVES || row->kind == ONNX_VIEWS;
    if (moves && onnx_takes_strings(call)) return onnx_move_strings(row, call);
    ty_dtype stored = moves ? onnx_takes_stored(call) : TY_DTYPES;
    bool good =
        stored != TY_DTYPES ? onnx_move_stored(row, call, stored)
        : row->f            ? row->f(call)
        : row->f1           ? onnx_output(call, 0, row->f1(onnx_input(call, 0)))
        : row->f2
            ? run_two(row, call)
            : onnx_output(call, 0, row->f3(onnx_input(call, 0), onnx_input(call, 1), onnx_input(call, 2)));
    if (call->fault->set) return false;
    if (!good) return onnx_refuse(call, E_INTERNAL, "failed without a reason");
    for (int i = 0; i < call->noutputs; i++)
        if (call->outputs[i].kind == ONNX_ABSENT && onnx_wants(call, i))
            return onnx_refuse(call, E_UNSUPPORTED, "has no result %d", i);
    return true;
}
