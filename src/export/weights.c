/*
 * A file of values: a head of four 64-bit words, then the elements of all leaves, each from a multiple of 16 bytes on.
 * The head is a mark that shows the order of bytes, the number of bytes after the head, their hash, and 0.  The hash is
 * that of the words which a little-endian machine reads from its file, so machines of both orders compute it.
 */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "export/export.h"

enum { ALIGN = 16, HEAD_BYTES = 32 };

/* Return 8 bytes of numbers of `unit` bytes as a little-endian machine reads them. */
static uint64_t word_at(const char *at, int64_t unit) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) {
        int64_t within = i % unit; /* byte i of the word, from the lowest one on */
        int64_t place = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? i - within + unit - 1 - within : i;
        word |= (uint64_t)(unsigned char)at[place] << 8 * i;
    }
    return word;
}
/* Return the hash of the values after the head, as PREFIX_weights_check computes it in the C file. */
static uint64_t hash_of(const struct exporting *e) {
    uint64_t h = 0;
    for (int i = 0; i < e->nleaves; i++) {
        int64_t end = i + 1 < e->nleaves ? e->leaves[i + 1].offset : (int64_t)e->weights.length;
        for (int64_t at = e->leaves[i].offset; at < end; at += 8) {
            h = (h ^ word_at(e->weights.data + at, order_unit(e->leaves[i].dtype))) * HASH_STEP;
            h ^= h >> 29;
        }
    }
    return h;
}

/* Append the table of ends of runs of numbers of one size, and the function that reads a word of them. */
static void add_units(struct exporting *e) {
    const char *prefix = e->prefix.text;
    text_add(
        &e->file,
        "/* Ends of numbers, and their sizes. */\nstatic const size_t %s_weights_units[][2] = {\n{%d, 8},\n",
        prefix, HEAD_BYTES);
    for (int i = 0; i < e->nleaves; i++) {
        int64_t unit = order_unit(e->leaves[i].dtype);
        bool last = i + 1 == e->nleaves;
        if (!last && unit == order_unit(e->leaves[i + 1].dtype)) continue;
        text_add(&e->file, "{%" PRId64 ", %" PRId64 "},\n",
                 last ? (int64_t)e->weights.length : e->leaves[i + 1].offset, unit);
    }
    text_add(&e->file,
             "{(size_t)-1, 8}};\n"
             "static uint64_t %s_weights_word(const char *at, size_t unit) {\n"
             "uint64_t word;\nmemcpy(&word, at, 8);\n(void)unit;\n"
             "#if " BIG_ENDIAN_MACHINE "\n"
             "if (unit < 8) word = word >> 32 | word << 32;\n"
             "if (unit < 4) word = (word >> 16 & UINT64_C(0xffff0000ffff)) | "
             "(word & UINT64_C(0xffff0000ffff)) << 16;\n"
             "if (unit < 2) word = (word >> 8 & UINT64_C(0xff00ff00ff00ff)) | "
             "(word & UINT64_C(0xff00ff00ff00ff)) << 8;\n"
             "#endif\nreturn word;\n}\n",
             prefix);
}
/* Append the functions that check the file, and turn one of the other order of bytes. */
static void add_checks(struct exporting *e, const uint64_t head[4]) {
    const char *prefix = e->prefix.text;
    text_add(&e->file,
             "static int %s_weights_check(const void *weights, size_t bytes) {\n"
             "const char *data = (const char *)weights;\nuint64_t head[4], h = 0;\nsize_t i, k = 0;\n"
             "if (!weights) return %s_NULL;\n"
             "if (bytes != %zu || (uintptr_t)data %% %d != 0) return %s_WEIGHTS_LENGTH;\n"
             "memcpy(head, data, sizeof head);\nif (head[0] != UINT64_C(0x%" PRIx64
             ")) return %s_WEIGHTS_ORDER;\n"
             "for (i = %d; i < bytes; i += 8) {\nwhile (i >= %s_weights_units[k][0]) k++;\n"
             "h = (h ^ %s_weights_word(data + i, %s_weights_units[k][1])) * UINT64_C(0x%" PRIx64
             ");\nh ^= h >> 29;\n}\n"
             "return h == UINT64_C(0x%" PRIx64 ") && head[2] == h && head[1] == %" PRIu64
             " && !head[3] ? 0 : %s_WEIGHTS_HASH;\n}\n",
             prefix, prefix, e->weights.length, ALIGN, prefix, ORDER_MARK, prefix, HEAD_BYTES, prefix, prefix,
             prefix, HASH_STEP, head[2], head[1], prefix);
    text_add(&e->file,
             "int %s_turn_weights(void *weights, size_t bytes) {\n"
             "char *data = (char *)weights;\nuint64_t mark;\nsize_t i, k = 0, b, unit;\n"
             "if (!weights) return %s_NULL;\nif (bytes != %zu) return %s_WEIGHTS_LENGTH;\n"
             "memcpy(&mark, data, 8);\nif (mark == UINT64_C(0x%" PRIx64 ")) return 0;\n"
             "if (mark != UINT64_C(0x%" PRIx64 ")) return %s_WEIGHTS_ORDER;\n"
             "for (i = 0; i < bytes; i += unit) {\nwhile (i >= %s_weights_units[k][0]) k++;\n"
             "unit = %s_weights_units[k][1];\nfor (b = 0; b < unit / 2; b++) {\n"
             "const char byte = data[i + b];\ndata[i + b] = data[i + unit - 1 - b];\n"
             "data[i + unit - 1 - b] = byte;\n}\n}\nreturn 0;\n}\n",
             prefix, prefix, e->weights.length, prefix, ORDER_MARK, ORDER_TURNED, prefix, prefix, prefix);
}

void weights_write(struct exporting *e) {
    uint64_t head[4] = {ORDER_MARK};
    struct text *t = &e->weights;
    text_pad(t, 0, HEAD_BYTES);
    for (int i = 0; i < e->nleaves && !t->failed; i++) {
        struct leaf *l = &e->leaves[i];
        l->offset = (int64_t)t->length;
        text_add_bytes(t, data_of(l), (size_t)l->written * dtype_table[l->dtype].size);
        text_pad(t, 0, (ALIGN - t->length % ALIGN) % ALIGN);
    }
    if (t->failed) return;
    head[1] = t->length - HEAD_BYTES;
    head[2] = hash_of(e);
    memcpy(t->data, head, sizeof head);
    add_units(e);
    add_checks(e, head);
}
