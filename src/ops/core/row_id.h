/* Ids of the elementwise operators: for tables of all operators, and through row_op.h for code that recognises one.
   Files that include this are recompiled whenever an operator is added. */
#ifndef OPS_CORE_ROW_ID_H
#define OPS_CORE_ROW_ID_H

/* Operators of a group are consecutive; the first is ROWS_OF_<group>. */
enum row_id {
#define ROWS_OF(group) ROWS_OF_##group, ROWS_BEFORE_##group = ROWS_OF_##group - 1,
#define OP1(name, ...) ROW_##name,
#define OP2(name, ...) ROW_##name,
#define OP3(name, ...) ROW_##name,
#include <tyto/elementwise.def>
    ROWS
};
#endif
