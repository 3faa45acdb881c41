/*
 * Writer of safetensors files, with a checksum over the whole. Tensors are ordered by element size, largest
 * first, and the header is padded to eight bytes. So every element is aligned in the file and other programs
 * can map it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/order.h"
#include "io/json.h"
#include "io/formats/safetensors.h"

/* State of writing one file. */
struct saving {
    struct writing *w;
    const ty_tensor **placed; /* tensors in the order of the file */
    struct text header;
    struct fault *fault;
};

static bool add_quoted(struct saving *s, const char *value) {
    return json_add_text(&s->header, value, s->fault);
}

/* Return true if the n texts are distinct and none equals `reserved`; else set the fault, which calls a
   text `what`. */
static bool check_distinct(struct saving *s, const char *what, int n, const char *const *texts,
                           const char *reserved) {
    const char **sorted = mem_array((size_t)n + 1, sizeof *sorted);
    if (!sorted) return fault_memory(s->fault, sizeof *sorted * (size_t)n);
    for (int i = 0; i < n; i++) sorted[i] = texts[i];
    qsort(sorted, (size_t)n, sizeof *sorted, order_texts);
    for (int i = 0; i < n; i++) {
        if (i && strcmp(sorted[i - 1], sorted[i]) == 0)
            fault_set(s->fault, E_ARGUMENT, "save: the %s \"%.200s\" occurs twice", what, sorted[i]);
        if (strcmp(sorted[i], reserved) == 0)
            fault_set(s->fault, E_ARGUMENT, "save: the %s \"%s\" is reserved by the format", what, reserved);
    }
    mem_free(sorted);
    return !s->fault->set;
}

/* Append the JSON description of tensor x, whose data begins at *offset bytes, to the header, and advance
   *offset by x's bytes. False sets the fault. */
static bool add_entry(struct saving *s, const char *name, const ty_tensor *x, uint64_t *offset) {
    uint64_t end = *offset + tensor_bytes(x);
    bool pairs = x->dtype == TY_C128;
    if (!safetensors_dtypes[x->dtype])
        return fault_set(s->fault, E_DTYPE,
                         "save: \"%.200s\" is %s, which safetensors does not have; ty_cast it", name,
                         ty_dtype_name(x->dtype));
    if (pairs && x->layout.rank == TY_MAX_RANK)
        return fault_set(s->fault, E_SHAPE,
                         "save: \"%.200s\" is c128 of %d axes; safetensors needs one more axis for its parts",
                         name, x->layout.rank);
    text_add(&s->header, ",");
    if (!add_quoted(s, name)) return false;
    text_add(&s->header, ":{\"dtype\":\"%s\",\"shape\":[", safetensors_dtypes[pairs ? TY_F64 : x->dtype]);
    for (int k = 0; k < x->layout.rank; k++)
        text_add(&s->header, k ? ",%" PRId64 : "%" PRId64, x->layout.shape[k]);
    if (pairs) text_add(&s->header, x->layout.rank ? ",2" : "2");
    text_add(&s->header, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", *offset, end);
    *offset = end;
    return true;
}

/* Append metadata to the header that marks the tensors of dtype c128; false sets the fault. */
static bool add_complex(struct saving *s) {
    bool ok = true;
    for (int i = 0; ok && i < s->w->n; i++) {
        if (s->w->tensors[i]->dtype != TY_C128) continue;
        struct text key = {0};
        text_add(&key, SAFETENSORS_COMPLEX "%s", s->w->names[i]);
        text_add(&s->header, ",");
        ok = key.failed ? fault_memory(s->fault, key.length) : add_quoted(s, key.data);
        text_add(&s->header, ":\"C128\"");
        text_drop(&key);
    }
    return ok;
}

/* Append the caller's texts and the marks of complex tensors to the header; false sets the fault, also for
   a reserved key. */
static bool add_pairs(struct saving *s) {
    const ty_file_options *o = s->w->options;
    for (int i = 0; i < o->nmeta; i++) {
        if (!strncmp(o->keys[i], SAFETENSORS_COMPLEX, sizeof SAFETENSORS_COMPLEX - 1))
            return fault_set(s->fault, E_ARGUMENT,
                             "save: keys that begin with \"%s\" are reserved by the format",
                             SAFETENSORS_COMPLEX);
        text_add(&s->header, ",");
        if (!add_quoted(s, o->keys[i])) return false;
        text_add(&s->header, ":");
        if (!add_quoted(s, o->values[i])) return false;
    }
    return add_complex(s);
}

/* Build s->header, preceded by eight bytes for its length, and fill s->placed with the tensors in the order
   of their data: largest elements first. False sets the fault. */
static bool describe(struct saving *s) {
    uint64_t offset = 0;
    int placed = 0;
    text_pad(&s->header, 0, SAFETENSORS_PREFIX);
    text_add(&s->header, SAFETENSORS_CHECKSUM "00000000\"");
    if (!add_pairs(s)) return false;
    text_add(&s->header, "}");
    for (size_t size = 16; size > 0; size /= 2)
        for (int i = 0; i < s->w->n; i++) {
            const ty_tensor *x = s->w->tensors[i];
            if (dtype_table[x->dtype].size != size) continue;
            if (!add_entry(s, s->w->names[i], x, &offset)) return false;
            s->placed[placed++] = x;
        }
    text_add(&s->header, "}");
    text_pad(&s->header, ' ', (8 - s->header.length % 8) % 8);
    if (s->header.failed) return fault_memory(s->fault, s->header.length);
    return true;
}

/* Fill length and checksum into the finished s->header; false sets the fault if the header is too long, or at a request
   to stop. */
static bool seal(struct saving *s) {
    size_t length = s->header.length - SAFETENSORS_PREFIX;
    char digits[SAFETENSORS_DIGITS + 1];
    struct crc crc;
    if (length > SAFETENSORS_MOST_HEADER)
        return fault_set(s->fault, E_LIMIT,
                         "save: names, shapes and texts take %zu bytes; the format allows %d", length,
                         SAFETENSORS_MOST_HEADER);
    for (int i = 0; i < SAFETENSORS_PREFIX; i++) s->header.data[i] = (char)((uint64_t)length >> 8 * i & 255);
    crc_start(&crc, CRC_CASTAGNOLI);
    crc_add(&crc, s->header.data, s->header.length);
    for (int i = 0; i < s->w->n; i++)
        if (!elements_checksum(&crc, s->placed[i], false, s->w->out)) return false;
    snprintf(digits, sizeof digits, "%08" PRIx32, crc_value(&crc));
    memcpy(s->header.data + SAFETENSORS_PREFIX + sizeof SAFETENSORS_CHECKSUM - 1, digits, SAFETENSORS_DIGITS);
    return true;
}

/* Check the names and keys, then write header and elements to the output; false sets the fault. */
static bool write_all(struct saving *s) {
    struct writing *w = s->w;
    if (!check_distinct(s, "key", w->options->nmeta, w->options->keys, "checksum") ||
        !check_distinct(s, "name", w->n, w->names, SAFETENSORS_METADATA) || !describe(s) || !seal(s) ||
        !output_text(w->out, &s->header))
        return false;
    for (int i = 0; i < w->n; i++)
        if (!elements_write(w->out, s->placed[i], false)) return false;
    return true;
}

bool safetensors_write(struct writing *w) {
    struct saving s = {.w = w, .fault = w->fault};
    s.placed = mem_array((size_t)w->n + 1, sizeof *s.placed);
    bool ok = s.placed ? write_all(&s) : fault_memory(w->fault, sizeof *s.placed * (size_t)w->n);
    text_drop(&s.header);
    mem_free(s.placed);
    return ok;
}
