/* Interprets bytes as a graph: the result is a message, or a graph that can be shown, written and read
   again to the same text. */
#include <string.h>
#include <tyto/io.h>
#include <tyto/tyto.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_OUTPUTS = 16 };
static const ty_file_options options = {.most_bytes = 1 << 24};

/* Write the graph's outputs and updates. Returns the bytes, owned by the caller; NULL: refused, as memory
   may run out. */
static void *written(const ty_graph *g, int n, ty_tensor **outputs, size_t *size) {
    const char *names[MOST_OUTPUTS];
    int nupdates;
    const ty_update *updates = ty_graph_updates(g, &nupdates);
    for (int i = 0; i < n; i++) {
        names[i] = ty_graph_name(g, i);
        outputs[i] = ty_graph_at(g, i);
    }
    ty_graph_options o = {.updates = updates, .nupdates = nupdates, .no_values = true};
    return ty_graph_bytes(n, names, outputs, o, size, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ty_scope *scope = ty_open();
    ty_graph *g = ty_graph_parse(data, size, options), *again = NULL;
    ty_tensor *outputs[MOST_OUTPUTS];
    int n = ty_graph_count(g);
    size_t bytes;
    if (*ty_graph_error(g) && n) __builtin_trap();
    if (!*ty_graph_error(g) && n <= MOST_OUTPUTS) {
        void *file = written(g, n, outputs, &bytes);
        char *first = ty_text(n, outputs), *second = NULL;
        if (file) again = ty_graph_parse(file, bytes, options);
        if (again && !*ty_graph_error(again)) {
            for (int i = 0; i < n; i++) outputs[i] = ty_graph_at(again, i);
            second = ty_text(n, outputs);
        }
        if (first && second && strlen(first) != strlen(second)) __builtin_trap();
        ty_free(first);
        ty_free(second);
        ty_free(file);
    }
    ty_graph_free(again);
    ty_graph_free(g);
    ty_close(scope);
    return 0;
}
