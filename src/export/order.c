/*
 * Order of bytes.  Numbers have the order of the machine that runs the C file, and results the bits of a little-endian
 * one.  So a kernel that reads a block as numbers of another size (ty_view_as) gets a copy on big-endian machines, with
 * the smaller numbers of each larger one in reverse order.  On other machines it gets the block itself.
 */
#include <inttypes.h>

#include "export/export.h"

enum { ALIGN = 16 }; /* of copies: at least that of all numbers */

static int64_t aligned(int64_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }
int64_t order_unit(ty_dtype dtype) {
    return (int64_t)dtype_table[dtype].size / (dtype_is(dtype, CLASS_COMPLEX) ? 2 : 1);
}

void order_turn(struct exporting *e, const struct block *b, ty_dtype dtype, int64_t *copies, struct site *p) {
    int64_t stored = order_unit(b->dtype), read = order_unit(dtype), large = stored > read ? stored : read;
    int64_t size = (int64_t)dtype_table[b->dtype].size, from = b->low * size, to = b->high * size;
    from += (large - from % large) % large; /* numbers of both sizes begin at multiples of the larger one */
    to -= (to % large + large) % large;
    if (stored == read || to <= from) return;
    struct site given = *p;
    text_print(p->base, sizeof p->base,
               "%s_turned(state, %" PRId64 ", %s + %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ")",
               e->prefix.text, aligned(e->arena_bytes) + *copies, given.base, given.offset + from, to - from,
               stored < read ? stored : read, large);
    p->offset = -from;
    *copies += aligned(to - from);
    if (*copies > e->turned_bytes) e->turned_bytes = *copies;
}

void order_arena(const struct exporting *e, struct text *t) {
    const char *prefix = e->prefix.text;
    if (e->turned_bytes)
        text_add(t, "#if " BIG_ENDIAN_MACHINE "\n#define %s_ARENA_BYTES %" PRId64 "\n#else\n", prefix,
                 aligned(e->arena_bytes) + e->turned_bytes);
    text_add(t, "#define %s_ARENA_BYTES %" PRId64 "\n%s", prefix, e->arena_bytes,
             e->turned_bytes ? "#endif\n" : "");
}

void order_write(struct exporting *e) {
    if (e->turns || !e->turned_bytes) return;
    e->turns = true;
    text_add(
        &e->file,
        "/* On big-endian machines, copy numbers of `large` bytes behind the arena, with the numbers of "
        "`small` bytes\n"
        "   in each in reverse order. Return them, else the bytes themselves. */\n"
        "static const char *%s_turned(%s_state *state, size_t to, const char *from, size_t bytes, size_t "
        "small,\n"
        "size_t large) {\n#if " BIG_ENDIAN_MACHINE
        "\nchar *const copy = state->arena.bytes + to;\nsize_t i;\n"
        "for (i = 0; i < bytes; i += small)\n"
        "memcpy(copy + (i / large * large + (large - small) - i %% large), from + i, small);\nreturn copy;\n"
        "#else\n(void)state, (void)to, (void)bytes, (void)small, (void)large;\nreturn from;\n#endif\n}\n",
        e->prefix.text, e->prefix.text);
}
