/* Pieces of models in the notation of tests/support/wire_text.h, named as in onnx.proto. */
#ifndef TESTS_ONNX_PIECES_H
#define TESTS_ONNX_PIECES_H

enum { OPSET = 21 };
#define MODEL_OF(opsets, graph) "1=10 " opsets "7{2'g'" graph "}"
#define OPSET_OF(domain, version) "8{1'" domain "'2=" #version "}"
#define MODEL(graph) MODEL_OF(OPSET_OF("", 21), graph)
#define MS_MODEL(graph) MODEL_OF(OPSET_OF("", 21) OPSET_OF("com.microsoft", 1), graph)
#define ML_MODEL(graph) MODEL_OF(OPSET_OF("", 21) OPSET_OF("ai.onnx.ml", 5), graph)

/* Dimensions of values: D(2) and symbols; dtypes are numbers of TensorProto.DataType, 1: f32, 7: i64, 8: string,
   9: bool. */
#define D(n) "1{1=" #n "}"
#define SYMBOL(name) "1{2'" name "'}"
#define VALUE(name, dtype, dims) "1'" name "'2{1{1=" #dtype " 2{" dims "}}}"
#define IN(name, dtype, dims) "11{" VALUE(name, dtype, dims) "}"
#define OUT(name, dtype) "12{1'" name "'2{1{1=" #dtype "}}}"
#define X IN("x", 1, D(2))
#define Y OUT("y", 1)

#define NODE(operator, body) "1{4'" operator"'" body "}"
#define ML(operator, body) "1{4'" operator"'7'ai.onnx.ml'" body "}"
#define MS(operator, body) "1{4'" operator"'7'com.microsoft'" body "}"
#define I(name) "1'" name "'"
#define O(name) "2'" name "'"
#define RELU NODE("Relu", I("x") O("y"))
#define TRAIN_MODEL(graph) MODEL_OF(OPSET_OF("", 21) OPSET_OF("ai.onnx.preview.training", 1), graph)
#define GRADIENT(body) "1{4'Gradient'7'ai.onnx.preview.training'" body "}"
#define INT(name, i) "5{1'" name "'3=" #i " 20=2}"
#define INTS(name, ints) "5{1'" name "'" ints "20=7}"
#define FLOAT(name, f) "5{1'" name "'2%" #f " 20=1}"
#define FLOATS(name, floats) "5{1'" name "'" floats "20=6}"
#define TEXT(name, text) "5{1'" name "'4'" text "'20=3}"
#define TEXTS(name, texts) "5{1'" name "'" texts "20=8}"
#define TENSOR(name, tensor) "5{1'" name "'5{" tensor "}20=4}"
#define GRAPH(name, graph) "5{1'" name "'6{2'g'" graph "}20=5}"

/* Initialisers, with elements as fields of their own; sizes such as "1=2 1=3 ". */
#define STORED(name, dtype, sizes, elements) "5{8'" name "'2=" #dtype " " sizes elements "}"
#define I64(name, sizes, elements) STORED(name, 7, sizes, elements)
#define F32(name, sizes, elements) STORED(name, 1, sizes, elements)
/* A model of one node on x, f32[2], and an initialiser w. */
#define ON_X(operator, stored, body) MODEL(X Y stored NODE(operator, I("x") I("w") O("y") body))
/* A model of one node without inputs but stored ones. */
#define MAKES(operator, stored, body) MODEL(Y stored NODE(operator, body O("y")))
#endif
