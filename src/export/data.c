/* Variables and constants: members of the state, and numbers of the file. */
#include <inttypes.h>
#include <string.h>

#include <tyto/shape.h>

#include "array/form.h"
#include "array/tensor.h"
#include "control/body.h"
#include "export/export.h"

/* ---- types ---- */

static const char *const types[TY_DTYPES] = {
    [TY_BOOL] = "uint8_t", [TY_U8] = "uint8_t",   [TY_I8] = "int8_t",     [TY_I16] = "int16_t",
    [TY_U16] = "uint16_t", [TY_F16] = "uint16_t", [TY_BF16] = "uint16_t", [TY_I32] = "int32_t",
    [TY_U32] = "uint32_t", [TY_I64] = "int64_t",  [TY_U64] = "uint64_t",  [TY_F32] = "float",
    [TY_F64] = "double",   [TY_C64] = "float",    [TY_C128] = "double"};
const char *data_type(ty_dtype dtype) { return types[dtype_stored(dtype) ? TY_U8 : dtype]; }
/* Return the number of C's elements of an element: 2 of complex numbers. */
static int parts_of(ty_dtype dtype) { return dtype_is(dtype, CLASS_COMPLEX) ? 2 : 1; }

/* ---- leaves ---- */

int data_find(const struct exporting *e, const ty_tensor *leaf) {
    const int64_t *at = map_find(&e->leaf_of, map_key(leaf));
    return at ? (int)*at : -1;
}
static bool is_input(const struct function *f, const ty_tensor *x) {
    for (int i = 0; i < f->given->ninputs; i++)
        if (f->given->inputs[i] == x) return true;
    return false;
}
static int64_t count_leaves(const struct flow *f) {
    int64_t n = f->nblocks;
    for (int k = 0; k < f->nkernels; k++)
        for (int i = 0; i < f->kernels[k].ninside; i++) n += count_leaves(f->kernels[k].inside[i].flow);
    return n;
}

/* Add the leaf of a block, unless it is there. False, with the fault set, on failure. */
static bool add_leaf(struct exporting *e, const struct block *b) {
    bool is_new;
    int64_t *at = map_put(&e->leaf_of, map_key(b->leaf), e->nleaves, &is_new);
    if (!at) return fault_memory(&e->fault, sizeof *e->leaves);
    if (is_new) e->leaves[e->nleaves++] = (struct leaf){.tensor = b->leaf, .dtype = b->dtype};
    struct leaf *l = &e->leaves[*at];
    l->state = l->state || b->kind == BLOCK_UPDATE;
    if (b->kind == BLOCK_UPDATE) return true;
    int64_t low = b->low, high = b->high;
    if (l->size && l->low < low) low = l->low;
    if (l->size && l->low + l->size > high) high = l->low + l->size;
    l->low = low, l->size = high - low;
    return true;
}
static bool add_leaves(struct exporting *e, const struct function *f, const struct flow *flow) {
    for (int b = 0; b < flow->nblocks; b++) {
        const struct block *block = &flow->blocks[b];
        bool leaf =
            block->kind == BLOCK_CONSTANT || block->kind == BLOCK_VARIABLE || block->kind == BLOCK_UPDATE;
        if (leaf && !is_parameter(block->leaf) && !is_input(f, block->leaf) && !add_leaf(e, block))
            return false;
    }
    for (int k = 0; k < flow->nkernels; k++)
        for (int i = 0; i < flow->kernels[k].ninside; i++)
            if (!add_leaves(e, f, flow->kernels[k].inside[i].flow)) return false;
    return true;
}
/* Find the present value of a variable, and all of its memory. */
static bool find_value(struct exporting *e, struct leaf *l) {
    l->value = l->tensor;
    if (!l->tensor->promise) return true;
    l->low = 0;
    l->size = dtype_stored(l->tensor->dtype) ? (int64_t)tensor_bytes(l->tensor) : tensor_size(l->tensor);
    l->value = ty_contiguous(ty_eval(l->tensor));
    return ty_ok(l->value) || fault_from(&e->fault, "export_c", l->value->code, ty_error(l->value));
}

const char *data_of(const struct leaf *l) {
    return (const char *)tensor_data(l->value) + l->low * (int64_t)dtype_table[l->dtype].size;
}
/* Set the number of elements that the file needs for the values of a leaf. */
static void count_written(struct leaf *l) {
    size_t size = dtype_table[l->dtype].size;
    l->written = l->size;
    if (!l->state || !l->size) return;
    const char *data = data_of(l);
    if (memcmp(data, data + size, (size_t)(l->size - 1) * size) != 0) return;
    l->written = 0;
    for (size_t i = 0; i < size; i++) l->written |= data[i] != 0;
}

/* Names that members and arrays have. */
struct naming {
    struct name *taken;
    int n;
};
/* Name leaf i, unless it has a name or there is none. */
static void name_leaf(struct exporting *e, struct naming *names, int i) {
    struct leaf *l = i < 0 ? NULL : &e->leaves[i];
    if (!l || l->name.text[0]) return;
    name_make(&l->name, ty_name(l->tensor), l->state ? "variable" : "constant", names->n, names->taken);
    names->taken[names->n++] = l->name;
}
/* Name all leaves: updated variables in the order of the caller's, then the others.  If names are equal, the first has
   the name itself. */
static void name_leaves(struct exporting *e, struct naming *names) {
    for (int i = 0; i < e->nfunctions; i++) {
        const ty_export_function *f = e->functions[i].given;
        for (int u = 0; u < f->nupdates; u++)
            name_leaf(e, names, data_find(e, tensor_of(f->updates[u].variable)));
    }
    for (int i = 0; i < e->nleaves; i++) name_leaf(e, names, i);
}

bool data_collect(struct exporting *e) {
    int64_t most = 1;
    for (int i = 0; i < e->nfunctions; i++) most += count_leaves(&e->functions[i].program->flow);
    e->leaves = arena_array(&e->arena, (size_t)most, sizeof *e->leaves);
    struct naming names = {.taken = arena_array(&e->arena, (size_t)most + 2, sizeof *names.taken), .n = 2};
    if (!e->leaves || !names.taken) return fault_memory(&e->fault, (size_t)most * sizeof *e->leaves);
    for (int i = 0; i < e->nfunctions; i++)
        if (!add_leaves(e, &e->functions[i], &e->functions[i].program->flow)) return false;
    static const struct name own[] = {{"arena"}, {"weights"}};
    memcpy(names.taken, own, sizeof own);
    name_leaves(e, &names);
    for (int i = 0; i < e->nleaves; i++) {
        struct leaf *l = &e->leaves[i];
        if (!find_value(e, l)) return false;
        int64_t bytes = l->size * (int64_t)dtype_table[l->dtype].size;
        count_written(l);
        e->report.weight_bytes += l->written * (int64_t)dtype_table[l->dtype].size;
        if (l->state) e->report.state_bytes += bytes;
    }
    return true;
}

/* ---- numbers ---- */

enum { WORD = 8, LINE_WORDS = 4 }; /* words of 8 bytes, which compilers read twice as fast as those of 4 */

/* Append n bytes of elements of `size` bytes as words; the macro sets their order in memory. */
static void add_words(const struct exporting *e, struct text *t, const char *data, int64_t n, size_t size) {
    const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; /* this machine */
    for (int64_t i = 0; i < n; i += WORD) {
        uint64_t word = 0;
        for (int64_t k = 0; k < WORD && i + k < n; k++) {
            int64_t element = k / (int64_t)size * (int64_t)size, byte = k % (int64_t)size;
            uint64_t place = big ? (uint64_t)((int64_t)size - 1 - byte) : (uint64_t)byte;
            word |= (uint64_t)(uint8_t)data[i + k] << 8 * ((uint64_t)element + place);
        }
        text_add(t, "%s%s_WORD%zu(0x%" PRIx64 "),", i && i / WORD % LINE_WORDS == 0 ? "\n" : "",
                 e->prefix.text, size, word);
    }
}
/* Append the macros of words of elements of 1, 2, 4 and 8 bytes: element 0 is in the lowest bits. */
static void add_macros(const struct exporting *e, struct text *t) {
    static const char *const turned[] = {
        ("(X >> 56 | (X >> 40 & 0xff00u) | (X >> 24 & 0xff0000u) | (X >> 8 & 0xff000000u) | "
         "(X & 0xff000000u) << 8 | (X & 0xff0000u) << 24 | (X & 0xff00u) << 40 | X << 56)"),
        "(X >> 48 | (X >> 16 & 0xffff0000u) | (X & 0xffff0000u) << 16 | X << 48)", "(X >> 32 | X << 32)",
        "X"};
    for (int big = 1; big >= 0; big--) {
        text_add(t, big ? "#if " BIG_ENDIAN_MACHINE "\n" : "#else\n");
        for (int i = 0; i < 4; i++) {
            text_add(t, "#define %s_WORD%d(x) ", e->prefix.text, 1 << i);
            for (const char *at = turned[i]; big && *at; at++)
                text_add(t, "%.*s", *at == 'X' ? 11 : 1, *at == 'X' ? "UINT64_C(x)" : at);
            text_add(t, big ? "\n" : "x##u\n");
        }
    }
    text_add(t, "#endif\n");
}

/* Most bytes of values in the C file; larger ones are in a second C file, so that a change of functions does not
   compile them again. */
enum { INLINE_BYTES = 4 << 20 };
bool data_apart(const struct exporting *e) { return e->options.weights != NULL; }
/* True if the values are in a C file of their own. */
static bool is_second(const struct exporting *e) {
    return !data_apart(e) && e->report.weight_bytes > INLINE_BYTES;
}

void data_address(const struct exporting *e, int i, char *words, size_t room) {
    if (data_apart(e))
        text_print(words, room, "state->weights + %" PRId64, e->leaves[i].offset);
    else
        text_print(words, room, "%s_w_%s.values", e->prefix.text, e->leaves[i].name.text);
}

/* Append "union", the name of the type of leaf i's array and, if `whole`, its members. */
static void add_type(struct text *t, const struct exporting *e, int i, bool whole) {
    const struct leaf *l = &e->leaves[i];
    ty_dtype dtype = l->dtype;
    int64_t part = order_unit(dtype);
    int64_t n = l->written * parts_of(dtype);
    text_add(t, "const union %s_w%d ", e->prefix.text, i);
    if (whole)
        text_add(t, "{\nuint64_t words[%" PRId64 "];\n%s values[%" PRId64 "];\n} ",
                 (n * part + WORD - 1) / WORD, data_type(dtype), n);
    text_add(t, "%s_w_%s", e->prefix.text, l->name.text);
}
/* Append the arrays of all leaves. */
static void add_arrays(const struct exporting *e, struct text *t, bool local) {
    if (e->report.weight_bytes) add_macros(e, t);
    for (int i = 0; i < e->nleaves; i++) {
        const struct leaf *l = &e->leaves[i];
        ty_dtype dtype = l->dtype;
        if (!l->written) continue;
        if (local) text_add(t, "static ");
        add_type(t, e, i, local);
        text_add(t, " = {{\n");
        add_words(e, t, data_of(l), l->written * (int64_t)dtype_table[dtype].size, (size_t)order_unit(dtype));
        text_add(t, "}};\n");
    }
}
/* Append declarations of the arrays of all leaves, which another C file defines. */
static void add_declarations(const struct exporting *e, struct text *t) {
    text_add(t, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    for (int i = 0; i < e->nleaves; i++) {
        if (!e->leaves[i].written) continue;
        text_add(t, "extern ");
        add_type(t, e, i, true);
        text_add(t, ";\n");
    }
    text_add(t, "#ifdef __cplusplus\n}\n#endif\n");
}

void data_write(struct exporting *e) {
    if (data_apart(e)) {
        weights_write(e);
    } else if (is_second(e)) {
        text_add(&e->weights, "/* Written by Tyto %s: values for %s. */\n#include <stdint.h>\n", ty_version(),
                 e->prefix.text);
        add_declarations(e, &e->weights);
        add_arrays(e, &e->weights, false);
        add_declarations(e, &e->file);
    } else {
        add_arrays(e, &e->file, true);
    }
}

const char *data_form(const ty_tensor *x, char *words, size_t room) {
    form_words(words, room, x->dtype, x->layout.rank, x->layout.shape);
    return words;
}
void data_members(const struct exporting *e, struct text *t) {
    char words[160];
    for (int i = 0; i < e->nleaves; i++) {
        const struct leaf *l = &e->leaves[i];
        if (!l->state) continue;
        text_add(t, "    %s %s[%" PRId64 "]; /* %s */\n", data_type(l->dtype), l->name.text,
                 (l->size ? l->size : 1) * parts_of(l->dtype), data_form(l->tensor, words, sizeof words));
    }
}
void data_begin(const struct exporting *e, struct text *t) {
    bool counts = false; /* a loop writes equal elements */
    for (int i = 0; i < e->nleaves; i++)
        counts = counts || (e->leaves[i].written && e->leaves[i].written < e->leaves[i].size);
    if (counts) text_add(t, "size_t i;\n");
    for (int i = 0; i < e->nleaves; i++) {
        const struct leaf *l = &e->leaves[i];
        if (!l->state || !l->size) continue;
        const char *name = l->name.text;
        char from[2 * NAME_BYTES];
        data_address(e, i, from, sizeof from);
        if (!l->written)
            text_add(t, "memset(state->%s, 0, sizeof state->%s);\n", name, name);
        else if (l->written == l->size)
            text_add(t, "memcpy(state->%s, %s, sizeof state->%s);\n", name, from, name);
        else
            text_add(t,
                     "for (i = 0; i < sizeof state->%s; i += %zu) memcpy((char *)state->%s + i, %s, %zu);\n",
                     name, dtype_table[l->dtype].size, name, from, dtype_table[l->dtype].size);
    }
}
