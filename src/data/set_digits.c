/* Data set of synthetic digits, drawn on request. */
#include "base/checked.h"
#include "data/dataset.h"
#include "io/digits/digits.h"

/* Data of the kind: the seed, and the index of the first sample. */
struct digits {
    uint64_t seed, first;
};

/* Draw example `index`, from 0: out[] receive a new image u8 [28, 28, 1] and its label u8 []; poison
   without memory. Always true; it is the kind's `get`. */
static bool get(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault) {
    const struct digits *own = set->own;
    ty_tensor *image = tensor_new_value(TY_U8, 3, set->fields[0].shape),
              *label = tensor_new_value(TY_U8, 0, NULL);
    (void)fault;
    if (image && label)
        digits_draw(own->seed, own->first + (uint64_t)index, tensor_data(image), tensor_data(label));
    out[0] = tensor_return(image);
    out[1] = tensor_return(label);
    return true;
}

static const struct data_kind digits = {.get = get};

ty_dataset *ty_dataset_digits(uint64_t seed, int64_t first, int64_t n) {
    static const int64_t shape[] = {DIGITS_SIDE, DIGITS_SIDE, 1};
    static const char names[] = "0\0001\0002\0003\0004\0005\0006\0007\0008\0009";
    ty_dataset *set = dataset_new(&digits, sizeof(struct digits));
    int64_t last;
    if (!set->fault.set && (first < 0 || n < 1 || !checked_add(first, n, &last)))
        fault_set(&set->fault,
                  "dataset_digits: %lld examples from index %lld; expected 1 or more from index 0 or more",
                  (long long)n, (long long)first);
    if (!dataset_fields(set, 2) || !dataset_field(set, 0, "image", TY_U8, 3, shape) ||
        !dataset_field(set, 1, "label", TY_U8, 0, NULL) || !dataset_classes(set, 10))
        return set;
    for (int i = 0; i < 10; i++) set->classes[i] = names + 2 * i;
    *(struct digits *)set->own = (struct digits){seed, (uint64_t)first};
    set->size = n;
    return set;
}
