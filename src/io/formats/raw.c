/* Raw binary files: dtype, shape and offset come from the caller. */
#include <inttypes.h>
#include "io/archive.h"

bool raw_open(struct ty_archive *a) {
    const ty_file_options *o = &a->options;
    struct input *in = a->input;
    struct archive_entry *e = archive_single(a);
    if (!e) return false;
    if (!dtype_known(o->dtype))
        return fault_set(&a->fault, E_ARGUMENT, "%s: unknown dtype %d", in->name, (int)o->dtype);
    if (o->rank < -1 || o->rank > TY_MAX_RANK)
        return fault_set(&a->fault, E_ARGUMENT, "%s: rank %d is out of range; expected 0 to %d", in->name,
                         o->rank, TY_MAX_RANK);
    if (o->offset > in->size)
        return fault_set(&a->fault, E_FORMAT, "%s: has %" PRIu64 " bytes, fewer than the offset %" PRIu64,
                         in->name, in->size, o->offset);
    if (o->rank > 0 && !o->shape)
        return fault_set(&a->fault, E_ARGUMENT, "%s: the array of %d sizes is NULL", in->name, o->rank);
    uint64_t size = dtype_table[o->dtype].size, share = (uint64_t)dtype_share(o->dtype);
    uint64_t left = in->size - o->offset;
    e->dtype = o->dtype;
    e->begin = o->offset;
    e->open_end = o->rank >= 0;
    if (o->rank >= 0)
        return entry_shape(e, &a->arena, o->rank, o->shape, &a->fault) &&
               elements_check(in, e, false, o, &a->fault);
    if (!in->exact || left % size)
        return fault_set(&a->fault, E_FORMAT,
                         "%s: its %" PRIu64 " bytes are not a multiple of %s elements: give a shape",
                         in->name, left, ty_dtype_name(o->dtype));
    if (left > INT64_MAX / share) return fault_set(&a->fault, E_LIMIT, "%s: has too many elements", in->name);
    int64_t count = (int64_t)(left / size * share);
    return entry_shape(e, &a->arena, 1, &count, &a->fault) && elements_check(in, e, true, o, &a->fault);
}

bool raw_write(struct writing *w) {
    return writing_single(w, "raw") && elements_write(w->out, w->tensors[0], !machine_is_little_endian());
}
