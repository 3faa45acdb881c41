/* The header of a safetensors file: what it says is believed only after it agrees with itself and the file.
 */
#include "io/safetensors.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array/layout.h"
#include "base/alloc.h"

const char *const safetensors_dtypes[TY_DTYPES] = {
    [TY_BOOL] = "BOOL", [TY_I8] = "I8",   [TY_I16] = "I16", [TY_I32] = "I32", [TY_I64] = "I64",
    [TY_U8] = "U8",     [TY_U16] = "U16", [TY_U32] = "U32", [TY_U64] = "U64", [TY_F16] = "F16",
    [TY_BF16] = "BF16", [TY_F32] = "F32", [TY_F64] = "F64", [TY_C64] = "C64", [TY_C128] = "C128",
};

#ifdef TY_HAVE_JANSSON
#include <jansson.h>

/* Header, entry, list of sizes: nothing is nested deeper. */
enum { MOST_DEPTH = 3, VALUE_BYTES = 100 }; /* what jansson takes for a key or a value, on average */

struct parser {
    const char *name;
    uint64_t data_bytes, most;
    struct arena *arena;
    struct fault *fault;
};

static bool out_of_memory(struct parser *p) { return fault_memory(p->fault, sizeof(struct archive_entry)); }

/*
 * The form of the header is tested before the parser sees it, which recurses and gives every two bytes of "[]," a
 * hundred: texts and objects in an object, in these texts and short lists of numbers.
 */
struct form {
    int depth, items; /* items: of the list that is open */
    bool in_text;
    uint64_t values;
};

static bool wrong_form(struct parser *p) {
    return fault_set(
        p->fault,
        "%s: the header is no object of objects, __metadata__ too, with texts and lists of up to %d sizes",
        p->name, TY_MAX_RANK);
}

/* One sign outside texts. */
static bool check_sign(struct parser *p, struct form *f, char c) {
    if (c == '{' || c == '[') {
        if (f->depth == MOST_DEPTH)
            return fault_set(p->fault, "%s: the header is nested deeper than the format", p->name);
        if ((c == '[') != (f->depth == MOST_DEPTH - 1)) return wrong_form(p);
        f->depth++;
        f->items = 1;
    }
    if (c == '}' || c == ']') f->depth--;
    if (c == ',' && f->depth == MOST_DEPTH && ++f->items > TY_MAX_RANK) return wrong_form(p);
    f->values += c == ',' || c == ':' || c == '{' || c == '[';
    return true;
}

static bool check_form(struct parser *p, const char *json, size_t n) {
    struct form f = {0};
    for (size_t i = 0; i < n; i++) {
        if (f.in_text && json[i] == '\\')
            i++;
        else if (json[i] == '"')
            f.in_text = !f.in_text;
        else if (!f.in_text && !check_sign(p, &f, json[i]))
            return false;
    }
    return f.values <= p->most / VALUE_BYTES ||
           fault_set(p->fault,
                     "%s: the header has %" PRIu64
                     " values, more than a file of so many bytes is allowed to have: if "
                     "it is to be trusted, allow more bytes (.most_bytes; tyto convert --most-bytes)",
                     p->name, f.values);
}

static const char *copy_text(struct parser *p, const char *text) {
    const char *copy = arena_copy(p->arena, text, strlen(text) + 1);
    if (!copy) out_of_memory(p);
    return copy;
}

static bool parse_pairs(struct parser *p, json_t *object, struct archive_index *header) {
    const char *key;
    json_t *value;
    if (!json_is_object(object)) return fault_set(p->fault, "%s: __metadata__ is not an object", p->name);
    header->pairs = arena_array(p->arena, json_object_size(object) + 1, sizeof *header->pairs);
    if (!header->pairs) return out_of_memory(p);
    json_object_foreach(object, key, value) {
        if (!json_is_string(value))
            return fault_set(p->fault, "%s: __metadata__ \"%.100s\" is not a text", p->name, key);
        struct archive_pair pair = {copy_text(p, key), copy_text(p, json_string_value(value))};
        if (!pair.key || !pair.value) return false;
        header->pairs[header->npairs++] = pair;
    }
    return true;
}

static bool parse_dtype(struct parser *p, json_t *value, struct archive_entry *e) {
    const char *text = json_string_value(value);
    if (!text) return fault_set(p->fault, "%s: tensor \"%.100s\" has no dtype", p->name, e->name);
    for (int d = 0; d < TY_DTYPES; d++)
        if (strcmp(text, safetensors_dtypes[d]) == 0) {
            e->dtype = (ty_dtype)d;
            return true;
        }
    return fault_set(p->fault,
                     "%s: tensor \"%.100s\" has dtype %.40s, which is not supported: save it as F32 or BF16",
                     p->name, e->name, text);
}

/* An array of n sizes that are not negative; *n is -1 when it is none. */
static int64_t *parse_sizes(struct parser *p, json_t *array, int *n) {
    size_t count = json_array_size(array);
    *n = -1;
    if (!json_is_array(array) || count > TY_MAX_RANK) return NULL;
    int64_t *sizes = arena_array(p->arena, count + 1, sizeof *sizes);
    if (!sizes) {
        out_of_memory(p);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        json_t *item = json_array_get(array, i);
        if (!json_is_integer(item) || json_integer_value(item) < 0) return NULL;
        sizes[i] = json_integer_value(item);
    }
    *n = (int)count;
    return sizes;
}

static bool parse_place(struct parser *p, json_t *object, struct archive_entry *e) {
    int noffsets;
    int64_t elements;
    e->shape = parse_sizes(p, json_object_get(object, "shape"), &e->rank);
    if (e->rank < 0)
        return fault_set(p->fault, "%s: the shape of tensor \"%.100s\" is not a list of up to %d sizes",
                         p->name, e->name, TY_MAX_RANK);
    const int64_t *offsets = parse_sizes(p, json_object_get(object, "data_offsets"), &noffsets);
    if (noffsets != 2)
        return fault_set(p->fault, "%s: the data_offsets of tensor \"%.100s\" are not two numbers", p->name,
                         e->name);
    e->begin = (uint64_t)offsets[0];
    e->end = (uint64_t)offsets[1];
    if (e->begin > e->end || e->end > p->data_bytes)
        return fault_set(p->fault,
                         "%s: tensor \"%.100s\" lies at bytes %" PRIu64 " to %" PRIu64 " of %" PRIu64
                         " that are there",
                         p->name, e->name, e->begin, e->end, p->data_bytes);
    size_t size = dtype_table[e->dtype].size;
    if (!shape_check(e->rank, e->shape, size, &elements) || (uint64_t)elements * size != e->end - e->begin)
        return fault_set(p->fault,
                         "%s: tensor \"%.100s\" has %" PRIu64
                         " bytes, which do not agree with its shape and dtype %s",
                         p->name, e->name, e->end - e->begin, safetensors_dtypes[e->dtype]);
    return true;
}

static bool parse_entry(struct parser *p, const char *name, json_t *object, struct archive_entry *e) {
    e->name = copy_text(p, name);
    if (!e->name) return false;
    if (!json_is_object(object) || json_object_size(object) != 3)
        return fault_set(p->fault, "%s: tensor \"%.100s\" is not described by dtype, shape and data_offsets",
                         p->name, name);
    return parse_dtype(p, json_object_get(object, "dtype"), e) && parse_place(p, object, e);
}

static int by_place(const void *left, const void *right) {
    const struct archive_entry *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end) return a->end < b->end ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Every byte of the data belongs to one tensor. */
static bool check_holes(struct parser *p, struct archive_index *header) {
    uint64_t end = 0;
    if (header->count) qsort(header->entries, (size_t)header->count, sizeof *header->entries, by_place);
    for (int i = 0; i < header->count; i++) {
        const struct archive_entry *e = &header->entries[i];
        if (e->begin != end)
            return fault_set(p->fault,
                             "%s: tensor \"%.100s\" begins at byte %" PRIu64
                             ", but the one before it ends at %" PRIu64,
                             p->name, e->name, e->begin, end);
        end = e->end;
    }
    if (end == p->data_bytes) return true;
    return fault_set(p->fault, "%s: the tensors end at byte %" PRIu64 " of %" PRIu64 " bytes of data",
                     p->name, end, p->data_bytes);
}

static bool parse_root(struct parser *p, json_t *root, struct archive_index *header) {
    const char *key;
    json_t *value;
    if (!json_is_object(root)) return fault_set(p->fault, "%s: the header is not a JSON object", p->name);
    header->entries = arena_array(p->arena, json_object_size(root) + 1, sizeof *header->entries);
    if (!header->entries) return out_of_memory(p);
    json_object_foreach(root, key, value) {
        bool metadata = strcmp(key, SAFETENSORS_METADATA) == 0;
        bool ok = metadata ? parse_pairs(p, value, header)
                           : parse_entry(p, key, value, &header->entries[header->count++]);
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

static bool make_complex(struct archive_entry *e) {
    if (e->dtype != TY_F64 || e->rank < 1 || e->shape[e->rank - 1] != 2) return false;
    e->dtype = TY_C128;
    e->rank--;
    return true;
}

/* A text of ours tells that the pairs of a tensor are complex numbers; it is not among those of the user. */
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
    struct parser p = {name, data_bytes, most, arena, fault};
    json_error_t error;
    memset(header, 0, sizeof *header);
    if (!check_form(&p, json, n)) return false;
    json_t *root = json_loadb(json, n, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        return fault_set(fault, "%s: the header is not valid JSON: %s, at byte %d", name, error.text,
                         error.position);
    bool ok = parse_root(&p, root, header);
    ok = ok && (!header->npairs || take_complex(&p, header));
    json_decref(root);
    return ok;
}
#else
bool safetensors_parse(struct archive_index *header, const char *name, const char *json, size_t n,
                       uint64_t data_bytes, uint64_t most, struct arena *arena, struct fault *fault) {
    (void)json, (void)n, (void)data_bytes, (void)most, (void)arena;
    memset(header, 0, sizeof *header);
    return fault_set(fault, "%s: cannot be read: this build is without jansson", name);
}
#endif
