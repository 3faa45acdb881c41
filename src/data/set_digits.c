/* Data set of synthetic digits, drawn on request. */
#include "base/checked.h"
#include "base/threads/parallel.h"
#include "data/dataset.h"
#include "data/digits/digits.h"

enum { GRAIN = 64 /* fewest examples per thread */ };

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

/* Examples to draw: row-major arrays of all images and labels. */
struct drawing {
    const struct digits *set;
    uint8_t *images, *labels;
};

static void draw_range(void *context, int64_t begin, int64_t end) {
    const struct drawing *d = context;
    for (int64_t i = begin; i < end; i++)
        digits_draw(d->set->seed, d->set->first + (uint64_t)i, d->images + i * DIGITS_PIXELS, d->labels + i);
}

/* Draw all examples on all threads: the kind's `get_all`. */
static bool get_all(const ty_dataset *set, ty_tensor **out, struct fault *fault) {
    int64_t shape[] = {set->size, DIGITS_SIDE, DIGITS_SIDE, 1}, size;
    if (!shape_check(4, shape, 1, &size))
        return fault_set(fault, E_ARGUMENT, "dataset: %lld digits do not fit into memory",
                         (long long)set->size);
    ty_tensor *images = tensor_new_value(TY_U8, 4, shape), *labels = tensor_new_value(TY_U8, 1, shape);
    if (images && labels) {
        struct drawing d = {set->own, tensor_data(images), tensor_data(labels)};
        parallel_for(parallel_width(), set->size, GRAIN, draw_range, &d);
    }
    out[0] = tensor_return(images);
    out[1] = tensor_return(labels);
    return true;
}

static const struct data_kind digits = {.get = get, .get_all = get_all};

ty_dataset *ty_dataset_digits(uint64_t seed, int64_t first, int64_t n) {
    static const int64_t shape[] = {DIGITS_SIDE, DIGITS_SIDE, 1};
    ty_dataset *set = dataset_new(&digits, sizeof(struct digits));
    int64_t last;
    if (!set->fault.set && (first < 0 || n < 1 || !checked_add(first, n, &last)))
        fault_set(&set->fault, E_ARGUMENT,
                  "dataset_digits: %lld examples from index %lld; expected 1 or more from index 0 or more",
                  (long long)n, (long long)first);
    if (!dataset_fields(set, 2) || !dataset_field(set, 0, "image", TY_U8, 3, shape) ||
        !dataset_field(set, 1, "label", TY_U8, 0, NULL) || !dataset_class_digits(set))
        return set;
    *(struct digits *)set->own = (struct digits){seed, (uint64_t)first};
    set->size = n;
    return set;
}
