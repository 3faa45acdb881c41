/*
 * CIFAR-10 and CIFAR-100, "binary version". A record has one label, or a coarse and a fine one, and 32 x 32
 * pixels: all red, then green, then blue. Files are mapped; an image is a view of its record.
 */
#include <inttypes.h>
#include <string.h>
#include "data/dataset.h"

enum { SIDE = 32, PLANE = SIDE * SIDE, PIXELS = 3 * PLANE, FILES = 5 };

/* Files and labels of one version of the data set. */
struct variant {
    const char *train[FILES + 1], *test, *names[2]; /* names of files; of class names per label */
    int labels, classes[2];
};
static const struct variant ten = {{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                    "data_batch_4.bin", "data_batch_5.bin", NULL},
                                   "test_batch.bin",
                                   {"batches.meta.txt", NULL},
                                   1,
                                   {10, 0}};
static const struct variant hundred = {
    {"train.bin", NULL}, "test.bin", {"coarse_label_names.txt", "fine_label_names.txt"}, 2, {20, 100}};

/* Data of the kind: the mapped files. */
struct cifar {
    int nfiles, labels, which; /* labels per record, and index of the used one */
    ty_tensor *file[FILES];    /* u8 [n], mapped */
    const char *path[FILES];
};

static int64_t record_bytes(const struct cifar *own) { return own->labels + PIXELS; }
static int64_t records(const struct cifar *own, int file) {
    return ty_size(own->file[file]) / record_bytes(own);
}

/* Return the index of the file that has example *index; *index becomes the index of its record in that
   file. */
static int find(const struct cifar *own, int64_t *index) {
    int file = 0;
    for (; *index >= records(own, file); file++) *index -= records(own, file);
    return file;
}

/* Set out[] to views of image [32, 32, 3] and label [] of example `index`, from 0. Always true; it is the
   kind's `get`. */
static bool get(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault) {
    const struct cifar *own = set->own;
    static const int64_t shape[] = {SIDE, SIDE, 3}, strides[] = {SIDE, 1, PLANE};
    int file = find(own, &index);
    int64_t at = index * record_bytes(own);
    (void)fault;
    out[0] = dataset_view(own->file[file], at + own->labels, 3, shape, strides);
    out[1] = dataset_view(own->file[file], at + own->which, 0, NULL, NULL);
    return true;
}

static void where(const ty_dataset *set, int64_t index, struct text *words) {
    const struct cifar *own = set->own;
    int file = find(own, &index);
    text_add(words, "%s, record %" PRId64, own->path[file], index);
}

static void drop(ty_dataset *set) {
    struct cifar *own = set->own;
    for (int i = 0; i < own->nfiles; i++) ty_release(own->file[i]);
}

static const struct data_kind cifar = {.get = get, .where = where, .drop = drop};

/* Return true if all labels of file number `file` are below `classes`, else set the set's fault. */
static bool check_labels(ty_dataset *set, const struct cifar *own, int file, int classes) {
    const uint8_t *bytes = tensor_data(own->file[file]);
    for (int64_t i = 0; i < records(own, file); i++) {
        int label = bytes[i * record_bytes(own) + own->which];
        if (label >= classes)
            return fault_set(&set->fault, E_FORMAT,
                             "%s: the label of record %" PRId64 " is %d; expected 0 to %d", own->path[file],
                             i, label, classes - 1);
    }
    return true;
}

/* Add the file directory/name of records to the set, whose labels must be below `classes`; false sets the
   set's fault. */
static bool add_file(ty_dataset *set, const char *directory, const char *name, int classes) {
    struct cifar *own = set->own;
    const char *path = dataset_path(set, directory, name);
    ty_tensor *bytes = path ? dataset_bytes(path) : NULL;
    if (!path || !dataset_check(set, bytes)) return false;
    int64_t size = ty_size(bytes), record = record_bytes(own);
    if (size % record || !size)
        return fault_set(&set->fault, E_FORMAT,
                         "%s: is truncated or not a CIFAR file: %" PRId64
                         " bytes are not a multiple of the record size %" PRId64,
                         path, size, record);
    own->path[own->nfiles] = path;
    own->file[own->nfiles] = ty_retain(bytes);
    set->size += size / record;
    return check_labels(set, own, own->nfiles++, classes);
}

/* Return a new CIFAR set of variant v with its training files or, if not `train`, its test file; a record's
   label number `which` is the label. Failures set its fault. */
static ty_dataset *open(const char *directory, const struct variant *v, bool train, int which) {
    static const int64_t shape[] = {SIDE, SIDE, 3};
    ty_dataset *set = dataset_new(&cifar, sizeof(struct cifar));
    struct cifar *own = set->own;
    if (!set->fault.set && !directory)
        fault_set(&set->fault, E_ARGUMENT, "dataset_cifar: the directory is NULL");
    if (!dataset_fields(set, 2) || !dataset_field(set, 0, "image", TY_U8, 3, shape) ||
        !dataset_field(set, 1, "label", TY_U8, 0, NULL))
        return set;
    const char *only[] = {v->test, NULL}, *const *names = train ? v->train : only;
    own->labels = v->labels;
    own->which = which;
    ty_scope *scope = ty_open();
    for (; *names && !set->fault.set; names++) add_file(set, directory, *names, v->classes[which]);
    ty_close(scope);
    if (!set->fault.set)
        dataset_class_lines(set, dataset_path(set, directory, v->names[which]), v->classes[which]);
    return set;
}

ty_dataset *ty_dataset_cifar10(const char *directory, bool train) { return open(directory, &ten, train, 0); }
ty_dataset *ty_dataset_cifar100(const char *directory, bool train, bool coarse) {
    return open(directory, &hundred, train, !coarse);
}
