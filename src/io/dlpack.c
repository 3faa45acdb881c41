/*
 * DLPack, both ways. An export is one block with struct, shape, strides, and a reference to the buffer. An
 * import borrows the memory from the lowest to the highest element and returns a view of it; negative strides
 * start inside it.
 */
#include <tyto/dlpack.h>
#include <inttypes.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "array/remote.h"
#include "array/scope.h"
#include "base/alloc.h"
#include "base/checked.h"

static const struct {
    uint8_t code, bits;
} types[DTYPE_ROWS] = {
    [TY_BOOL] = {kDLBool, 8},
    [TY_I8] = {kDLInt, 8},
    [TY_I16] = {kDLInt, 16},
    [TY_I32] = {kDLInt, 32},
    [TY_I64] = {kDLInt, 64},
    [TY_U8] = {kDLUInt, 8},
    [TY_U16] = {kDLUInt, 16},
    [TY_U32] = {kDLUInt, 32},
    [TY_U64] = {kDLUInt, 64},
    [TY_F16] = {kDLFloat, 16},
    [TY_BF16] = {kDLBfloat, 16},
    [TY_F32] = {kDLFloat, 32},
    [TY_F64] = {kDLFloat, 64},
    [TY_C64] = {kDLComplex, 64},
    [TY_C128] = {kDLComplex, 128},
    [TY_F8_E4M3FN] = {kDLFloat8_e4m3fn, 8},
    [TY_F8_E4M3FNUZ] = {kDLFloat8_e4m3fnuz, 8},
    [TY_F8_E5M2] = {kDLFloat8_e5m2, 8},
    [TY_F8_E5M2FNUZ] = {kDLFloat8_e5m2fnuz, 8},
    [TY_F8_E8M0] = {kDLFloat8_e8m0fnu, 8},
    [TY_F4_E2M1] = {kDLFloat4_e2m1fn, 4},
    [TY_I4] = {kDLInt, 4},
    [TY_U4] = {kDLUInt, 4},
    [TY_I2] = {kDLInt, 2},
    [TY_U2] = {kDLUInt, 2},
};

/* ---- export ---- */

/* An exported tensor: the struct of either version, shape and strides in one block. */
struct exported {
    union {
        DLManagedTensorVersioned versioned;
        DLManagedTensor legacy;
    };
    struct buffer *buffer;
    int64_t axes[]; /* shape, then strides */
};

static void drop(struct exported *e) {
    buffer_release(e->buffer);
    mem_free(e);
}
static void drop_versioned(DLManagedTensorVersioned *self) { drop(self->manager_ctx); }
static void drop_legacy(DLManagedTensor *self) { drop(self->manager_ctx); }

/* Return the DLPack description of x, which must be a value. Its shape and strides, in elements, are stored
   in e->axes; the data stays owned by x. */
static DLTensor describe(struct exported *e, const ty_tensor *x) {
    int rank = x->layout.rank;
    if (rank) {
        memcpy(e->axes, x->layout.shape, sizeof(int64_t) * (size_t)rank);
        memcpy(e->axes + rank, x->layout.strides, sizeof(int64_t) * (size_t)rank);
    }
    return (DLTensor){
        .data = tensor_size(x) ? tensor_data(x) : NULL,
        .device = {kDLCPU, 0},
        .ndim = rank,
        .dtype = {types[x->dtype].code, types[x->dtype].bits, 1},
        .shape = e->axes,
        .strides = e->axes + rank,
    };
}

/* Allocate the export of x's value; *value receives that value with a reference of the caller. Return NULL
   on failure, with poison in *error unless error is NULL. */
static struct exported *export_new(ty_tensor *x, const ty_tensor **value, ty_tensor **error) {
    struct fault fault = {0};
    ty_scope *scope = ty_open();
    ty_tensor *v = at_home(ty_eval(x));
    struct exported *e = NULL;
    if (!ty_ok(v))
        fault_tensor(&fault, v);
    else
        e = mem_alloc(sizeof *e + 2 * sizeof(int64_t) * (size_t)v->layout.rank);
    if (e) e->buffer = buffer_retain(v->buffer);
    if (e) *value = ty_retain(v);
    if (!e) fault_memory(&fault, sizeof *e);
    ty_close(scope);
    if (!e && error) *error = tensor_fault(&fault);
    return e;
}

DLManagedTensorVersioned *ty_to_dlpack(ty_tensor *x, ty_tensor **error) {
    const ty_tensor *value;
    struct exported *e = export_new(x, &value, error);
    if (!e) return NULL;
    /* one reference is the export's, one the tensor's */
    bool read_only = atomic_load(&value->buffer->refs) > 2 || value->buffer->done;
    if (!read_only) atomic_store(&value->buffer->exported, true);
    e->versioned = (DLManagedTensorVersioned){
        .version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION},
        .manager_ctx = e,
        .deleter = drop_versioned,
        .flags = read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0,
        .dl_tensor = describe(e, value),
    };
    ty_release((ty_tensor *)(uintptr_t)value);
    return &e->versioned;
}

DLManagedTensor *ty_to_dlpack_legacy(ty_tensor *x, ty_tensor **error) {
    const ty_tensor *value;
    struct exported *e = export_new(x, &value, error);
    if (!e) return NULL;
    atomic_store(&value->buffer->exported, true); /* the old struct cannot mark memory as read-only */
    e->legacy = (DLManagedTensor){.dl_tensor = describe(e, value), .manager_ctx = e, .deleter = drop_legacy};
    ty_release((ty_tensor *)(uintptr_t)value);
    return &e->legacy;
}

/* ---- import ---- */

/* Memory that an import needs. */
struct span {
    ty_dtype dtype;
    int64_t low, count; /* elements before the first one, and total */
    struct layout_room room;
};

/* Set *dtype to the one with the code and bits of t's elements; false sets the fault if Tyto has none. */
static bool find_dtype(const DLTensor *t, ty_dtype *dtype, struct fault *fault) {
    if (t->dtype.lanes != 1)
        return fault_set(fault, E_UNSUPPORTED, "from_dlpack: elements have %d lanes; only 1 is supported",
                         t->dtype.lanes);
    for (int d = 0; d < DTYPE_ROWS; d++)
        if (d != TY_DTYPES && types[d].code == t->dtype.code && types[d].bits == t->dtype.bits) {
            *dtype = (ty_dtype)d;
            return true;
        }
    return fault_set(fault, E_UNSUPPORTED,
                     "from_dlpack: unsupported element type %d with %d bits: cast first", t->dtype.code,
                     t->dtype.bits);
}

/* Extend *low <= 0 and *high >= 0, offsets of the lowest and highest element, by an axis of `size` > 0
   elements that are `stride` elements apart. False on overflow; no fault is set. */
static bool reach(int64_t size, int64_t stride, int64_t *low, int64_t *high) {
    int64_t last;
    return checked_mul(size - 1, stride, &last) &&
           checked_add(*(last < 0 ? low : high), last, last < 0 ? low : high);
}

/* Return true if the `bytes` bytes of all `count` elements from the lowest to the highest address fit in
   the address space. low <= 0 is the offset, in elements, of the lowest from the first element of t. */
static bool fits_in_memory(const DLTensor *t, int64_t low, int64_t count, int64_t bytes) {
    uintptr_t first, begin, end;
    if (__builtin_add_overflow((uintptr_t)t->data, t->byte_offset, &first)) return false;
    int64_t before = count ? low * (bytes / count) : 0; /* cannot overflow, as bytes does not */
    return !__builtin_add_overflow(first, before, &begin) && !__builtin_add_overflow(begin, bytes, &end);
}

/* Check the rank, sizes and strides of t, and set in s the layout, the number `count` of elements that it
   spans, and `low`, how many lie before the first. False sets the fault. */
static bool fit_layout(const DLTensor *t, struct span *s, struct fault *fault) {
    int64_t size, low = 0, high = 0, bytes;
    if (t->ndim < 0 || t->ndim > TY_MAX_RANK || (t->ndim && !t->shape))
        return fault_set(fault, E_FORMAT, "from_dlpack: has %d axes; a tensor has 0 to %d", (int)t->ndim,
                         TY_MAX_RANK);
    if (!shape_check(t->ndim, t->shape, dtype_table[s->dtype].size, &size))
        return fault_set(fault, E_SHAPE, "from_dlpack: its sizes are negative or too large");
    struct layout *l = layout_room_init(&s->room, t->ndim);
    if (t->ndim) memcpy(l->shape, t->shape, sizeof(int64_t) * (size_t)t->ndim);
    shape_row_major(t->ndim, t->shape, l->strides);
    if (t->strides && t->ndim) memcpy(l->strides, t->strides, sizeof(int64_t) * (size_t)t->ndim);
    bool well = true;
    for (int i = 0; size && well && i < t->ndim; i++) well = reach(l->shape[i], l->strides[i], &low, &high);
    well = well && !__builtin_sub_overflow(high, low, &s->count) &&
           checked_add(s->count, size > 0, &s->count) &&
           checked_mul(s->count, (int64_t)dtype_table[s->dtype].size, &bytes);
    if (!well || !fits_in_memory(t, low, s->count, bytes))
        return fault_set(fault, E_MEMORY,
                         "from_dlpack: its byte_offset and strides exceed the address space");
    l->offset = s->low = -low;
    return !dtype_stored(s->dtype) || layout_is_contiguous(l) ||
           fault_set(fault, E_UNSUPPORTED,
                     "from_dlpack: elements of %s must lie in row-major order without gaps: copy them first",
                     ty_dtype_name(s->dtype));
}

/* Check device, dtype, layout, pointer and alignment of t, and fill s from them; false sets the fault. */
static bool check(const DLTensor *t, struct span *s, struct fault *fault) {
    if (t->device.device_type != kDLCPU)
        return fault_set(
            fault, E_UNSUPPORTED,
            "from_dlpack: the data is on device type %d, not on the CPU (1): copy it there first",
            (int)t->device.device_type);
    if (!find_dtype(t, &s->dtype, fault) || !fit_layout(t, s, fault)) return false;
    size_t part = dtype_table[dtype_table[s->dtype].real].size;
    if (s->count && !t->data) return fault_set(fault, E_ARGUMENT, "from_dlpack: the data pointer is NULL");
    return ((uintptr_t)t->data + t->byte_offset) % part == 0 ||
           fault_set(fault, E_UNSUPPORTED,
                     "from_dlpack: the data is not aligned to its elements of %zu bytes: copy it first",
                     part);
}

/* Return x, or poison if it is a bool tensor that holds bytes other than 0 and 1, with which operators
   would compute wrongly. */
static ty_tensor *check_bools(ty_tensor *x) {
    if (x->dtype != TY_BOOL || !ty_ok(x) || !tensor_size(x)) return x;
    struct odometer o = {.rank = x->layout.rank, .shape = x->layout.shape};
    const int64_t *strides = x->layout.strides;
    const uint8_t *data = tensor_data(x);
    int64_t at = 0;
    do
        if (data[at] > 1)
            return ty_poison_code(E_FORMAT, "from_dlpack: a bool is the byte %d, not 0 or 1", data[at]);
    while (odometer_next(&o, 1, &strides, &at));
    return x;
}

/* Borrow the memory of t and return a view with its dtype and layout, owned by the current scope. If
   `fault` is set already or t is invalid, return poison with the fault. `done` is called exactly once
   with `context`: when the memory is no longer used, or at once on failure. */
static ty_tensor *import(const DLTensor *t, void (*done)(void *context, void *data), void *context,
                         struct fault *fault) {
    struct span s = {0};
    if (fault->set || !check(t, &s, fault)) {
        scope_call_done(done, context, NULL);
        return tensor_fault(fault);
    }
    size_t size = dtype_table[s.dtype].size;
    char *first = t->data ? (char *)t->data + t->byte_offset : NULL;
    ty_scope *scope = ty_open();
    ty_tensor *flat =
        ty_borrow(s.dtype, 1, &s.count, s.count ? first - s.low * (int64_t)size : NULL, done, context);
    ty_tensor *x =
        ty_keep(ty_ok(flat) ? check_bools(tensor_return(tensor_new_view(flat, &s.room.layout))) : flat);
    ty_close(scope);
    return x;
}

static void done_versioned(void *context, void *data) {
    DLManagedTensorVersioned *managed = context;
    (void)data;
    if (managed->deleter) managed->deleter(managed);
}
static void done_legacy(void *context, void *data) {
    DLManagedTensor *managed = context;
    (void)data;
    if (managed->deleter) managed->deleter(managed);
}

ty_tensor *ty_from_dlpack(DLManagedTensorVersioned *managed) {
    struct fault fault = {0};
    if (!managed) return ty_poison_code(E_ARGUMENT, "from_dlpack: the DLManagedTensorVersioned is NULL");
    if (managed->version.major != DLPACK_MAJOR_VERSION)
        fault_set(&fault, E_UNSUPPORTED,
                  "from_dlpack: version %" PRIu32 ".%" PRIu32 " is not supported; expected version 1",
                  managed->version.major, managed->version.minor);
    if ((managed->flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) && managed->dl_tensor.dtype.bits < 8)
        fault_set(&fault, E_UNSUPPORTED,
                  "from_dlpack: elements of %d bits are padded to bytes: pack them first",
                  managed->dl_tensor.dtype.bits);
    bool read_only = managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY; /* before `managed` may be freed */
    ty_tensor *x = import(&managed->dl_tensor, done_versioned, managed, &fault);
    if (ty_ok(x) && read_only) x->buffer->read_only = true;
    return x;
}

ty_tensor *ty_from_dlpack_legacy(DLManagedTensor *managed) {
    struct fault fault = {0};
    if (!managed) return ty_poison_code(E_ARGUMENT, "from_dlpack: the DLManagedTensor is NULL");
    return import(&managed->dl_tensor, done_legacy, managed, &fault);
}
