/* Read by docs/rows.awk, after the C preprocessor: GROUP "name", then each row as  ROW "operands" "name" "doc". */
#define OP1(name, in, out, value, gx, error, low, high, onnx, doc) ROW "ty_tensor *x" #name doc
#define OP2(name, in, out, value, ga, gb, error, low, high, onnx, doc) ROW "ty_tensor *a, ty_tensor *b" #name doc
#define OP3(name, in, out, value, ga, gb, gc, error, low, high, onnx, doc)                                   \
    ROW "ty_tensor *a, ty_tensor *b, ty_tensor *c" #name doc
#define ROWS_OF(group) GROUP #group
#include <tyto/elementwise.def>
