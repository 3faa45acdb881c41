/* The number of each elementwise row.  Whoever includes this is compiled anew when a row comes or goes: it is for
   tables of all rows; a composite calls ty_<name>. */
#ifndef OPS_CORE_ROW_ID_H
#define OPS_CORE_ROW_ID_H

/* The rows of a group are neighbours: the first one is ROWS_OF_<group>. */
enum row_id {
#define ROWS_OF(group) ROWS_OF_##group, ROWS_BEFORE_##group = ROWS_OF_##group - 1,
#define OP1(name, ...) ROW_##name,
#define OP2(name, ...) ROW_##name,
#define OP3(name, ...) ROW_##name,
#include <tyto/elementwise.def>
    ROWS
};
#endif
