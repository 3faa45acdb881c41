/*
 * Writing archives.  Tensors are ordered by the size of their elements, largest first, and the header is
 * padded to eight bytes, so that every element is aligned in the file and other programs can map it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/io.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/file.h"
#include "io/safetensors.h"

struct saving {
    const char *path;
    int n, nmeta;
    const char *const *names, *const *keys, *const *values;
    ty_tensor **tensors;       /* evaluated, contiguous */
    struct file_chunk *chunks; /* 0: the header */
    struct text header;
    struct fault *fault;
};

/* The bytes of one UTF-8 character at `c`; 0: invalid (RFC 3629: no overlong forms, no surrogates). */
static int utf8_length(const unsigned char *c) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int n = c[0] < 0x80 ? 1 : c[0] >> 5 == 6 ? 2 : c[0] >> 4 == 14 ? 3 : c[0] >> 3 == 30 ? 4 : 0;
    if (n <= 1) return n;
    uint32_t point = c[0] & (0x7fu >> n);
    for (int i = 1; i < n; i++) {
        if (c[i] >> 6 != 2) return 0;
        point = point << 6 | (c[i] & 0x3f);
    }
    return point >= least[n] && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) ? n : 0;
}

/* Adds a JSON text; false when it is not UTF-8. */
static bool add_quoted(struct saving *s, const char *value) {
    const unsigned char *c = (const unsigned char *)value;
    text_add(&s->header, "\"");
    while (*c) {
        int n = utf8_length(c);
        if (n == 0) return fault_set(s->fault, "save: \"%.200s\" is not UTF-8", value);
        if (*c < 0x20)
            text_add(&s->header, "\\u%04x", *c);
        else if (*c == '"' || *c == '\\')
            text_add(&s->header, "\\%c", *c);
        else
            text_add_bytes(&s->header, c, (size_t)n);
        c += n;
    }
    text_add(&s->header, "\"");
    return true;
}

static int by_text(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* No text twice, and not the reserved one. */
static bool check_distinct(struct saving *s, const char *what, int n, const char *const *texts,
                           const char *reserved) {
    const char **sorted = mem_array((size_t)n + 1, sizeof *sorted);
    if (!sorted) return fault_memory(s->fault, sizeof *sorted * (size_t)n);
    for (int i = 0; i < n; i++) sorted[i] = texts[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_text);
    for (int i = 0; i < n; i++) {
        if (i && strcmp(sorted[i - 1], sorted[i]) == 0)
            fault_set(s->fault, "save: the %s \"%.200s\" occurs twice", what, sorted[i]);
        if (strcmp(sorted[i], reserved) == 0)
            fault_set(s->fault, "save: the %s \"%s\" is the format's own", what, reserved);
    }
    mem_free(sorted);
    return !s->fault->set;
}

/* Values of all tensors, row-major; they belong to the caller's scope. */
static bool evaluate(struct saving *s, ty_tensor *const *tensors) {
    s->tensors = mem_array((size_t)s->n + 1, sizeof *s->tensors);
    s->chunks = mem_array((size_t)s->n + 1, sizeof *s->chunks);
    if (!s->tensors || !s->chunks) return fault_memory(s->fault, sizeof *s->chunks * (size_t)s->n);
    if (s->n) ty_eval_all(s->n, tensors, s->tensors);
    for (int i = 0; i < s->n; i++) {
        ty_tensor *x = ty_contiguous(s->tensors[i]);
        if (!ty_ok(x)) return fault_set(s->fault, "save: tensor \"%.200s\": %s", s->names[i], ty_error(x));
        s->tensors[i] = x->current ? x->current : x;
    }
    return true;
}

static bool add_entry(struct saving *s, int i, uint64_t *offset) {
    const ty_tensor *x = s->tensors[i];
    uint64_t end = *offset + (uint64_t)tensor_size(x) * dtype_table[x->dtype].size;
    text_add(&s->header, ",");
    if (!add_quoted(s, s->names[i])) return false;
    text_add(&s->header, ":{\"dtype\":\"%s\",\"shape\":[", safetensors_dtypes[x->dtype]);
    for (int k = 0; k < x->layout.rank; k++)
        text_add(&s->header, k ? ",%" PRId64 : "%" PRId64, x->layout.shape[k]);
    text_add(&s->header, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", *offset, end);
    *offset = end;
    return true;
}

/* The header's JSON behind eight bytes for its length, and the chunks in the same order. */
static bool describe(struct saving *s) {
    uint64_t offset = 0;
    int placed = 1;
    text_pad(&s->header, 0, SAFETENSORS_PREFIX);
    text_add(&s->header, SAFETENSORS_CHECKSUM "00000000\"");
    for (int i = 0; i < s->nmeta; i++) {
        text_add(&s->header, ",");
        if (!add_quoted(s, s->keys[i])) return false;
        text_add(&s->header, ":");
        if (!add_quoted(s, s->values[i])) return false;
    }
    text_add(&s->header, "}");
    for (size_t size = 16; size > 0; size /= 2)
        for (int i = 0; i < s->n; i++) {
            ty_tensor *x = s->tensors[i];
            if (dtype_table[x->dtype].size != size) continue;
            uint64_t begin = offset;
            if (!add_entry(s, i, &offset)) return false;
            s->chunks[placed++] =
                (struct file_chunk){offset > begin ? tensor_data(x) : "", (size_t)(offset - begin)};
        }
    text_add(&s->header, "}");
    text_pad(&s->header, ' ', (8 - s->header.length % 8) % 8);
    if (s->header.failed) return fault_memory(s->fault, s->header.length);
    return true;
}

/* Fills in the length and the checksum. */
static bool seal(struct saving *s) {
    size_t length = s->header.length - SAFETENSORS_PREFIX, nparts = (size_t)s->n + 1;
    char digits[SAFETENSORS_DIGITS + 1];
    if (length > SAFETENSORS_MOST_HEADER)
        return fault_set(s->fault, "save: names, shapes and texts take %zu bytes; the format allows %d",
                         length, SAFETENSORS_MOST_HEADER);
    for (int i = 0; i < SAFETENSORS_PREFIX; i++) s->header.data[i] = (char)((uint64_t)length >> 8 * i & 255);
    s->chunks[0] = (struct file_chunk){s->header.data, s->header.length};
    const void **parts = mem_array(nparts, sizeof *parts);
    size_t *counts = mem_array(nparts, sizeof *counts);
    bool ok = parts && counts;
    for (size_t i = 0; ok && i < nparts; i++) {
        parts[i] = s->chunks[i].data;
        counts[i] = s->chunks[i].count;
    }
    if (ok) {
        safetensors_checksum((int)nparts, parts, counts, digits);
        memcpy(s->header.data + SAFETENSORS_PREFIX + sizeof SAFETENSORS_CHECKSUM - 1, digits,
               SAFETENSORS_DIGITS);
    }
    mem_free(parts);
    mem_free(counts);
    return ok || fault_memory(s->fault, nparts * sizeof *parts);
}

static bool save(struct saving *s, ty_tensor *const *tensors) {
    if (!machine_is_little_endian())
        return fault_set(s->fault, "save: safetensors files are little-endian, this machine is not");
    return check_distinct(s, "name", s->n, s->names, SAFETENSORS_METADATA) &&
           check_distinct(s, "key", s->nmeta, s->keys, "checksum") && evaluate(s, tensors) && describe(s) &&
           seal(s) && file_write_atomic(s->path, s->n + 1, s->chunks, s->fault);
}

bool ty_save(const char *path, int n, const char *const *names, ty_tensor *const *tensors, int nmeta,
             const char *const *keys, const char *const *values, ty_tensor **error) {
    struct fault fault = {0};
    struct saving s = {.path = path,
                       .n = n,
                       .nmeta = nmeta,
                       .names = names,
                       .keys = keys,
                       .values = values,
                       .fault = &fault};
    ty_scope *scope = ty_open();
    bool ok = save(&s, tensors);
    text_drop(&s.header);
    mem_free(s.tensors);
    mem_free(s.chunks);
    ty_close(scope);
    if (!ok && error) *error = tensor_fault(&fault);
    return ok;
}
