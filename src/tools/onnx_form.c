/* Declared forms as text and as shapes. */
#include "tools/onnx_form.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "onnx/value.h"

void form_add(struct text *t, const ty_onnx_port *port) {
    if (port->kind != TY_ONNX_TENSOR && port->kind != TY_ONNX_STRINGS) {
        text_add(t, "%s", onnx_kind_words((enum onnx_kind)port->kind));
        return;
    }
    text_add(t, "%s",
             port->kind == TY_ONNX_STRINGS ? "strings"
             : !port->type                 ? "any"
             : port->dtype != TY_DTYPES    ? ty_dtype_name(port->dtype)
                                           : onnx_type_words(port->type));
    text_add(t, port->rank < 0 ? "[...]" : "[");
    for (int i = 0; i < port->rank; i++) {
        if (i) text_add(t, ",");
        if (port->shape[i] >= 0)
            text_add(t, "%" PRId64, port->shape[i]);
        else
            text_add_visible(t, *port->symbols[i] ? port->symbols[i] : "?");
    }
    if (port->rank >= 0) text_add(t, "]");
}

/* Return the size that the texts NAME=SIZE give a symbol; 1 if there is none. */
static int64_t size_of(const char *symbol, const struct option_list *sizes) {
    size_t n = strlen(symbol);
    for (int i = 0; n && i < sizes->n; i++)
        if (!strncmp(sizes->items[i], symbol, n) && sizes->items[i][n] == '=')
            return strtoll(sizes->items[i] + n + 1, NULL, 10);
    return 1;
}

bool form_sizes(const ty_onnx_port *port, const struct option_list *sizes, int64_t *shape) {
    if (port->rank < 0 || port->rank > TY_MAX_RANK)
        return complain("input %s: give it a file; its rank is %s", port->name,
                        port->rank < 0 ? "unknown" : "too large") == EXIT_SUCCESS;
    for (int i = 0; i < port->rank; i++)
        shape[i] = port->shape[i] >= 0 ? port->shape[i] : size_of(port->symbols[i], sizes);
    return true;
}
