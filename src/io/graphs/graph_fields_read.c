/* Attributes of operators from JSON: each value must have the type of the table and each list its length.
   The operator's infer checks the values. */
#include "io/graphs/graph_reading.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "array/number_read.h"
#include "ops/core/op.h"

typedef bool (*reader)(struct graph_reading *r, const struct field *f, const struct json *value, char *at);

/* Store an integer at `at`, truncated to the field's size: 1, 4 or 8 bytes. */
static void store(const struct field *f, char *at, int64_t number) {
    uint8_t byte = (uint8_t)number;
    int32_t small = (int32_t)number;
    memcpy(at,
           f->size == sizeof byte    ? (const void *)&byte
           : f->size == sizeof small ? (void *)&small
                                     : &number,
           f->size);
}

/* Read `value`, an integer that fits the field's 1, 4 or 8 bytes, to `at`; false sets the fault. */
static bool read_integer(struct graph_reading *r, const struct field *f, const struct json *value, char *at) {
    int64_t number, high = f->size == 1 ? UINT8_MAX : f->size == 4 ? INT32_MAX : INT64_MAX;
    int64_t low = f->size == 1 ? 0 : f->size == 4 ? INT32_MIN : INT64_MIN;
    if (!graph_integer(r, f->name, value, low, high, &number)) return false;
    store(f, at, number);
    return true;
}

/* Read `value`, a JSON text of digits, as an unsigned 64-bit integer to `at`; false sets the fault. */
static bool read_word(struct graph_reading *r, const struct field *f, const struct json *value, char *at) {
    const char *text = json_text(value);
    char *end = NULL;
    errno = 0;
    uint64_t word = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    if (!end || *end || errno) return graph_unexpected(r, f->name, value, "a text of digits, of 64 bits");
    store(f, at, (int64_t)word);
    return true;
}

/* Read `value`, a number or one of the texts inf, -inf, nan, as a double to `at`; false sets the fault. */
static bool read_real(struct graph_reading *r, const struct field *f, const struct json *value, char *at) {
    static const struct {
        const char *name;
        double value;
    } others[] = {{"inf", INFINITY}, {"-inf", -INFINITY}, {"nan", NAN}};
    const char *text = json_text(value);
    double real = 0;
    bool known = json_number(value, &real);
    for (size_t i = 0; text && i < sizeof others / sizeof *others; i++)
        if (!strcmp(text, others[i].name)) known = true, real = others[i].value;
    if (!known) return graph_unexpected(r, f->name, value, "a number, or one of inf, -inf, nan");
    memcpy(at, &real, sizeof real);
    return true;
}

static bool read_flag(struct graph_reading *r, const struct field *f, const struct json *value, char *at) {
    if (!json_is_flag(value)) return graph_unexpected(r, f->name, value, "true or false");
    store(f, at, json_is(value, JSON_TRUE));
    return true;
}

/* Read `value`, the name of a dtype, to `at`. A field of type FIELD_WIDER stores 0 for null, else the dtype
   plus 1. False sets the fault. */
static bool read_dtype(struct graph_reading *r, const struct field *f, const struct json *value, char *at) {
    ty_dtype dtype = TY_BOOL;
    bool none = f->type == FIELD_WIDER && json_is(value, JSON_NULL);
    if (!none && !graph_dtype(r, f->name, value, &dtype)) return false;
    store(f, at, none ? 0 : (int64_t)dtype + (f->type == FIELD_WIDER));
    return true;
}

/* Read `value`, one of the field's names, to `at` as its index from 0; false sets the fault. */
static bool read_name(struct graph_reading *r, const struct field *f, const struct json *value, char *at) {
    const char *text = json_text(value);
    int i = 0;
    while (text && f->named(i) && strcmp(f->named(i), text)) i++;
    if (!text || !f->named(i)) return graph_unexpected(r, f->name, value, "a known name");
    store(f, at, i);
    return true;
}

/* Read `value`, a list of axes in strictly ascending order, to `at` as a bit set; false sets the fault. */
static bool read_axes(struct graph_reading *r, const struct field *f, const struct json *value, char *at) {
    uint64_t axes = 0;
    int64_t axis = -1;
    if (!json_is(value, JSON_LIST)) return graph_unexpected(r, f->name, value, "a list of axes");
    for (size_t i = 0; i < json_count(value); i++) {
        if (!graph_integer(r, f->name, json_at(value, i), axis + 1, TY_MAX_RANK - 1, &axis)) return false;
        axes |= (uint64_t)1 << axis;
    }
    store(f, at, (int64_t)axes);
    return true;
}

/* Read `value`, the index of a subgraph already read, and store its pointer and its id in the field at
   `at`; also raises r->depth. False sets the fault. */
static bool read_body(struct graph_reading *r, const struct field *f, const struct json *value, char *at) {
    int64_t number;
    if (!graph_integer(r, f->name, value, 0, r->nbodies - 1, &number)) return false;
    struct body *b = r->bodies[number];
    memcpy(at, &b, sizeof b);
    memcpy(at + f->size - sizeof b->id, &b->id, sizeof b->id);
    if (r->depth <= r->depths[number]) r->depth = r->depths[number] + 1;
    if (r->body < 0 || r->depth <= GRAPH_DEPTH) return true;
    return graph_refuse(r, "bodies are nested deeper than %d", GRAPH_DEPTH);
}

static bool read_record(struct graph_reading *r, const struct field *f, const struct json *value, char *at);

static const reader readers[FIELD_TYPES] = {
    [FIELD_INT] = read_integer,  [FIELD_LONG] = read_integer,  [FIELD_WORD] = read_word,
    [FIELD_BYTE] = read_integer, [FIELD_REAL] = read_real,     [FIELD_FLAG] = read_flag,
    [FIELD_DTYPE] = read_dtype,  [FIELD_WIDER] = read_dtype,   [FIELD_NAME] = read_name,
    [FIELD_AXES] = read_axes,    [FIELD_RECORD] = read_record, [FIELD_BODY] = read_body,
};

/* Return true if the object has exactly the fields that files store of the attributes a; else set the
   fault. */
static bool check_names(struct graph_reading *r, const struct attributes *a, const struct json *object) {
    enum { MOST = 16 };
    const char *names[MOST];
    int n = 0;
    for (int i = 0; i < a->n; i++)
        if (readers[a->fields[i].type]) names[n++] = a->fields[i].name;
    names[n] = NULL;
    return graph_check_fields(r, object, names);
}

/* Read `value`, an object with the fields of f->parts, to the record at `at`; false sets the fault. */
static bool read_record(struct graph_reading *r, const struct field *f, const struct json *value, char *at) {
    const struct attributes *a = f->parts;
    bool done = check_names(r, a, value);
    for (int i = 0; i < a->n && done; i++)
        done = readers[a->fields[i].type](r, &a->fields[i], json_get(value, a->fields[i].name),
                                          at + a->fields[i].offset);
    return done;
}

/* Return the length of the list for field f, if it is the one that f's table and the operand's rank demand;
   else -1, with the fault set. */
static int64_t list_length(struct graph_reading *r, const struct field *f, const struct json *list,
                           const struct infer *in) {
    int64_t n = (int64_t)json_count(list), wanted = f->many == FIELD_FIXED ? f->most : n;
    if (f->many == FIELD_RANK) wanted = in->ninputs > 0 ? in->inputs[0]->layout.rank : 0;
    if (json_is(list, JSON_LIST) && n == wanted && n <= f->most) return n;
    if (f->many == FIELD_RANK || f->many == FIELD_FIXED)
        graph_refuse(r, "\"%s\" is not a list of %lld", f->name, (long long)wanted);
    else
        graph_refuse(r, "\"%s\" is not a list of up to %d", f->name, f->most);
    return -1;
}

/* Set *bytes to the size in memory of the attributes in `object`, lists included. `in` has the operands and
   the result shape of the node, which fix the length of some lists. False sets the fault, also for a
   list of a wrong length. */
static bool count_bytes(struct graph_reading *r, const struct attributes *a, const struct json *object,
                        const struct infer *in, size_t *bytes) {
    *bytes = a->bytes;
    for (int i = 0; i < a->n; i++) {
        const struct field *f = &a->fields[i];
        if (!f->tail) continue;
        if (f->type == FIELD_FORM) {
            *bytes = f->offset + offsetof(struct shape_attr, shape) + sizeof(int64_t) * (size_t)in->rank;
            continue;
        }
        int64_t n = list_length(r, f, json_get(object, f->name), in);
        if (n < 0) return false;
        *bytes = f->offset + f->size * (size_t)n;
    }
    return true;
}

/* Read a list for field f to the address *end, and advance *end past it. If attr, the attributes, has a
   counter for the list, set that. False sets the fault. */
static bool read_list(struct graph_reading *r, const struct field *f, const struct json *list,
                      const struct infer *in, char *attr, char **end) {
    int64_t n = list_length(r, f, list, in);
    int32_t count = (int32_t)n;
    if (n < 0) return false;
    if (f->many == FIELD_COUNTED) memcpy(attr + f->counter, &count, sizeof count);
    for (int64_t i = 0; i < n; i++, *end += f->size)
        if (!readers[f->type](r, f, json_at(list, (size_t)i), *end)) return false;
    return true;
}

/* Read all attributes of the operator in->op from the object into attr, which has the room that count_bytes
   gave; false sets the fault. */
static bool read_all(struct graph_reading *r, const struct json *object, const struct infer *in, char *attr) {
    const struct attributes *a = in->op->attributes;
    char *end = attr;
    bool done = check_names(r, a, object);
    for (int i = 0; i < a->n && done; i++) {
        const struct field *f = &a->fields[i];
        const struct json *value = json_get(object, f->name);
        if (!f->follows) end = attr + f->offset;
        if (f->type == FIELD_VARIANT) {
            store(f, end, in->op->variant);
        } else if (f->type == FIELD_FORM) {
            struct shape_attr form = {0};
            shape_attr_fill(&form, in->dtype, in->rank, in->shape);
            memcpy(end, &form, shape_attr_bytes(&form, 0));
        } else if (f->many == FIELD_ONE) {
            done = readers[f->type](r, f, value, end);
        } else {
            done = read_list(r, f, value, in, attr, &end);
        }
    }
    return done;
}

void *graph_fields_read(struct graph_reading *r, const struct json *object, const struct infer *in,
                        size_t *bytes) {
    *bytes = 0;
    char *attr = count_bytes(r, in->op->attributes, object, in, bytes) ? mem_alloc(*bytes + 1) : NULL;
    if (attr && read_all(r, object, in, attr)) return attr;
    if (!attr) fault_memory(r->fault, *bytes);
    mem_free(attr);
    return NULL;
}
