/* Checks the head of a model before its graphs are resolved: versions, opsets, names of functions. */
#include <string.h>
#include "base/hash.h"
#include "onnx/resolve.h"

enum {
    NEWEST_IR = 14,    /* of onnx 1.23: later ones may change what a file means */
    NEWEST_OPSET = 28, /* of ai.onnx, as above */
    MOST_OPSETS =
        1000, /* imports of one model; models have up to ten, and each is compared with all before it */
};

static const char *text_of(const char *text) { return text ? text : ""; }

const char *onnx_domain(const char *domain) {
    domain = text_of(domain);
    return strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

/* ---- opsets ---- */

static bool check_opset(struct ty_onnx *m, int64_t i, const struct proto_opset *opsets) {
    const char *domain = onnx_domain(opsets[i].domain);
    int64_t version = opsets[i].version;
    if (version < 1)
        return fault_set(&m->fault, E_FORMAT, "%s: imports opset %lld of the domain \"%.100s\"", m->path,
                         (long long)version, domain);
    if (!*domain && version > NEWEST_OPSET)
        return fault_set(&m->fault, E_UNSUPPORTED,
                         "%s: imports opset %lld, but %d is the last one that is known", m->path,
                         (long long)version, NEWEST_OPSET);
    for (int64_t k = 0; k < i; k++)
        if (opsets[k].version != version && strcmp(onnx_domain(opsets[k].domain), domain) == 0)
            return fault_set(&m->fault, E_FORMAT,
                             "%s: imports the opsets %lld and %lld of the domain \"%.100s\"", m->path,
                             (long long)opsets[k].version, (long long)version, domain);
    return true;
}

static bool check_opsets(struct ty_onnx *m, int64_t n, const struct proto_opset *opsets) {
    if (n > MOST_OPSETS)
        return fault_set(&m->fault, E_LIMIT, "%s: imports more than %d opsets", m->path, MOST_OPSETS);
    for (int64_t i = 0; i < n; i++)
        if (!check_opset(m, i, opsets)) return false;
    return true;
}

/* ---- functions ---- */

/* Return the number of a function of these names, and its key; -1, and a free key behind those of its hash, if there is
   none. */
static int64_t function_of(const struct ty_onnx *m, const char *domain, const char *name,
                           const char *overload, uint64_t *key) {
    *key = hash_bytes(name, strlen(name));
    for (int64_t *found; (found = map_find(&m->function_map, *key)); ++*key) {
        const struct proto_function *f = m->functions[*found].proto;
        if (strcmp(text_of(f->name), name) == 0 && strcmp(onnx_domain(f->domain), domain) == 0 &&
            strcmp(text_of(f->overload), overload) == 0)
            return *found;
    }
    return -1;
}

struct onnx_function *onnx_function_find(struct ty_onnx *m, const char *domain, const char *name,
                                         const char *overload) {
    uint64_t key;
    int64_t i = function_of(m, domain, name, overload, &key);
    return i < 0 ? NULL : &m->functions[i];
}

static bool add_function(struct ty_onnx *m, int64_t i) {
    const struct proto_function *f = m->functions[i].proto;
    uint64_t key;
    if (function_of(m, onnx_domain(f->domain), text_of(f->name), text_of(f->overload), &key) >= 0)
        return fault_set(&m->fault, E_FORMAT, "%s: the function %.100s is defined twice", m->path,
                         text_of(f->name));
    if (!map_put(&m->function_map, key, i, NULL)) return fault_memory(&m->fault, sizeof(struct map_entry));
    return check_opsets(m, f->opsets.n, f->opsets.items);
}

bool onnx_check_head(struct ty_onnx *m) {
    const struct proto_model *proto = m->proto;
    if (proto->ir_version < 1 || proto->ir_version > NEWEST_IR)
        return fault_set(&m->fault, E_UNSUPPORTED, "%s: the IR version is %lld; expected 1 to %d", m->path,
                         (long long)proto->ir_version, NEWEST_IR);
    if (!check_opsets(m, proto->opsets.n, proto->opsets.items)) return false;
    m->nfunctions = (int)proto->functions.n;
    m->functions = arena_array(&m->arena, (size_t)m->nfunctions + 1, sizeof *m->functions);
    if (!m->functions) return fault_memory(&m->fault, sizeof *m->functions);
    for (int i = 0; i < m->nfunctions; i++) {
        m->functions[i].proto = &proto->functions.items[i];
        if (!add_function(m, i)) return false;
    }
    return true;
}
