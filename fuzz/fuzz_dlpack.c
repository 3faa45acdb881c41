/*
 * Interprets bytes as a DLPack tensor: the struct's fields, then the memory that it points into. The result is a
 * message, or a tensor with exactly the elements that sizes, strides and byte_offset describe. In both cases the
 * deleter is called once. Addresses that wrap around must be refused. Addresses outside the memory are not tested,
 * since no callee can detect them.
 */
#include <stdlib.h>
#include <string.h>
#include <tyto/dlpack.h>
#include <tyto/tyto.h>

enum { MEMORY = 128, MOST_AXES = 4, MOST_ELEMENTS = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
    const uint8_t *at, *end;
};

static uint8_t next(struct bytes *b) { return b->at < b->end ? *b->at++ : 0; }

/* Return a small number in most cases, otherwise one at the ends of 64 bits. */
static int64_t number(struct bytes *b) {
    static const int64_t ends[] = {INT64_MAX, INT64_MIN, INT64_MAX / 2, INT64_MIN / 2, -3, (int64_t)1 << 32,
                                   -4,        64};
    uint8_t n = next(b);
    return n < 200 ? n % 7 - (n & 64 ? 3 : 0) : ends[n % 8];
}

static int deleted;
static void count(DLManagedTensorVersioned *self) {
    (void)self;
    deleted++;
}
static void count_legacy(DLManagedTensor *self) {
    (void)self;
    deleted++;
}

struct reach {
    bool counts;   /* the sizes describe a number of elements worth comparing */
    bool wraps;    /* the addresses wrap around */
    bool in_place; /* all elements lie in the memory */
};

static struct reach reach_of(const DLTensor *t, const char *memory, size_t element) {
    struct reach r = {.counts = t->ndim >= 0 && t->ndim <= MOST_AXES};
    __int128 n = 1, low = 0, high = 0, dense = 1;
    for (int i = r.counts ? t->ndim - 1 : -1; i >= 0; i--) {
        r.counts = r.counts && t->shape[i] >= 0 && t->shape[i] <= MOST_ELEMENTS;
        if (!r.counts) return r;
        __int128 last = (__int128)(t->shape[i] - 1) * (t->strides ? t->strides[i] : dense);
        *(last < 0 ? &low : &high) += last;
        dense *= t->shape[i];
        n *= t->shape[i];
    }
    r.counts = r.counts && n > 0 && n <= MOST_ELEMENTS;
    if (!r.counts) return r;
    __int128 first = (__int128)(uintptr_t)t->data + t->byte_offset;
    __int128 begin = first + low * (__int128)element, end = first + (high + 1) * (__int128)element;
    r.wraps = begin < 0 || first > UINTPTR_MAX || end > (__int128)UINTPTR_MAX + 1;
    r.in_place = begin >= (__int128)(uintptr_t)memory && end <= (__int128)(uintptr_t)memory + MEMORY;
    return r;
}

/* Compare the elements one by one with the struct's description. */
static void compare(const DLTensor *t, ty_tensor *x, size_t element) {
    uint8_t got[MOST_ELEMENTS * 16];
    int64_t index[MOST_AXES] = {0};
    if (!ty_read(x, ty_dtype_of(x), (void *)got)) __builtin_trap();
    for (int64_t i = 0; i < ty_size(x); i++) {
        const char *at = (const char *)t->data + t->byte_offset;
        int64_t dense = 1;
        for (int k = t->ndim - 1; k >= 0; k--) {
            at += index[k] * (t->strides ? t->strides[k] : dense) * (int64_t)element;
            dense *= t->shape[k];
        }
        if (memcmp(at, got + (size_t)i * element, element) != 0) __builtin_trap();
        for (int k = t->ndim - 1; k >= 0 && ++index[k] == t->shape[k]; k--) index[k] = 0;
    }
}

/* Export and import the tensor; it must stay equal. */
static void send_round(ty_tensor *x) {
    ty_tensor *error = NULL;
    DLManagedTensorVersioned *sent = ty_to_dlpack(x, &error);
    if (!sent && (!error || ty_ok(error))) __builtin_trap();
    if (!sent) return;
    ty_tensor *back = ty_from_dlpack(sent);
    if (!ty_ok(back) || ty_item(ty_array_equal(x, back, true)) != 1) __builtin_trap();
}

static void look(const DLTensor *t, ty_tensor *x, const char *memory) {
    if (!ty_ok(x)) {
        if (!*ty_error(x)) __builtin_trap();
        return;
    }
    size_t element = ty_dtype_size(ty_dtype_of(x));
    struct reach r = reach_of(t, memory, element);
    if (r.wraps) __builtin_trap();
    if (!r.counts || !r.in_place) return;
    compare(t, x, element);
    send_round(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int64_t shape[MOST_AXES], strides[MOST_AXES];
    struct bytes b = {data, data + size};
    char *memory = calloc(1, MEMORY);
    if (!memory) return 0;
    int flags = next(&b);
    DLTensor t = {.data = memory + 8 * (next(&b) % 16), .device = {flags & 1 ? kDLCUDA : kDLCPU, 0}};
    if (flags % 16 == 15) t.data = NULL;
    t.device.device_type = flags % 16 == 1 ? kDLCUDA : kDLCPU;
    t.ndim = flags & 32 ? (int32_t)number(&b) : next(&b) % (MOST_AXES + 1);
    t.dtype = (DLDataType){next(&b) % 8, (uint8_t)(8 << next(&b) % 6), flags % 32 == 17 ? next(&b) : 1};
    for (int i = 0; i < MOST_AXES; i++) shape[i] = number(&b), strides[i] = number(&b);
    t.shape = shape;
    t.strides = flags & 64 ? strides : NULL;
    t.byte_offset = flags & 128 ? (uint64_t)number(&b) * (next(&b) % 17) : 0;
    if (t.ndim > MOST_AXES && t.ndim <= TY_MAX_RANK) t.ndim = MOST_AXES;
    for (int i = 0; i < MEMORY; i++) memory[i] = (char)next(&b);
    bool bools = t.dtype.code == kDLBool && t.dtype.bits == 8; /* bools are read at once */
    struct reach r = reach_of(&t, memory, 1);
    ty_scope *scope = ty_open();
    if (!bools || (r.counts && r.in_place)) {
        deleted = 0;
        DLManagedTensorVersioned managed = {
            .version = {flags % 8 == 3 ? 2 : 1, 0}, .dl_tensor = t, .deleter = count};
        DLManagedTensor legacy = {.dl_tensor = t, .deleter = count_legacy};
        look(&t, ty_from_dlpack(&managed), memory);
        look(&t, ty_from_dlpack_legacy(&legacy), memory);
        ty_close(scope);
        scope = NULL;
        if (deleted != 2) __builtin_trap();
    }
    ty_close(scope);
    free(memory);
    return 0;
}
