/* Variables of saved graphs by name. */
#ifndef TOOLS_GRAPH_H
#define TOOLS_GRAPH_H
#include <tyto/io.h>

/* Return the variable of a name of the graph in the file `path`; poison after a message on stderr. */
ty_tensor *graph_variable(const ty_graph *g, const char *path, const char *name);
#endif
