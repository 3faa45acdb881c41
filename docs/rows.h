/* Read by docs/rows.awk, after the C preprocessor: GROUP "name", then each row as
   ROW "operands" "name" "in" "out" "doc". */
#define OP1(name, in, out, value, gx, error, low, high, onnx, doc) ROW "ty_tensor *x" #name #in #out doc
#define OP2(name, in, out, value, ga, gb, error, low, high, onnx, doc) ROW "ty_tensor *a, ty_tensor *b" #name #in #out doc
#define OP3(name, in, out, value, ga, gb, gc, error, low, high, onnx, doc)                                   \
    ROW "ty_tensor *a, ty_tensor *b, ty_tensor *c" #name #in #out doc
#define ROWS_OF(group) GROUP #group
#include <tyto/elementwise.def>
