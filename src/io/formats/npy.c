/* Reader and writer of npy files. */
#include "io/formats/npy.h"
#include <inttypes.h>
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/formats/matches.h"

static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};
enum { MAGIC = 6, PREFIX = MAGIC + 2, MOST_HEADER = 1 << 20, ALIGNMENT = 64 };

bool npy_matches(const uint8_t *head, size_t n) { return n >= MAGIC && memcmp(head, magic, MAGIC) == 0; }

static uint32_t little(const uint8_t *bytes, int n) {
    uint32_t value = 0;
    for (int i = 0; i < n; i++) value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

/* Check magic number and version of the npy file, and set *length to the bytes of the header's text and
   *begin to its offset in the file. False sets the fault. */
static bool read_prefix(struct input *in, uint32_t *length, uint64_t *begin, struct fault *fault) {
    uint8_t head[PREFIX], count[4];
    if (!input_exactly(in, 0, head, sizeof head, "magic number and version", fault)) return false;
    if (!npy_matches(head, sizeof head))
        return fault_set(fault, E_FORMAT, "%s: is not an npy file: it does not begin with \\x93NUMPY",
                         in->name);
    if (head[MAGIC] < 1 || head[MAGIC] > 3 || head[MAGIC + 1] != 0)
        return fault_set(fault, E_FORMAT, "%s: has npy version %d.%d; expected 1.0, 2.0 or 3.0", in->name,
                         head[MAGIC], head[MAGIC + 1]);
    int width = head[MAGIC] == 1 ? 2 : 4;
    if (!input_exactly(in, PREFIX, count, (size_t)width, "header length", fault)) return false;
    *length = little(count, width);
    *begin = PREFIX + (uint64_t)width;
    if (*length > MOST_HEADER)
        return fault_set(fault, E_LIMIT,
                         "%s: has an npy header of %" PRIu32 " bytes, more than the allowed %d", in->name,
                         *length, MOST_HEADER);
    if (*length <= in->size - *begin) return true;
    return fault_set(fault, E_FORMAT,
                     "%s: is truncated: the npy header has %" PRIu32 " bytes, %" PRIu64 " follow", in->name,
                     *length, in->size - *begin);
}

bool npy_read_header(struct input *in, const ty_file_options *options, struct arena *arena,
                     struct archive_entry *e, struct fault *fault) {
    uint32_t length = 0;
    if (!read_prefix(in, &length, &e->begin, fault)) return false;
    char *text = mem_alloc((size_t)length + 1);
    if (!text) return fault_memory(fault, length);
    bool ok = input_exactly(in, e->begin, text, length, "header", fault) &&
              npy_parse(in->name, text, length, options, arena, e, fault);
    mem_free(text);
    e->begin += length;
    return ok && elements_check(in, e, true, options, fault);
}

bool npy_open(struct ty_archive *a) {
    struct archive_entry *e = archive_single(a);
    return e && npy_read_header(a->input, &a->options, &a->arena, e, &a->fault);
}

/* ---- writing ---- */

static const char *const codes[TY_DTYPES] = {
    [TY_BOOL] = "b1", [TY_I8] = "i1",  [TY_I16] = "i2", [TY_I32] = "i4", [TY_I64] = "i8",
    [TY_U8] = "u1",   [TY_U16] = "u2", [TY_U32] = "u4", [TY_U64] = "u8", [TY_F16] = "f2",
    [TY_BF16] = "V2", [TY_F32] = "f4", [TY_F64] = "f8", [TY_C64] = "c8", [TY_C128] = "c16",
};

bool npy_header(struct text *t, const ty_tensor *x, struct fault *fault) {
    int rank = x->layout.rank;
    if (dtype_stored(x->dtype))
        return fault_set(fault, E_DTYPE, "save: npy has no name for %s; ty_cast it", ty_dtype_name(x->dtype));
    text_add_bytes(t, magic, MAGIC);
    text_add_bytes(t, "\1\0\0\0", 4);
    text_add(t, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (",
             dtype_table[x->dtype].size == 1 ? '|' : '<', codes[x->dtype],
             layout_is_contiguous(&x->layout) ? "False" : "True");
    for (int i = 0; i < rank; i++) text_add(t, i ? ", %" PRId64 : "%" PRId64, x->layout.shape[i]);
    text_add(t, rank == 1 ? ",), }" : "), }");
    text_pad(t, ' ', ALIGNMENT - 1 - t->length % ALIGNMENT);
    text_add(t, "\n");
    if (t->failed) return fault_memory(fault, t->length);
    size_t length = t->length - PREFIX - 2; /* at most 64 sizes of 20 characters, which fit version 1.0 */
    t->data[PREFIX] = (char)(length & 255);
    t->data[PREFIX + 1] = (char)(length >> 8);
    return true;
}

bool npy_write(struct writing *w) {
    struct text header = {0};
    bool ok = writing_single(w, "npy") && npy_header(&header, w->tensors[0], w->fault) &&
              output_text(w->out, &header) && elements_write(w->out, w->tensors[0], false);
    text_drop(&header);
    return ok;
}
