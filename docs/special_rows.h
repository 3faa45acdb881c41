/* Read by docs/special.awk, after the C preprocessor: each row of special functions as  ROW "name" bound "doc". */
#define EXACT "0.5" "" ""
#define ULP(n) #n "" ""
#define WITHIN(ulps, complex_ulps, tiny, why) #ulps "" why
#define AROUND(ulps, around, tiny, why) #ulps #around why
#define OP1(name, in, out, value, gx, error, low, high, onnx, doc) ROW "x" #name error doc
#define OP2(name, in, out, value, ga, gb, error, low, high, onnx, doc) ROW "a, b" #name error doc
#define OP3(name, in, out, value, ga, gb, gc, error, low, high, onnx, doc) ROW "a, b, c" #name error doc
GROUP "special"
#include <tyto/rows/special.def>
GROUP "bessel"
#include <tyto/rows/bessel.def>
GROUP "integral"
#include <tyto/rows/integral.def>
GROUP "polynomial"
#include <tyto/rows/polynomial.def>
