/* Declarations of the structural operators, op_<symbol>. */
#ifndef OPS_CORE_OPERATORS_H
#define OPS_CORE_OPERATORS_H
#include "ops/core/op.h"

#define OPERATOR(symbol) extern const struct op op_##symbol;
#include "ops/core/operators.def"
#undef OPERATOR
#endif
