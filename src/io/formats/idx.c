/*
 * IDX, the format of MNIST (LeCun, "The MNIST database", yann.lecun.com/exdb/mnist): two zero bytes, a code for
 * the element type, the rank, the sizes, and the elements row-major, all big-endian. Bytes after the last
 * element are refused.
 */
#include <inttypes.h>
#include <string.h>
#include "array/tensor.h"
#include "io/formats/matches.h"

static const struct {
    uint8_t code;
    ty_dtype dtype;
} idx_types[] = {
    {0x08, TY_U8}, {0x09, TY_I8}, {0x0b, TY_I16}, {0x0c, TY_I32}, {0x0d, TY_F32}, {0x0e, TY_F64},
};
enum { TYPES = sizeof idx_types / sizeof *idx_types, MAGIC = 4 };

static ty_dtype dtype_of(uint8_t code) {
    for (int i = 0; i < TYPES; i++)
        if (idx_types[i].code == code) return idx_types[i].dtype;
    return TY_DTYPES;
}

bool idx_matches(const uint8_t *head, size_t n) {
    return n >= MAGIC && !head[0] && !head[1] && dtype_of(head[2]) != TY_DTYPES && head[3] <= TY_MAX_RANK;
}

/* Read the magic number of an IDX file and set the entry's dtype, byte order and rank; false sets a's
   fault. */
static bool read_magic(struct ty_archive *a, struct archive_entry *e) {
    uint8_t magic[MAGIC];
    const char *name = a->input->name;
    if (!input_exactly(a->input, 0, magic, sizeof magic, "magic number", &a->fault)) return false;
    if (magic[0] || magic[1])
        return fault_set(&a->fault, E_FORMAT,
                         "%s: is not an IDX file: it begins with %02x %02x, not with 00 00", name, magic[0],
                         magic[1]);
    e->dtype = dtype_of(magic[2]);
    if (e->dtype == TY_DTYPES)
        return fault_set(&a->fault, E_FORMAT,
                         "%s: unknown element type 0x%02x; expected one of IDX (08 u8, 09 i8, 0b i16, 0c "
                         "i32, 0d f32, 0e f64)",
                         name, magic[2]);
    e->rank = magic[3];
    e->swapped = machine_is_little_endian() && dtype_table[e->dtype].size > 1;
    return e->rank <= TY_MAX_RANK ||
           fault_set(&a->fault, E_FORMAT, "%s: has %d axes, more than the %d that a tensor may have", name,
                     e->rank, TY_MAX_RANK);
}

bool idx_open(struct ty_archive *a) {
    uint8_t sizes[4 * TY_MAX_RANK];
    int64_t shape[TY_MAX_RANK];
    struct archive_entry *e = archive_single(a);
    if (!e || !read_magic(a, e)) return false;
    size_t bytes = 4 * (size_t)e->rank;
    if (!input_exactly(a->input, MAGIC, sizes, bytes, "sizes", &a->fault)) return false;
    for (int i = 0; i < e->rank; i++) {
        const uint8_t *at = sizes + 4 * i;
        shape[i] = (int64_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
    }
    e->begin = MAGIC + bytes;
    return entry_shape(e, &a->arena, e->rank, shape, &a->fault) &&
           elements_check(a->input, e, true, &a->options, &a->fault);
}

bool idx_write(struct writing *w) {
    if (!writing_single(w, "idx")) return false;
    const ty_tensor *x = w->tensors[0];
    uint8_t head[MAGIC + 4 * TY_MAX_RANK] = {0};
    for (int i = 0; i < TYPES; i++)
        if (idx_types[i].dtype == x->dtype) head[2] = idx_types[i].code;
    if (!head[2])
        return fault_set(w->fault, E_DTYPE,
                         "save: idx has no element type for %s; cast to u8, i8, i16, i32, f32 or f64",
                         ty_dtype_name(x->dtype));
    head[3] = (uint8_t)x->layout.rank;
    for (int i = 0; i < x->layout.rank; i++) {
        int64_t size = x->layout.shape[i];
        if (size > UINT32_MAX)
            return fault_set(w->fault, E_UNSUPPORTED,
                             "save: a size of %" PRId64 " is too large for idx; use npy", size);
        for (int k = 0; k < 4; k++) head[MAGIC + 4 * i + k] = (uint8_t)(size >> 8 * (3 - k));
    }
    return output_write(w->out, head, MAGIC + 4 * (size_t)x->layout.rank) && elements_write(w->out, x, true);
}
