/* Functions of the file besides those of graphs: first values, saving and loading, the order of examples. */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "export/export.h"

/* Stream of random numbers for the order of examples (nn/batches.h). */
enum { STREAM_ORDER = 1 };

/* ---- first values ---- */

/* Append the declaration of PREFIX_begin. */
static void add_begin(const struct exporting *e, struct text *t, const char *end) {
    const char *prefix = e->prefix.text;
    if (data_apart(e))
        text_add(t, "int %s_begin(%s_state *state, const void *weights, size_t bytes)%s", prefix, prefix,
                 end);
    else
        text_add(t, "int %s_begin(%s_state *state)%s", prefix, prefix, end);
}
static void write_begin(struct exporting *e) {
    const char *prefix = e->prefix.text;
    text_add(&e->file, "static void %s_first(%s_state *state) {\n(void)state;\n", prefix, prefix);
    data_begin(e, &e->file);
    text_add(&e->file, "}\n");
    add_begin(e, &e->file, " {\n");
    if (data_apart(e)) text_add(&e->file, "const int wrong = %s_weights_check(weights, bytes);\n", prefix);
    checks_arguments(e, NULL, &e->file);
    if (data_apart(e))
        text_add(&e->file, "if (wrong) return wrong;\nstate->weights = (const char *)weights;\n");
    text_add(&e->file, "%s_first(state);\nreturn 0;\n}\n", prefix);
}

/* ---- saving and loading ---- */

/* Return a hash of names, dtypes and shapes of the members. */
static uint64_t hash_members(const struct exporting *e) {
    uint64_t h = 0;
    char words[160];
    for (int i = 0; i < e->nleaves; i++) {
        const struct leaf *l = &e->leaves[i];
        if (!l->state) continue;
        data_form(l->tensor, words, sizeof words);
        h = hash_join(h, hash_bytes(l->name.text, strlen(l->name.text)));
        h = hash_join(h, hash_bytes(words, strlen(words)));
    }
    return h;
}
/* Append a statement for each member with elements: its address and bytes between two words. */
static void add_each(struct exporting *e, const char *before, const char *after) {
    for (int i = 0; i < e->nleaves; i++)
        if (e->leaves[i].state && e->leaves[i].size)
            text_add(&e->file, "%sstate->%s, sizeof state->%s%s", before, e->leaves[i].name.text,
                     e->leaves[i].name.text, after);
}
/* Append the declarations of PREFIX_save and PREFIX_load, and `end`. */
static void add_save(const struct exporting *e, struct text *t, const char *end) {
    text_add(t,
             "int %s_save(const %s_state *state, int (*write)(void *context, const void *data, size_t "
             "bytes),\n    void *context)%s",
             e->prefix.text, e->prefix.text, end);
}
static void add_load(const struct exporting *e, struct text *t, const char *end) {
    text_add(t,
             "int %s_load(%s_state *state, int (*read)(void *context, void *data, size_t bytes), void "
             "*context)%s",
             e->prefix.text, e->prefix.text, end);
}
static void declare_keeping(const struct exporting *e, struct text *t) {
    text_add(t,
             "/* Save the variables by calls of write(context, data, bytes), %" PRId64
             " bytes in all. Return 0, or\n   what write has returned other than 0. */\n",
             32 + e->report.state_bytes);
    add_save(e, t, ";\n");
    text_add(
        t,
        "/* Load variables that %s_save has written, by calls of read(context, data, bytes). Return 0, "
        "an error,\n"
        "   or what read has returned other than 0. If variables have been read in part, they have their "
        "first\n"
        "   values again. */\n",
        e->prefix.text);
    add_load(e, t, ";\n");
}
static void write_save(struct exporting *e, uint64_t form) {
    const char *p = e->prefix.text;
    add_save(e, &e->file, " {\n");
    text_add(&e->file,
             "uint64_t head[4] = {UINT64_C(0x%" PRIx64 "), UINT64_C(0x%" PRIx64 "), %" PRId64
             ", 0};\nint code;\nif (!state || !write) return %s_NULL;\nhead[3] = %s_hash(state);\n"
             "code = write(context, head, sizeof head);\n",
             ORDER_MARK, form, e->report.state_bytes, p, p);
    add_each(e, "if (!code) code = write(context, ", ");\n");
    text_add(&e->file, "return code;\n}\n");
}
static void write_load(struct exporting *e, uint64_t form) {
    const char *p = e->prefix.text;
    add_load(e, &e->file, " {\n");
    text_add(&e->file,
             "uint64_t head[4];\nint code = state && read ? read(context, head, sizeof head) : %s_NULL;\n"
             "if (code) return code;\n"
             "if (head[0] == UINT64_C(0x%" PRIx64 ")) return %s_LOAD_ORDER;\n"
             "if (head[0] != UINT64_C(0x%" PRIx64 ") || head[1] != UINT64_C(0x%" PRIx64
             ") || head[2] != %" PRId64 ") return %s_LOAD_FORM;\n",
             p, ORDER_TURNED, p, ORDER_MARK, form, e->report.state_bytes, p);
    add_each(e, "if (!code) code = read(context, ", ");\n");
    text_add(&e->file,
             "if (!code && %s_hash(state) != head[3]) code = %s_LOAD_HASH;\nif (code) %s_first(state);\n"
             "return code;\n}\n",
             p, p, p);
}
static void write_keeping(struct exporting *e) {
    const char *p = e->prefix.text;
    uint64_t form = hash_members(e);
    char before[2 * NAME_BYTES];
    text_add(&e->file,
             "static uint64_t %s_hash_of(uint64_t h, const void *data, size_t bytes) {\n"
             "const unsigned char *at = (const unsigned char *)data;\nsize_t i;\n"
             "for (i = 0; i < bytes; i++) h = (h ^ at[i]) * UINT64_C(0x100000001b3);\nreturn h;\n}\n"
             "static uint64_t %s_hash(const %s_state *state) {\nuint64_t h = UINT64_C(0xcbf29ce484222325);\n",
             p, p, p);
    text_print(before, sizeof before, "h = %s_hash_of(h, ", p);
    add_each(e, before, ");\n");
    text_add(&e->file, "return h;\n}\n");
    write_save(e, form);
    write_load(e, form);
}

/* ---- order ---- */

static void declare_order(const struct exporting *e, struct text *t) {
    text_add(t,
             "/* Set order[0 .. n) to the numbers of n examples as a trainer of the seed orders them in an "
             "epoch, from\n"
             "   0. Each step takes the next ones; those of an incomplete batch at the end are left out. */\n"
             "void %s_order(uint64_t seed, uint64_t epoch, int64_t n, int64_t *order);\n",
             e->prefix.text);
}
static void write_order(struct exporting *e) {
    text_add(&e->file,
             "void %s_order(uint64_t seed, uint64_t epoch, int64_t n, int64_t *order) {\n"
             "random_epoch(seed, %d, epoch, n, order);\n}\n",
             e->prefix.text, STREAM_ORDER);
}

void keep_declare(const struct exporting *e, struct text *t) {
    if (data_apart(e))
        text_add(t,
                 "/* Turn a file of weights, in memory that can be written, into this machine's order of "
                 "bytes, unless\n"
                 "   it has it. Return 0 or an error. */\nint %s_turn_weights(void *weights, size_t bytes);\n"
                 "/* Set the first values; called before all other functions. `weights` is the file of "
                 "weights, from a\n"
                 "   multiple of 16 bytes on, and stays the caller's. Return 0 or an error. */\n",
                 e->prefix.text);
    else
        text_add(t, "/* Set the first values; called before all other functions. Return 0 or an error. */\n");
    add_begin(e, t, ";\n");
    if (e->options.saves) declare_keeping(e, t);
    if (e->options.order) declare_order(e, t);
}
void keep_write(struct exporting *e) {
    write_begin(e);
    if (e->options.saves) write_keeping(e);
    if (e->options.order) write_order(e);
}
