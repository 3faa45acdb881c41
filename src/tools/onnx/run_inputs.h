/* Inputs of a model for tyto run: from files, or at random. */
#ifndef TOOLS_ONNX_RUN_INPUTS_H
#define TOOLS_ONNX_RUN_INPUTS_H
#include "onnx/value.h"
#include "tools/onnx/form.h"
#include "tools/options/reader.h"

/* Use a text such as [1, 2] as a value of the form, as an array of a file.  False after a message on stderr. */
bool run_input_written(const ty_onnx_port *port, const char *text, struct onnx_value *out);
/* Read FILE or FILE:KEY as a value of the form: one message (.pb), or an array in any format, cast to the declared
   dtype.  An array with one axis less than declared gets a first axis of size 1.  A picture becomes [H,W,C] or [C,H,W]
   as declared, resized to declared sizes, in 0..1 if floats are declared.  False after a message on stderr. */
bool run_input_read(const ty_onnx_port *port, const char *path, const struct reader_in *reader,
                    struct arena *arena, struct onnx_value *out);
/* Draw a value of the form: floats in -1/2..1/2, integers in 0..3; strings are empty.  k: number of the input.  False after
   a message on stderr. */
bool run_input_draw(const ty_onnx_port *port, const struct option_list *sizes, int k, struct arena *arena,
                    struct onnx_value *out);
#endif
