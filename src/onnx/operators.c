/* Finds the operators and functions that nodes name. */
#include <string.h>
#include "base/list.h"
#include "onnx/resolve.h"

enum { MOST_LACKS = 1000 }; /* different operators: each is compared with all before it */

static const char *text_of(const char *text) { return text ? text : ""; }

/* Return the opset of a domain that the model or function imports; -1: none. */
static int64_t opset_of(const struct naming *n, const char *domain) {
    int64_t version = -1;
    for (int64_t i = 0; i < n->nopsets; i++)
        if (strcmp(onnx_domain(n->opsets[i].domain), domain) == 0 && n->opsets[i].version > version)
            version = n->opsets[i].version;
    if (version >= 0) return version;
    return n->model->proto->ir_version < 3 ? 1 : -1; /* files of IR version 1 and 2 import nothing */
}

/* Count a node whose operator is in no row. */
static bool lack(struct ty_onnx *model, const char *domain, const char *name, int64_t opset) {
    for (int i = 0; i < model->nlacks; i++) {
        struct onnx_lack *l = &model->lacks[i];
        if (strcmp(l->name, name) == 0 && strcmp(l->domain, domain) == 0 && l->opset == opset)
            return l->count++, true;
    }
    if (model->nlacks == MOST_LACKS)
        return fault_set(&model->fault, E_LIMIT, "%s: more than %d operators are not supported", model->path,
                         MOST_LACKS);
    return list_append(model->lacks, model->nlacks, model->lacks_capacity,
                       (struct onnx_lack){domain, name, opset, 1}) ||
           fault_memory(&model->fault, sizeof *model->lacks);
}

bool resolve_operator(struct naming *n, const struct proto_node *proto, struct onnx_node *node) {
    struct ty_onnx *model = n->model;
    const char *domain = onnx_domain(proto->domain), *name = text_of(proto->op_type);
    node->function = onnx_function_find(model, domain, name, text_of(proto->overload));
    if (node->function) return resolve_function(model, node->function, n->depth + 1);
    node->opset = opset_of(n, domain);
    if (node->opset < 0)
        return fault_set(&model->fault, E_FORMAT, "%s: imports no opset of the domain \"%.100s\" of %.100s",
                         model->path, domain, name);
    node->row = onnx_row_find(domain, name, node->opset);
    return node->row || lack(model, domain, name, node->opset);
}
