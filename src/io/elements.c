/* Transfer of elements between files and tensors: sizes are checked, bytes ordered, elements read or
   mapped. */
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include <unistd.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/archive.h"

enum {
    PIECE = 1 << 13,    /* size of a buffer on the stack, in bytes */
    SUM_PIECE = 4 << 20 /* bytes summed between two looks for requests to stop: some 2 ms */
};

bool machine_is_little_endian(void) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Define reverseN; a loop without branches, so that it is vectorised. */
#define REVERSE(bits)                                                                                        \
    static void reverse##bits(uint##bits##_t *data, size_t count) {                                          \
        for (size_t i = 0; i < count; i++) data[i] = __builtin_bswap##bits(data[i]);                         \
    }
REVERSE(16)
REVERSE(32)
REVERSE(64)

/* Reverse in place the bytes of each of `count` elements of width 2, 4 or 8; width 1 changes nothing. */
static void bytes_reverse(void *data, size_t count, size_t width) {
    if (width == 2) reverse16(data, count);
    if (width == 4) reverse32(data, count);
    if (width == 8) reverse64(data, count);
}

static size_t part_size(ty_dtype dtype) { return dtype_table[dtype_table[dtype].real].size; }

/* ---- sizes ---- */

bool elements_check(const struct input *in, struct archive_entry *e, bool last,
                    const ty_file_options *options, struct fault *fault) {
    int64_t elements;
    size_t size = dtype_table[e->dtype].size;
    if (!shape_check(e->rank, e->shape, size, &elements))
        return fault_set(fault, E_MEMORY, "%s: its sizes exceed memory", in->name);
    uint64_t declared = (uint64_t)dtype_bytes(e->dtype, elements), left = in->size - e->begin;
    e->end = e->begin + declared;
    if (!in->exact && declared > unpack_limit(in, options))
        return unpack_refuse(in, options, declared, fault);
    if (e->begin > in->size || declared > left)
        return fault_set(fault, E_FORMAT,
                         "%s: is truncated: its header declares %" PRIu64 " bytes of data, but %s%" PRIu64
                         " %s",
                         in->name, declared, in->exact ? "" : "at most ", e->begin > in->size ? 0 : left,
                         in->exact ? "follow" : "can follow");
    if (last && in->exact && declared < left)
        return fault_set(fault, E_FORMAT,
                         "%s: its header declares %" PRIu64 " bytes of data, but %" PRIu64 " follow",
                         in->name, declared, left);
    return true;
}

/* Check that the bytes of an entry, if its dtype is bool, are 0 or 1, as operators would compute wrongly
   with others. bytes[] holds all of the entry. False sets the fault, which names the file `name`. */
static bool check_bools(const char *name, const struct archive_entry *e, const uint8_t *bytes,
                        struct fault *fault) {
    uint64_t n = e->dtype == TY_BOOL ? e->end - e->begin : 0;
    for (uint64_t i = 0; i < n; i++)
        if (bytes[i] > 1)
            return fault_set(fault, E_FORMAT, "%s: %s%.100s%sis BOOL but holds the byte %d", name,
                             *e->name ? "tensor \"" : "", e->name, *e->name ? "\" " : "", bytes[i]);
    return true;
}

/* ---- mapping ---- */

/* A mapped range of a file. */
struct mapping {
    void *base;
    size_t length;
};

/* Unmap the memory of a mapped tensor and free `context`, its struct mapping: the tensor's `done`. data is
   ignored. */
static void unmap(void *context, void *data) {
    struct mapping *m = context;
    (void)data;
    munmap(m->base, m->length);
    mem_free(m);
}

static bool can_map(const struct input *in, const struct archive_entry *e) {
    return in->file >= 0 && !in->owned && !e->swapped && e->end > e->begin &&
           e->begin % part_size(e->dtype) == 0;
}

/* Map the elements of e and return them as a tensor of `rank` axes and this shape, which unmaps them when
   it is freed. Pages are private, so writes never reach the file. NULL, without a fault, if mapping
   fails; the caller then reads. */
static ty_tensor *map(const struct input *in, const struct archive_entry *e, int rank, const int64_t *shape) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = e->begin / page * page;
    struct mapping *m = mem_alloc(sizeof *m);
    if (!m) return NULL;
    m->length = (size_t)(e->end - start);
    m->base = mmap(NULL, m->length, PROT_READ | PROT_WRITE, MAP_PRIVATE, in->file, (off_t)start);
    if (m->base == MAP_FAILED) {
        mem_free(m);
        return NULL;
    }
    return ty_borrow(e->dtype, rank, shape, (char *)m->base + (e->begin - start), unmap, m);
}

/* ---- reading ---- */

/* Read the elements of e from the input into a new tensor of `rank` axes and this shape, in the byte order
   of this machine, owned by the current scope. NULL sets the fault. */
static ty_tensor *read_new(struct input *in, const struct archive_entry *e, int rank, const int64_t *shape,
                           struct fault *fault) {
    size_t bytes = (size_t)(e->end - e->begin), width = part_size(e->dtype);
    ty_tensor *x = tensor_new_value(e->dtype, rank, shape);
    if (!x) {
        fault_memory(fault, bytes);
        return NULL;
    }
    if (!input_exactly(in, e->begin, tensor_data(x), bytes, "data", fault)) {
        tensor_free_one_reference(x);
        return NULL;
    }
    if (e->swapped) bytes_reverse(tensor_data(x), bytes / width, width);
    return tensor_return(x);
}

ty_tensor *elements_read(struct input *in, const struct archive_entry *e, bool wants_map,
                         struct fault *fault) {
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < e->rank; i++) shape[i] = e->shape[e->fortran ? e->rank - 1 - i : i];
    ty_tensor *x = wants_map && can_map(in, e) ? map(in, e, e->rank, shape) : NULL;
    if (!x) x = read_new(in, e, e->rank, shape, fault);
    if (!x || !ty_ok(x)) return x;
    if (!check_bools(in->name, e, tensor_data(x), fault)) return NULL;
    return e->fortran ? ty_permute(x, NULL) : x;
}

/* ---- writing ---- */

static bool elements_each(const ty_tensor *x, bool big_endian,
                          bool (*take)(void *to, const void *bytes, size_t n), void *to) {
    size_t bytes = tensor_bytes(x), width = part_size(x->dtype);
    const char *data = tensor_data(x);
    if (big_endian != machine_is_little_endian() || width == 1) return take(to, data, bytes);
    uint64_t piece[PIECE / sizeof(uint64_t)];
    for (size_t done = 0, n; done < bytes; done += n) {
        n = bytes - done < PIECE ? bytes - done : PIECE;
        memcpy(piece, data + done, n);
        bytes_reverse(piece, n / width, width);
        if (!take(to, piece, n)) return false;
    }
    return true;
}

static bool write_piece(void *out, const void *bytes, size_t n) { return output_write(out, bytes, n); }

bool elements_write(struct output *out, const ty_tensor *x, bool big_endian) {
    return elements_each(x, big_endian, write_piece, out);
}

/* A checksum and the output whose bytes it is of. */
struct summing {
    struct crc *crc;
    struct output *out;
};
static bool add_piece(void *context, const void *bytes, size_t n) {
    struct summing *s = context;
    const char *at = bytes;
    for (size_t piece; n; n -= piece, at += piece) {
        piece = n < SUM_PIECE ? n : SUM_PIECE;
        if (!output_goes_on(s->out)) return false;
        crc_add(s->crc, at, piece);
    }
    return true;
}

bool elements_checksum(struct crc *crc, const ty_tensor *x, bool big_endian, struct output *out) {
    return elements_each(x, big_endian, add_piece, &(struct summing){crc, out});
}
