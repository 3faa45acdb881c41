/*
 * A file of values: a head of four 64-bit words, then the elements of all leaves, each from a multiple of 16 bytes on.
 * The head is a mark that shows the order of bytes, the number of bytes behind the head, their hash, and 0.
 */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "export/export.h"

#define MARK UINT64_C(0x0102030405060708)
enum { ALIGN = 16 };

/* Return the hash of n words, as PREFIX_weights_check computes it in the C file. */
static uint64_t hash_of(const char *data, size_t words) {
    uint64_t h = 0, word;
    for (size_t i = 0; i < words; i++) {
        memcpy(&word, data + 8 * i, 8);
        h = (h ^ word) * HASH_STEP;
        h ^= h >> 29;
    }
    return h;
}

void weights_write(struct exporting *e) {
    uint64_t head[4] = {MARK};
    struct text *t = &e->weights;
    text_pad(t, 0, sizeof head);
    for (int i = 0; i < e->nleaves && !t->failed; i++) {
        struct leaf *l = &e->leaves[i];
        l->offset = (int64_t)t->length;
        text_add_bytes(t, data_of(l), (size_t)l->written * dtype_table[l->dtype].size);
        text_pad(t, 0, (ALIGN - t->length % ALIGN) % ALIGN);
    }
    if (t->failed) return;
    head[1] = t->length - sizeof head;
    head[2] = hash_of(t->data + sizeof head, head[1] / 8);
    memcpy(t->data, head, sizeof head);
    text_add(&e->file,
             "static int %s_weights_check(const void *weights, size_t bytes) {\n"
             "const char *data = (const char *)weights;\nuint64_t head[4], word, h = 0;\nsize_t i;\n"
             "if (!weights || bytes != %zu || (uintptr_t)data %% %d != 0) return -1;\n"
             "memcpy(head, data, sizeof head);\n"
             "if (head[0] != UINT64_C(0x%" PRIx64 ")) return -2;\n"
             "for (i = sizeof head; i < bytes; i += 8) {\nmemcpy(&word, data + i, 8);\n"
             "h = (h ^ word) * UINT64_C(0x%" PRIx64 ");\nh ^= h >> 29;\n}\n"
             "return h == UINT64_C(0x%" PRIx64 ") && head[2] == h && head[1] == %" PRIu64
             " && !head[3] ? 0 : -3;\n}\n",
             e->prefix.text, t->length, ALIGN, MARK, HASH_STEP, head[2], head[1]);
}
