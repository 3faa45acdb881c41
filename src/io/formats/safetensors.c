/* The header of a safetensors file, checked for consistency with itself and with the size of the data. */
#include "io/formats/safetensors.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array/layout.h"
#include "base/alloc.h"
#include "io/json.h"

const char *const safetensors_dtypes[DTYPE_ROWS] = {
    [TY_BOOL] = "BOOL",       [TY_I8] = "I8",           [TY_I16] = "I16",    [TY_I32] = "I32",
    [TY_I64] = "I64",         [TY_U8] = "U8",           [TY_U16] = "U16",    [TY_U32] = "U32",
    [TY_U64] = "U64",         [TY_F16] = "F16",         [TY_BF16] = "BF16",  [TY_F32] = "F32",
    [TY_F64] = "F64",         [TY_C64] = "C64",         [TY_C128] = "C128",  [TY_F8_E4M3FN] = "F8_E4M3",
    [TY_F8_E5M2] = "F8_E5M2", [TY_F8_E8M0] = "F8_E8M0", [TY_F4_E2M1] = "F4",
};

/* nesting: header, entry, list of sizes */
enum { MOST_DEPTH = 3 };

/* State of parsing one header. */
struct parser {
    const char *name;
    uint64_t data_bytes;
    struct arena *arena;
    struct fault *fault;
};

static bool out_of_memory(struct parser *p) { return fault_memory(p->fault, sizeof(struct archive_entry)); }

static const char *copy_text(struct parser *p, const char *text) {
    const char *copy = arena_copy(p->arena, text, strlen(text) + 1);
    if (!copy) out_of_memory(p);
    return copy;
}

/* Parse the metadata, a JSON object of texts, into header->pairs; false sets p's fault. */
static bool parse_pairs(struct parser *p, const struct json *object, struct archive_index *header) {
    if (!json_is(object, JSON_OBJECT))
        return fault_set(p->fault, E_FORMAT, "%s: __metadata__ is not an object of strings", p->name);
    header->pairs = arena_array(p->arena, object->count + 1, sizeof *header->pairs);
    if (!header->pairs) return out_of_memory(p);
    for (size_t i = 0; i < object->count; i++) {
        const struct json *value = &object->items[i];
        if (!json_text(value))
            return fault_set(p->fault, E_FORMAT, "%s: __metadata__ \"%.100s\" is not a string", p->name,
                             value->key);
        struct archive_pair pair = {copy_text(p, value->key), copy_text(p, value->text)};
        if (!pair.key || !pair.value) return false;
        header->pairs[header->npairs++] = pair;
    }
    return true;
}

/* Parse the JSON text `value`, the name of a dtype, into e->dtype; false sets the fault, also for a dtype
   that Tyto lacks. */
static bool parse_dtype(struct parser *p, const struct json *value, struct archive_entry *e) {
    const char *text = json_text(value);
    if (!text) return fault_set(p->fault, E_FORMAT, "%s: tensor \"%.100s\" has no dtype", p->name, e->name);
    for (int d = 0; d < DTYPE_ROWS; d++)
        if (safetensors_dtypes[d] && strcmp(text, safetensors_dtypes[d]) == 0) {
            e->dtype = (ty_dtype)d;
            return true;
        }
    return fault_set(p->fault, E_FORMAT,
                     "%s: tensor \"%.100s\" has dtype %.40s, which is not supported: save it as F32 or BF16",
                     p->name, e->name, text);
}

/* Parse a JSON list of up to TY_MAX_RANK sizes >= 0; return them, *n of them, in memory of the arena. If it
   is no such list, *n is -1 and the result NULL; the fault is set only if memory is exhausted. */
static int64_t *parse_sizes(struct parser *p, const struct json *array, int *n) {
    size_t count = json_count(array);
    *n = -1;
    if (!json_is(array, JSON_LIST) || count > TY_MAX_RANK) return NULL;
    int64_t *sizes = arena_array(p->arena, count + 1, sizeof *sizes);
    if (!sizes) {
        out_of_memory(p);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (!json_integer(json_at(array, i), &sizes[i]) || sizes[i] < 0) return NULL;
    }
    *n = (int)count;
    return sizes;
}

/* Parse shape and data offsets of a tensor from its object into e, and check that its bytes match shape and
   dtype; false sets the fault. */
static bool parse_place(struct parser *p, const struct json *object, struct archive_entry *e) {
    int noffsets;
    int64_t elements;
    e->shape = parse_sizes(p, json_get(object, "shape"), &e->rank);
    if (e->rank < 0)
        return fault_set(p->fault, E_FORMAT,
                         "%s: the shape of tensor \"%.100s\" is not a list of up to %d sizes", p->name,
                         e->name, TY_MAX_RANK);
    const int64_t *offsets = parse_sizes(p, json_get(object, "data_offsets"), &noffsets);
    if (noffsets != 2)
        return fault_set(p->fault, E_FORMAT, "%s: the data_offsets of tensor \"%.100s\" are not two numbers",
                         p->name, e->name);
    e->begin = (uint64_t)offsets[0];
    e->end = (uint64_t)offsets[1];
    if (e->begin > e->end || e->end > p->data_bytes)
        return fault_set(p->fault, E_FORMAT,
                         "%s: tensor \"%.100s\" is at bytes %" PRIu64 " to %" PRIu64 ", beyond the %" PRIu64
                         " bytes of data",
                         p->name, e->name, e->begin, e->end, p->data_bytes);
    size_t size = dtype_table[e->dtype].size;
    if (!shape_check(e->rank, e->shape, size, &elements) ||
        (uint64_t)dtype_bytes(e->dtype, elements) != e->end - e->begin)
        return fault_set(p->fault, E_FORMAT,
                         "%s: tensor \"%.100s\" has %" PRIu64
                         " bytes, which do not match its shape and dtype %s",
                         p->name, e->name, e->end - e->begin, safetensors_dtypes[e->dtype]);
    return true;
}

/* Parse the tensor `name` from its object into e: name, dtype, shape and data offsets; false sets the
   fault. */
static bool parse_entry(struct parser *p, const char *name, const struct json *object,
                        struct archive_entry *e) {
    e->name = copy_text(p, name);
    if (!e->name) return false;
    if (!json_is(object, JSON_OBJECT) || json_count(object) != 3)
        return fault_set(p->fault, E_FORMAT,
                         "%s: tensor \"%.100s\" is not described by dtype, shape and data_offsets", p->name,
                         name);
    return parse_dtype(p, json_get(object, "dtype"), e) && parse_place(p, object, e);
}

/* Compare two entries by begin, end and name: for qsort. */
static int by_place(const void *left, const void *right) {
    const struct archive_entry *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end) return a->end < b->end ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Sort the tensors by offset, and return true if they cover the data without gaps or overlaps; else set the
   fault. */
static bool check_holes(struct parser *p, struct archive_index *header) {
    uint64_t end = 0;
    if (header->count) qsort(header->entries, (size_t)header->count, sizeof *header->entries, by_place);
    for (int i = 0; i < header->count; i++) {
        const struct archive_entry *e = &header->entries[i];
        if (e->begin != end)
            return fault_set(p->fault, E_FORMAT,
                             "%s: tensor \"%.100s\" begins at byte %" PRIu64
                             ", but the one before it ends at %" PRIu64,
                             p->name, e->name, e->begin, end);
        end = e->end;
    }
    if (end == p->data_bytes) return true;
    return fault_set(p->fault, E_FORMAT,
                     "%s: the tensors end at byte %" PRIu64 " of %" PRIu64 " bytes of data", p->name, end,
                     p->data_bytes);
}

/* Parse the whole header into `header`: its metadata and its tensors, which must cover the data without
   gaps. False sets the fault. */
static bool parse_root(struct parser *p, const struct json *root, struct archive_index *header) {
    if (!json_is(root, JSON_OBJECT))
        return fault_set(p->fault, E_FORMAT, "%s: the header is not a JSON object", p->name);
    header->entries = arena_array(p->arena, root->count + 1, sizeof *header->entries);
    if (!header->entries) return out_of_memory(p);
    for (size_t i = 0; i < root->count; i++) {
        const struct json *value = &root->items[i];
        bool ok = strcmp(value->key, SAFETENSORS_METADATA) == 0
                      ? parse_pairs(p, value, header)
                      : parse_entry(p, value->key, value, &header->entries[header->count++]);
        if (!ok) return false;
    }
    return check_holes(p, header);
}

/* ---- c128, which the format lacks ---- */

static int by_name(const void *left, const void *right) {
    return strcmp((*(struct archive_entry *const *)left)->name,
                  (*(struct archive_entry *const *)right)->name);
}

static bool is_ours(const struct archive_pair *pair) {
    return !strncmp(pair->key, SAFETENSORS_COMPLEX, sizeof SAFETENSORS_COMPLEX - 1) &&
           !strcmp(pair->value, "C128");
}

/* Turn entry e of f64 [.., 2] into c128 [..] in place; return false, with e unchanged, for any other dtype
   or shape. */
static bool make_complex(struct archive_entry *e) {
    if (e->dtype != TY_F64 || e->rank < 1 || e->shape[e->rank - 1] != 2) return false;
    e->dtype = TY_C128;
    e->rank--;
    return true;
}

/* Turn entries that our metadata marks as complex into C128 and remove these marks from header's pairs;
   false sets the fault: no memory. */
static bool take_complex(struct parser *p, struct archive_index *header) {
    size_t n = (size_t)header->count, kept = 0;
    struct archive_entry **sorted = mem_array(n + 1, sizeof *sorted);
    if (!sorted) return out_of_memory(p);
    for (size_t i = 0; i < n; i++) sorted[i] = &header->entries[i];
    qsort(sorted, n, sizeof *sorted, by_name);
    for (int i = 0; i < header->npairs; i++) {
        const struct archive_pair *pair = &header->pairs[i];
        bool ours = is_ours(pair);
        struct archive_entry wanted = {.name = ours ? pair->key + sizeof SAFETENSORS_COMPLEX - 1 : ""},
                             *key = &wanted;
        struct archive_entry **e = ours ? bsearch(&key, sorted, n, sizeof *sorted, by_name) : NULL;
        if (!e || !make_complex(*e)) header->pairs[kept++] = *pair;
    }
    header->npairs = (int)kept;
    mem_free(sorted);
    return true;
}

bool safetensors_parse(struct archive_index *header, const char *name, const char *json, size_t n,
                       uint64_t data_bytes, uint64_t most, struct arena *arena, struct fault *fault) {
    struct parser p = {name, data_bytes, arena, fault};
    memset(header, 0, sizeof *header);
    struct json *root = json_read(name, "the header", json, n, MOST_DEPTH, most, fault);
    bool ok = root && parse_root(&p, root, header);
    ok = ok && (!header->npairs || take_complex(&p, header));
    mem_free(root);
    return ok;
}
