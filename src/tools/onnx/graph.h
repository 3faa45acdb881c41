/* A model of ONNX as a graph, for tyto graph. */
#ifndef TOOLS_ONNX_GRAPH_H
#define TOOLS_ONNX_GRAPH_H
#include <tyto/io.h>
#include "tools/command.h"

/* Return true for names of models, and for streams, after streams_keep, that begin as models do. */
bool onnx_graph_is(const char *path);
/* Record the model of a file on variables named as its inputs, with declared sizes (form_sizes) and zeros as values;
   floating initialisers are variables, too.  The graph has the model's outputs of the given names; no names: all.  The
   caller frees it; NULL after a message on stderr. */
ty_graph *onnx_graph_read(const char *path, const struct option_list *sizes,
                          const struct option_list *outputs);
#endif
