/* Declared forms of a model's inputs and outputs. */
#ifndef TOOLS_ONNX_FORM_H
#define TOOLS_ONNX_FORM_H
#include <tyto/onnx.h>
#include "tools/command.h"

/* Append the form, such as "f32[batch,3,224,224]", with names made safe for a terminal. */
void form_add(struct text *t, const ty_onnx_port *port);
/* Set shape[] to the declared sizes of a tensor. NAME=SIZE in `sizes` gives open sizes, by a symbol or as "x.0"; the
   others are 1, and those without a name are noted on stderr.  False after a message: the rank is unknown or too
   large. */
bool form_sizes(const ty_onnx_port *port, const struct option_list *sizes, int64_t *shape);
/* Return true if the texts NAME=SIZE give the size of an axis. */
bool form_size_given(const ty_onnx_port *port, int axis, const struct option_list *sizes);
/* Return true if all NAME=SIZE in `sizes` name open sizes of the model's inputs; false after a message on
   stderr. */
bool form_sizes_known(const ty_onnx *m, const struct option_list *sizes);
#endif
