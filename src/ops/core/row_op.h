/* Elementwise operators by id, for code that recognises or makes one: ROW_OP(add) is a constant, the address of the
   operator.  Composites call ty_<name> instead. */
#ifndef OPS_CORE_ROW_OP_H
#define OPS_CORE_ROW_OP_H
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"

#define ROW_OP(name) (&row_ops[ROW_##name])
#endif
