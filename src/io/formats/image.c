/* Sizes of images, checked before memory is allocated. */
#include "io/formats/image.h"
#include <inttypes.h>
#include "array/tensor.h"

struct archive_entry *image_entry(struct ty_archive *a, uint64_t height, uint64_t width, int channels,
                                  int bits) {
    struct archive_entry *e = archive_single(a);
    if (!e) return NULL;
    e->dtype = bits > 8 ? TY_U16 : TY_U8;
    if (!height || !width || height > INT32_MAX || width > INT32_MAX) {
        fault_set(&a->fault, E_FORMAT, "%s: the image has %" PRIu64 " x %" PRIu64 " pixels; expected 1 to %d",
                  a->input->name, height, width, INT32_MAX);
        return NULL;
    }
    uint64_t bytes;
    bool large =
        __builtin_mul_overflow(height * width, (uint64_t)channels * dtype_table[e->dtype].size, &bytes);
    if (large) bytes = UINT64_MAX;
    if (bytes > unpack_limit(a->input, &a->options)) {
        unpack_refuse(a->input, &a->options, bytes, &a->fault);
        return NULL;
    }
    int64_t shape[] = {(int64_t)height, (int64_t)width, channels}, size;
    if (!shape_check(3, shape, dtype_table[e->dtype].size, &size)) {
        fault_set(&a->fault, E_MEMORY, "%s: its sizes exceed memory", a->input->name);
        return NULL;
    }
    e->end = a->input->size;
    return entry_shape(e, &a->arena, 3, shape, &a->fault) ? e : NULL;
}

ty_tensor *image_new(const struct archive_entry *e, struct fault *fault) {
    ty_tensor *x = tensor_new_value(e->dtype, e->rank, e->shape);
    int64_t size = shape_size(e->rank, e->shape);
    if (!x) fault_memory(fault, (size_t)size * dtype_table[e->dtype].size);
    return x;
}

bool image_to_write(struct writing *w, const char *format, struct image *image) {
    char form[128];
    if (!writing_single(w, format)) return false;
    const ty_tensor *x = w->tensors[0];
    int rank = x->layout.rank;
    const int64_t *shape = x->layout.shape;
    *image = (struct image){.x = x, .channels = 1, .bits = x->dtype == TY_U16 ? 16 : 8};
    bool well = (x->dtype == TY_U8 || x->dtype == TY_U16) && (rank == 2 || rank == 3);
    for (int i = 0; i < rank && well; i++) well = shape[i] > 0 && shape[i] <= INT32_MAX;
    if (well && rank == 3) well = shape[2] <= IMAGE_CHANNELS;
    if (!well)
        return fault_set(w->fault, E_DTYPE,
                         "save: %s holds images, u8 or u16 (H,W) or (H,W,1 to %d), not %s: cast or reshape",
                         format, IMAGE_CHANNELS, tensor_describe_into(form, sizeof form, x));
    image->height = shape[0];
    image->width = shape[1];
    if (rank == 3) image->channels = (int)shape[2];
    return true;
}
