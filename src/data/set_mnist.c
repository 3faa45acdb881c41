/* Data set of MNIST's four files, with checks of images against labels. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include "data/dataset.h"
#include "base/files/file.h"

enum { SIDE = 28, CLASSES = 10 };

static const char *const set_names[] = {"t10k", "train"};

/* Return the tensor of the IDX file at `path`; poison on failure. */
static ty_tensor *read_idx(const char *path) {
    ty_archive *a = ty_archive_open(path, (ty_file_options){.format = "idx"});
    ty_tensor *x = ty_archive_at(a, 0);
    ty_archive_free(a);
    return x;
}

/* Return the tensor of the IDX file directory/set-part-idx<rank>-ubyte, for example of part "images". Tries
   its common spellings, plain before compressed; poison if none exists or it cannot be read. */
static ty_tensor *read_part(const char *directory, const char *set, const char *part, int rank) {
    static const char *const forms[] = {"%s/%s-%s-idx%d-ubyte", "%s/%s-%s.idx%d-ubyte",
                                        "%s/%s-%s-idx%d-ubyte.gz", "%s/%s-%s.idx%d-ubyte.gz"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        int n = snprintf(path, sizeof path, forms[i], directory, set, part, rank);
        if (n < 0 || (size_t)n >= sizeof path)
            return ty_poison_code(E_LIMIT, "%.200s...: the path is too long", directory);
        if (file_exists(path)) return read_idx(path);
    }
    return ty_poison_code(E_FORMAT, "%s: has neither %s-%s-idx%d-ubyte nor %s-%s-idx%d-ubyte.gz", directory,
                          set, part, rank, set, part, rank);
}

/* Return true if x is u8 of `rank` axes, else set the fault; poison fails. `directory`, `set` and `what`
   ("images" or "labels") only serve the message. */
static bool check_form(const char *directory, const char *set, const ty_tensor *x, const char *what, int rank,
                       struct fault *fault) {
    char form[256];
    if (x->error) return fault_tensor(fault, x);
    if (x->dtype == TY_U8 && x->layout.rank == rank) return true;
    return fault_set(fault, E_FORMAT, "%s: the %s %s are %s, not u8 of %d axes", directory, set, what,
                     tensor_describe_into(form, sizeof form, x), rank);
}

/* Return true if images are u8 [N, 28, 28] and labels u8 [N], N > 0, all 0 to 9; else set the fault.
   `directory` and `set` only serve the message. */
static bool check_pair(const char *directory, const char *set, const ty_tensor *images,
                       const ty_tensor *labels, struct fault *fault) {
    if (!check_form(directory, set, images, "images", 3, fault)) return false;
    if (!check_form(directory, set, labels, "labels", 1, fault)) return false;
    const int64_t *shape = images->layout.shape, count = labels->layout.shape[0];
    if (shape[1] != SIDE || shape[2] != SIDE)
        return fault_set(fault, E_FORMAT,
                         "%s: the %s images have %" PRId64 " x %" PRId64 " pixels, not 28 x 28", directory,
                         set, shape[1], shape[2]);
    if (shape[0] != count)
        return fault_set(fault, E_ARGUMENT, "%s: %" PRId64 " %s images but %" PRId64 " labels", directory,
                         shape[0], set, count);
    if (count == 0) return fault_set(fault, E_FORMAT, "%s: the %s set is empty", directory, set);
    const uint8_t *label = tensor_data(labels);
    for (int64_t i = 0; i < count; i++)
        if (label[i] >= CLASSES)
            return fault_set(fault, E_ARGUMENT, "%s: %s label %" PRId64 " is %d; labels are 0 to 9",
                             directory, set, i, label[i]);
    return true;
}

/* Return contiguous images [N, H, W] as a view [N, H, W, 1]. */
static ty_tensor *with_channel(const ty_tensor *images) {
    struct layout_room room;
    struct layout *l = layout_room_init(&room, 4);
    for (int i = 0; i < 3; i++) l->shape[i] = images->layout.shape[i];
    l->shape[3] = 1;
    l->offset = images->layout.offset;
    shape_row_major(4, l->shape, l->strides);
    return tensor_return(tensor_new_view(images, l));
}

ty_dataset *ty_dataset_mnist(const char *directory, bool train) {
    static const char *const names[] = {"image", "label"};
    const char *part = set_names[train];
    ty_dataset *set = dataset_begin();
    if (set->fault.set) return set;
    if (!directory) fault_set(&set->fault, E_ARGUMENT, "dataset_mnist: the directory is NULL");
    ty_scope *scope = ty_open();
    if (directory) {
        ty_tensor *fields[] = {read_part(directory, part, "images", 3),
                               read_part(directory, part, "labels", 1)};
        if (check_pair(directory, part, fields[0], fields[1], &set->fault)) {
            fields[0] = with_channel(fields[0]);
            dataset_fill(set, 2, fields, names);
            dataset_class_digits(set);
        }
    }
    ty_close(scope);
    return set;
}
