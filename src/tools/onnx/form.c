/* Declared forms as text and as shapes. */
#include "tools/onnx/form.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/nearest.h"
#include "onnx/reserve.h"
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

/* Return the size that the texts NAME=SIZE give an axis; 0 if there is none. */
static int64_t size_of(const ty_onnx_port *port, int axis, const struct option_list *sizes) {
    for (int i = 0; i < sizes->n; i++) {
        size_t n = strcspn(sizes->items[i], "=");
        if (onnx_size_named(port, axis, sizes->items[i], n))
            return strtoll(sizes->items[i] + n + 1, NULL, 10);
    }
    return 0;
}

bool form_size_given(const ty_onnx_port *port, int axis, const struct option_list *sizes) {
    return size_of(port, axis, sizes) > 0;
}

/* Print on stderr that sizes of the form become 1, and how --size names that of an axis. */
static void note_sizes(const ty_onnx_port *port, int axis) {
    struct text t = {0};
    form_add(&t, port);
    char *form = text_take(&t);
    const char *of = form ? form : "it", *symbol = port->symbols[axis];
    if (*symbol)
        complain("input %s: note: open sizes of %s become 1; --size %s=N gives another", port->name, of,
                 symbol);
    else
        complain("input %s: note: sizes ? of %s have no name and become 1; --size %s.%d=N gives another",
                 port->name, of, port->name, axis);
    mem_free(form);
}

bool form_sizes(const ty_onnx_port *port, const struct option_list *sizes, int64_t *shape) {
    if (port->rank < 0 || port->rank > TY_MAX_RANK)
        return complain("input %s: give it a file; its rank is %s", port->name,
                        port->rank < 0 ? "unknown" : "too large") == EXIT_SUCCESS;
    int unnamed = -1, named = -1; /* axis 0 with a name is a batch, which may well have one example */
    for (int i = 0; i < port->rank; i++) {
        int64_t given = port->shape[i] >= 0 ? 0 : size_of(port, i, sizes);
        bool open = port->shape[i] < 0 && !given;
        if (open && !*port->symbols[i] && unnamed < 0) unnamed = i;
        if (open && *port->symbols[i] && i && named < 0) named = i;
        shape[i] = port->shape[i] >= 0 ? port->shape[i] : given ? given : 1;
    }
    if (unnamed >= 0 || named >= 0) note_sizes(port, unnamed >= 0 ? unnamed : named);
    return true;
}

/* Return true if the wanted name is that of an open size; else offer all symbols for a hint. */
static bool offer_symbols(const ty_onnx *m, struct nearest *near) {
    ty_onnx_port port;
    for (int i = 0; ty_onnx_input(m, i, &port); i++)
        for (int axis = 0; axis < port.rank; axis++) {
            if (port.shape[axis] < 0 && onnx_size_named(&port, axis, near->wanted, strlen(near->wanted)))
                return true;
            if (*port.symbols[axis]) nearest_offer(near, port.symbols[axis]);
        }
    return false;
}

bool form_sizes_known(const ty_onnx *m, const struct option_list *sizes) {
    for (int i = 0; i < sizes->n; i++) {
        char name[256];
        struct nearest near = {.wanted = name};
        snprintf(name, sizeof name, "%.*s", (int)strcspn(sizes->items[i], "="), sizes->items[i]);
        if (!offer_symbols(m, &near))
            return complain("--size %s: no input has a size %s%s", sizes->items[i], name,
                            nearest_known(&near, (char[NEAREST_KNOWN]){0})) == EXIT_SUCCESS;
    }
    return true;
}
