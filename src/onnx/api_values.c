/* Values of the caller's. */
#include <string.h>
#include <tyto/graph.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "onnx/api.h"

static struct ty_onnx_value null_value = {.fault = {true, E_ARGUMENT, "the value is NULL"}, .fixed = true};
static struct ty_onnx_value no_memory = {.fault = {true, E_MEMORY, "out of memory"}, .fixed = true};

static const struct ty_onnx_value *value_of(const ty_onnx_value *value) {
    return value ? value : &null_value;
}

ty_onnx_value *onnx_value_failed(const struct fault *fault) {
    struct ty_onnx_value *value = mem_alloc(sizeof *value);
    if (!value) return &no_memory;
    value->fault = *fault;
    return value;
}

/* Copy a value with its lists and strings to an arena; its tensors get a reference more.  False: no memory. */
static bool copy_value(struct arena *arena, const struct onnx_value *from, struct onnx_value *to,
                       struct fault *fault) {
    *to = (struct onnx_value){.kind = from->kind};
    if (from->kind == ONNX_TENSOR) {
        ty_tensor *value = ty_eval(from->tensor);
        if (!ty_ok(value)) return fault_tensor(fault, value);
        return to->tensor = ty_retain(value), true;
    }
    if (from->kind == ONNX_STRINGS) {
        const struct onnx_strings *s = from->strings;
        struct wire_bytes *items = arena_array(arena, (size_t)s->n + 1, sizeof *items);
        if (!items) return fault_memory(fault, sizeof *items);
        for (int64_t i = 0; i < s->n; i++) {
            char *bytes = arena_alloc(arena, s->items[i].n + 1);
            if (!bytes) return fault_memory(fault, s->items[i].n);
            if (s->items[i].n) memcpy(bytes, s->items[i].at, s->items[i].n);
            items[i] = (struct wire_bytes){(const uint8_t *)bytes, s->items[i].n};
        }
        *to = onnx_value_strings(arena, s->rank, s->shape, items, fault);
        return to->kind == ONNX_STRINGS;
    }
    int64_t n = from->list ? from->list->n : 0;
    struct onnx_list *list = arena_alloc(arena, sizeof *list);
    struct onnx_value *items = arena_array(arena, (size_t)n + 1, sizeof *items);
    if (!list || !items) return fault_memory(fault, (size_t)n * sizeof *items);
    *list = (struct onnx_list){0, items, NULL};
    to->list = list;
    bool good = true;
    while (good && list->n < n) { /* an item that fails counts, too: items in it may have references */
        int64_t i = list->n++;
        good = copy_value(arena, &from->list->items[i], &items[i], fault);
    }
    return good;
}

ty_onnx_value *onnx_value_give(const struct onnx_value *from) {
    struct ty_onnx_value *value = mem_alloc(sizeof *value);
    if (!value) return &no_memory;
    ty_scope *scope = ty_open(); /* of the references that ty_eval adds */
    copy_value(&value->arena, from, &value->value, &value->fault);
    ty_close(scope);
    return value;
}

ty_onnx_value *ty_onnx_value_new(ty_tensor *x) {
    struct onnx_value value = onnx_value_tensor(tensor_of(x));
    return onnx_value_give(&value);
}

static ty_onnx_value *refused(ty_code code, const char *why) {
    struct fault fault;
    fault_clear(&fault);
    fault_set(&fault, code, "%s", why);
    return onnx_value_failed(&fault);
}

ty_onnx_value *ty_onnx_value_strings(int rank, const int64_t *shape, const char *const *texts,
                                     const size_t *lengths) {
    int64_t n;
    if (rank > 0 && !shape) return refused(E_ARGUMENT, "onnx_value_strings: the shape is NULL");
    if (!shape_check(rank, shape, sizeof(struct wire_bytes), &n))
        return refused(E_SHAPE, "onnx_value_strings: the shape is invalid");
    if (n && !texts) return refused(E_ARGUMENT, "onnx_value_strings: the texts are NULL");
    struct wire_bytes *items = mem_array((size_t)n + 1, sizeof *items);
    if (!items) return &no_memory;
    bool good = true;
    for (int64_t i = 0; i < n && (good = texts[i] != NULL); i++)
        items[i] = (struct wire_bytes){(const uint8_t *)texts[i], lengths ? lengths[i] : strlen(texts[i])};
    struct onnx_strings strings = {rank, shape, n, items};
    struct onnx_value value = {.kind = ONNX_STRINGS, .strings = &strings};
    ty_onnx_value *given =
        good ? onnx_value_give(&value) : refused(E_ARGUMENT, "onnx_value_strings: a text is NULL");
    mem_free(items);
    return given;
}

ty_onnx_value *ty_onnx_value_list(ty_onnx_kind kind, int64_t n, ty_onnx_value *const *items) {
    bool fits =
        kind == TY_ONNX_SEQUENCE || (kind == TY_ONNX_OPTIONAL && n <= 1) || (kind == TY_ONNX_MAP && n == 2);
    if (!fits || n < 0 || (n && !items))
        return refused(
            E_ARGUMENT,
            "onnx_value_list: a sequence has any number of values, an optional at most one, a map two");
    struct onnx_value *all = mem_array((size_t)n + 1, sizeof *all);
    if (!all) return &no_memory;
    const struct fault *fault = NULL;
    for (int64_t i = 0; i < n && !fault; i++) {
        const struct ty_onnx_value *item = value_of(items[i]);
        if (item->fault.set) fault = &item->fault;
        all[i] = item->value;
    }
    struct onnx_list list = {n, all, NULL};
    struct onnx_value value = {.kind = (enum onnx_kind)kind, .list = &list};
    ty_onnx_value *given = fault ? onnx_value_failed(fault) : onnx_value_give(&value);
    mem_free(all);
    return given;
}

ty_onnx_value *ty_onnx_value_parse(ty_onnx_kind kind, const void *bytes, size_t n) {
    struct fault fault;
    fault_clear(&fault);
    struct arena arena = {0};
    struct onnx_value value = {.kind = ONNX_ABSENT};
    if (n && !bytes) return refused(E_ARGUMENT, "onnx_value_parse: bytes is NULL");
    ty_scope *scope = ty_open();
    bool good =
        onnx_read_value("onnx", (enum onnx_kind)kind, (struct wire_bytes){bytes, n}, &arena, &value, &fault);
    ty_onnx_value *given = good ? onnx_value_give(&value) : onnx_value_failed(&fault);
    ty_close(scope);
    arena_drop(&arena);
    return given;
}

void ty_onnx_value_free(ty_onnx_value *value) {
    if (!value || value->fixed) return;
    onnx_value_release(&value->value);
    arena_drop(&value->arena);
    mem_free(value);
}

ty_tensor *ty_onnx_value_failure(const ty_onnx_value *value) {
    return tensor_failure(&value_of(value)->fault);
}

ty_onnx_kind ty_onnx_value_kind(const ty_onnx_value *value) {
    const struct ty_onnx_value *v = value_of(value);
    return v->fault.set ? TY_ONNX_ABSENT : (ty_onnx_kind)v->value.kind;
}

ty_tensor *ty_onnx_value_tensor(const ty_onnx_value *value) {
    const struct ty_onnx_value *v = value_of(value);
    if (v->fault.set) return tensor_fault(&v->fault);
    if (v->value.kind == ONNX_TENSOR) return tensor_share(v->value.tensor);
    return ty_poison_code(E_DTYPE, "onnx_value_tensor: the value is %s", onnx_kind_words(v->value.kind));
}

int64_t ty_onnx_value_count(const ty_onnx_value *value) {
    const struct ty_onnx_value *v = value_of(value);
    if (v->fault.set) return 0;
    return v->value.strings ? v->value.strings->n : v->value.list ? v->value.list->n : 0;
}

ty_onnx_value *ty_onnx_value_item(const ty_onnx_value *value, int64_t i) {
    const struct ty_onnx_value *v = value_of(value);
    if (v->fault.set) return onnx_value_failed(&v->fault);
    if (!v->value.list || i < 0 || i >= v->value.list->n)
        return refused(E_INDEX, "onnx_value_item: there is no such item");
    return onnx_value_give(&v->value.list->items[i]);
}

const char *ty_onnx_value_text(const ty_onnx_value *value, int64_t i, size_t *n) {
    const struct onnx_strings *s = value_of(value)->value.strings;
    bool there = s && i >= 0 && i < s->n;
    if (n) *n = there ? s->items[i].n : 0;
    return there ? (const char *)s->items[i].at : NULL;
}

int ty_onnx_value_shape(const ty_onnx_value *value, const int64_t **shape) {
    const struct onnx_strings *s = value_of(value)->value.strings;
    if (shape) *shape = s ? s->shape : NULL;
    return s ? s->rank : -1;
}
