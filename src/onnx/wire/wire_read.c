/* Reads messages into structs: a first pass over a message counts the items of its lists, a second one fills them. */
#include <inttypes.h>
#include <string.h>
#include "base/checked.h"
#include "base/utf8.h"
#include "onnx/wire/cursor.h"

enum {
    /* Messages inside one another: the limit that protobuf's own readers have, so nobody else reads a deeper file. */
    MOST_DEPTH = 100,
    MOST_FIELDS = 64,
    /* Bytes of structs and names, without those of tensors.  A node of a large model takes some 600, so this is room for
       400,000 nodes; a file of empty messages has 100 bytes of structs for each two of its own. */
    MOST_BYTES = 256 << 20
};

struct reader {
    const char *name;
    const uint8_t *start;
    struct arena *arena;
    struct fault *fault;
    size_t left;
    int depth;
};

struct list {
    void *items;
    int64_t n;
};

static bool refuse(const struct reader *r, const uint8_t *at, const struct wire_message *m, const char *why) {
    return fault_set(r->fault, E_FORMAT, "%s: %s at byte %td: %s", r->name, m->name, at ? at - r->start : 0,
                     why);
}

/* Allocate n items in the arena within the limit.  NULL sets the fault. */
static void *take(struct reader *r, size_t n, size_t size) {
    size_t bytes;
    if (!checked_mul_size(n, size, &bytes) || bytes > r->left) {
        fault_set(r->fault, E_LIMIT, "%s: the description of the model takes more than %d MiB", r->name,
                  MOST_BYTES >> 20);
        return NULL;
    }
    r->left -= bytes;
    void *memory = arena_alloc(r->arena, bytes + !bytes);
    if (!memory) fault_memory(r->fault, bytes);
    return memory;
}

static const struct wire_field *field_find(const struct wire_message *m, int number) {
    for (int i = 0; i < m->nfields; i++)
        if (m->fields[i].number == number) return &m->fields[i];
    return NULL;
}

static size_t item_size(const struct wire_field *f) {
    switch (f->kind) {
    case WIRE_INTEGER:
        return sizeof(int64_t);
    case WIRE_FLOAT:
        return sizeof(float);
    case WIRE_BYTES:
        return sizeof(struct wire_bytes);
    case WIRE_TEXT:
        return sizeof(const char *);
    case WIRE_MESSAGE:
        break;
    }
    return f->message->bytes;
}

/* Return true if a field's encoding fits its kind; lists of numbers may be packed. */
static bool encoding_fits(const struct wire_field *f, enum wire_type type) {
    if (f->kind == WIRE_INTEGER) return type == TYPE_VARINT || (f->list && type == TYPE_BYTES);
    if (f->kind == WIRE_FLOAT) return type == TYPE_4 || (f->list && type == TYPE_BYTES);
    return type == TYPE_BYTES;
}

/* Count the items of an occurrence of a list. */
static int64_t items_of(const struct wire_field *f, const struct cursor *c) {
    if (c->type != TYPE_BYTES || f->kind >= WIRE_BYTES) return 1;
    if (f->kind == WIRE_FLOAT) return (int64_t)(c->bytes.n / 4);
    int64_t n = 0;
    for (size_t i = 0; i < c->bytes.n; i++) n += c->bytes.at[i] < 128;
    return n;
}

static bool read_message(struct reader *r, const struct wire_message *m, struct wire_bytes body, void *out);

static float float_of(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static bool read_text(struct reader *r, const struct wire_message *m, const struct cursor *c,
                      const char **out) {
    const char *from = (const char *)c->bytes.at;
    if (memchr(from, 0, c->bytes.n)) return refuse(r, c->bytes.at, m, "a name contains a zero byte");
    if (!utf8_is(from, c->bytes.n)) return refuse(r, c->bytes.at, m, "a name is not UTF-8");
    char *copy = take(r, c->bytes.n + 1, 1);
    if (!copy) return false;
    memcpy(copy, from, c->bytes.n);
    *out = copy;
    return true;
}

/* Read a single value, or an item of a list, to *out. */
static bool read_item(struct reader *r, const struct wire_message *m, const struct wire_field *f,
                      const struct cursor *c, void *out) {
    switch (f->kind) {
    case WIRE_INTEGER:
        *(int64_t *)out = (int64_t)c->value;
        return true;
    case WIRE_FLOAT:
        *(float *)out = float_of(c->value);
        return true;
    case WIRE_BYTES:
        *(struct wire_bytes *)out = c->bytes;
        return true;
    case WIRE_TEXT:
        return read_text(r, m, c, out);
    case WIRE_MESSAGE:
        break;
    }
    return read_message(r, f->message, c->bytes, out);
}

/* Append the numbers of a packed list, for which there is room. */
static bool read_packed(struct reader *r, const struct wire_message *m, const struct wire_field *f,
                        const struct cursor *c, struct list *list) {
    struct cursor numbers = cursor_of(c->bytes);
    while (numbers.at < numbers.end) {
        if (f->kind == WIRE_INTEGER ? !cursor_varint(&numbers, &numbers.value) : !cursor_fixed(&numbers, 4))
            return refuse(r, numbers.at, m, numbers.wrong);
        read_item(r, m, f, &numbers, (char *)list->items + (size_t)list->n++ * item_size(f));
    }
    return true;
}

static bool read_field(struct reader *r, const struct wire_message *m, const struct wire_field *f,
                       const struct cursor *c, char *out) {
    if (f->list) {
        struct list *list = (void *)(out + f->offset);
        if (c->type == TYPE_BYTES && f->kind < WIRE_BYTES) return read_packed(r, m, f, c, list);
        return read_item(r, m, f, c, (char *)list->items + (size_t)list->n++ * item_size(f));
    }
    if (f->kind != WIRE_MESSAGE) return read_item(r, m, f, c, out + f->offset);
    void **to = (void **)(void *)(out + f->offset);
    if (*to) return refuse(r, c->bytes.at, m, "a field is given twice");
    *to = take(r, 1, f->message->bytes);
    return *to && read_message(r, f->message, c->bytes, *to);
}

/* Count the items of all lists, and reserve them.  counts: by the index of the field. */
static bool reserve(struct reader *r, const struct wire_message *m, struct wire_bytes body, char *out) {
    int64_t counts[MOST_FIELDS] = {0};
    struct cursor c = cursor_of(body);
    while (cursor_next(&c)) {
        const struct wire_field *f = field_find(m, c.number);
        if (!f) continue;
        if (!encoding_fits(f, c.type))
            return refuse(r, c.at, m, "a field has another encoding than its type");
        if (f->list) counts[f - m->fields] += items_of(f, &c);
    }
    if (c.wrong) return refuse(r, c.at, m, c.wrong);
    for (int i = 0; i < m->nfields; i++) {
        if (!counts[i]) continue;
        struct list *list = (void *)(out + m->fields[i].offset);
        if (!(list->items = take(r, (size_t)counts[i], item_size(&m->fields[i])))) return false;
    }
    return true;
}

static bool read_message(struct reader *r, const struct wire_message *m, struct wire_bytes body, void *out) {
    struct wire_base *base = out;
    base->body = body;
    if (r->depth >= MOST_DEPTH)
        return fault_set(r->fault, E_LIMIT, "%s: more than %d messages inside one another", r->name,
                         MOST_DEPTH);
    if (!reserve(r, m, body, out)) return false;
    r->depth++;
    bool good = true;
    struct cursor c = cursor_of(body);
    while (good && cursor_next(&c)) {
        const struct wire_field *f = field_find(m, c.number);
        if (c.number < 64) base->seen |= UINT64_C(1) << c.number;
        if (f) good = read_field(r, m, f, &c, out);
    }
    r->depth--;
    return good;
}

void *wire_read(const char *name, const struct wire_message *message, struct wire_bytes bytes,
                struct arena *arena, struct fault *fault) {
    struct reader r = {name, bytes.at, arena, fault, MOST_BYTES, 0};
    void *out = take(&r, 1, message->bytes);
    return out && read_message(&r, message, bytes, out) ? out : NULL;
}
