/* Models of ONNX from texts of their messages (wire_text.h, tests/onnx/pieces.h). */
#ifndef TESTS_SUPPORT_ONNX_MODELS_H
#define TESTS_SUPPORT_ONNX_MODELS_H
#include <tyto/onnx.h>

/* Load the model of a text, which may fail (ty_onnx_error).  The test owns it and its bytes. */
ty_onnx *load_model(const char *text, bool eager);
/* Load the model of a text, and check that it has no error. */
ty_onnx *load_valid_model(const char *text, bool eager);
#endif
