/*
 * IDX, the format of MNIST (LeCun, "The MNIST database", yann.lecun.com/exdb/mnist): two zero bytes, a
 * code for the element type, the rank, the sizes and the elements row-major, all big-endian.  The file ends
 * with the last element; anything else is refused.
 */
#include <inttypes.h>
#include <string.h>
#include <tyto/io.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/file.h"
#include "io/source.h"

static const struct {
    uint8_t code;
    ty_dtype dtype;
} idx_types[] = {
    {0x08, TY_U8}, {0x09, TY_I8}, {0x0b, TY_I16}, {0x0c, TY_I32}, {0x0d, TY_F32}, {0x0e, TY_F64},
};

/* The most that a compressed file may grow to, and the first piece that is unpacked. */
static const int64_t MOST_UNPACKED = INT64_C(1) << 34;
enum { FIRST_PIECE = 1 << 16 };

struct idx {
    ty_dtype dtype;
    int rank;
    int64_t shape[TY_MAX_RANK];
    int64_t bytes; /* of the elements */
};

static bool read_exactly(struct source *s, void *out, size_t n, const char *what) {
    size_t got;
    if (!source_read(s, out, n, &got)) return false;
    if (got == n) return true;
    return fault_set(s->fault, "%s: is truncated: %zu bytes of %s expected, %zu found", s->name, n, what,
                     got);
}

static bool read_magic(struct source *s, struct idx *x) {
    uint8_t magic[4];
    if (!read_exactly(s, magic, sizeof magic, "magic number")) return false;
    if (magic[0] || magic[1])
        return fault_set(s->fault, "%s: is no IDX file: it begins with %02x %02x, not with 00 00", s->name,
                         magic[0], magic[1]);
    x->dtype = TY_DTYPES;
    for (size_t i = 0; i < sizeof idx_types / sizeof *idx_types; i++)
        if (idx_types[i].code == magic[2]) x->dtype = idx_types[i].dtype;
    if (x->dtype == TY_DTYPES)
        return fault_set(
            s->fault, "%s: element type 0x%02x is none of IDX (08 u8, 09 i8, 0b i16, 0c i32, 0d f32, 0e f64)",
            s->name, magic[2]);
    x->rank = magic[3];
    if (x->rank <= TY_MAX_RANK) return true;
    return fault_set(s->fault, "%s: has %d axes, more than the %d that a tensor may have", s->name, x->rank,
                     TY_MAX_RANK);
}

static bool read_sizes(struct source *s, struct idx *x) {
    uint32_t sizes[TY_MAX_RANK];
    int64_t elements;
    if (!read_exactly(s, sizes, sizeof *sizes * (size_t)x->rank, "sizes")) return false;
    bytes_from_big_endian(sizes, (size_t)x->rank, sizeof *sizes);
    for (int i = 0; i < x->rank; i++) x->shape[i] = sizes[i];
    size_t size = dtype_table[x->dtype].size;
    if (!shape_check(x->rank, x->shape, size, &elements))
        return fault_set(s->fault, "%s: its sizes multiply to more than memory can hold", s->name);
    x->bytes = elements * (int64_t)size;
    return true;
}

/* Compares the size that the header declares with what there is, before anything is allocated for it. */
static bool check_size(struct source *s, const struct idx *x) {
    uint64_t declared = (uint64_t)x->bytes;
    if (s->gzip && x->bytes > MOST_UNPACKED)
        return fault_set(s->fault,
                         "%s: would unpack to %" PRIu64 " bytes, more than the %" PRId64 " that are allowed",
                         s->name, declared, MOST_UNPACKED);
    if (declared > source_most(s))
        return fault_set(
            s->fault, "%s: is truncated: its sizes tell of %" PRIu64 " bytes of data, %s%" PRIu64 " %s",
            s->name, declared, s->gzip ? "at most " : "", source_most(s), s->gzip ? "can follow" : "follow");
    if (!s->gzip && declared < s->left)
        return fault_set(s->fault, "%s: its sizes tell of %" PRIu64 " bytes of data, but %zu follow", s->name,
                         declared, s->left);
    return true;
}

/* Unpacks into memory that grows with what really comes. */
static uint8_t *unpack(struct source *s, size_t total) {
    uint8_t *data = NULL;
    size_t done = 0, capacity = 0;
    while (done < total || !data) {
        capacity = capacity ? capacity * 2 : FIRST_PIECE;
        if (capacity > total) capacity = total ? total : 1;
        uint8_t *more = mem_grow(data, capacity, 1);
        size_t got = 0, wanted = (total < capacity ? total : capacity) - done;
        if (!more)
            fault_memory(s->fault, capacity);
        else
            data = more;
        if (!more || !source_read(s, data + done, wanted, &got)) break;
        done += got;
        if (got == wanted) continue;
        fault_set(s->fault, "%s: is truncated: its sizes tell of %zu bytes of data, %zu follow", s->name,
                  total, done);
        break;
    }
    if (!s->fault->set && source_end(s)) return data;
    mem_free(data);
    return NULL;
}

static ty_tensor *make_tensor(struct source *s, const struct idx *x, const void *bytes) {
    ty_tensor *made = tensor_new_value(x->dtype, x->rank, x->shape);
    if (!made) {
        fault_memory(s->fault, (size_t)x->bytes);
        return NULL;
    }
    size_t size = dtype_table[x->dtype].size;
    if (x->bytes) memcpy(tensor_data(made), bytes, (size_t)x->bytes);
    bytes_from_big_endian(tensor_data(made), (size_t)x->bytes / size, size);
    return made;
}

static ty_tensor *parse(struct source *s) {
    struct idx x;
    if (!read_magic(s, &x) || !read_sizes(s, &x) || !check_size(s, &x)) return NULL;
    if (!s->gzip) return make_tensor(s, &x, s->bytes);
    uint8_t *data = unpack(s, (size_t)x.bytes);
    ty_tensor *made = data ? make_tensor(s, &x, data) : NULL;
    mem_free(data);
    return made;
}

static ty_tensor *parse_named(const char *name, const void *bytes, size_t n, struct fault *fault) {
    struct source s;
    ty_tensor *made = source_open(&s, name, bytes, n, fault) ? parse(&s) : NULL;
    source_close(&s);
    return made;
}

ty_tensor *ty_idx_parse(const void *bytes, size_t n) {
    struct fault fault = {0};
    ty_tensor *made = parse_named("IDX data", bytes, n, &fault);
    return made ? tensor_return(made) : tensor_fault(&fault);
}

ty_tensor *ty_idx_read(const char *path) {
    struct fault fault = {0};
    struct file_bytes file;
    ty_tensor *made = NULL;
    if (file_read(path, INT64_MAX, &file, &fault)) made = parse_named(path, file.data, file.count, &fault);
    file_bytes_drop(&file);
    return made ? tensor_return(made) : tensor_fault(&fault);
}
