/* Data set of images in one sub-folder per class. Opening lists the files; an image is decoded on request. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tyto/create.h>
#include "array/remote.h"
#include "base/options.h"
#include "base/alloc.h"
#include "array/progress.h"
#include "base/list.h"
#include "base/order.h"
#include "data/dataset.h"

/* Data of the kind: the listed images. */
struct folder {
    int channels;
    const char **paths; /* paths of all images, class by class */
    int64_t *ends;      /* end of each class in paths */
};

/* Growing list of paths. */
struct names {
    const char **name;
    size_t count, capacity;
};

/* ---- pixels ---- */

static unsigned grey(unsigned red, unsigned green, unsigned blue) {
    return (19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16; /* weights 0.299, 0.587, 0.114 */
}

/* Convert one pixel x of `from` channels, 1 to 4, to y of `to` channels: 1 grey, 2 grey and alpha, 3 RGB, 4
   RGB and alpha. A missing alpha becomes 255. */
static void convert(const uint8_t *x, int from, uint8_t *y, int to) {
    const uint8_t *green = from > 2 ? x + 1 : x, *blue = from > 2 ? x + 2 : x;
    if (to < 3) {
        y[0] = from < 3 ? x[0] : (uint8_t)grey(x[0], *green, *blue);
    } else {
        y[0] = x[0];
        y[1] = *green;
        y[2] = *blue;
    }
    if (to % 2 == 0) y[to - 1] = from % 2 == 0 ? x[from - 1] : 255;
}

static uint8_t narrow(uint16_t sample) { return (uint8_t)((sample * 255u + 32767) / 65535); }

/* Return a new image u8 [H, W, channels] from x, u8 or u16 [H, W, C]; poison without memory. */
static ty_tensor *adapt(const ty_tensor *x, int channels) {
    const int64_t *shape = x->layout.shape, wanted[] = {shape[0], shape[1], channels};
    int from = (int)shape[2];
    ty_tensor *y = tensor_new_value(TY_U8, 3, wanted);
    const uint8_t *bytes = tensor_data(x);
    const uint16_t *words = tensor_data(x);
    uint8_t *out = y ? tensor_data(y) : NULL, pixel[4] = {0};
    for (int64_t i = 0; y && i < shape[0] * shape[1]; i++, out += channels) {
        for (int c = 0; c < from; c++)
            pixel[c] = x->dtype == TY_U8 ? bytes[i * from + c] : narrow(words[i * from + c]);
        convert(pixel, from, out, channels);
    }
    return tensor_return(y);
}

ty_tensor *dataset_image(const char *path, int channels) {
    ty_tensor *x = at_home(ty_load(path));
    if (!ty_ok(x)) return x;
    if (x->layout.rank != 3 || x->layout.shape[2] > 4 || !ty_is_contiguous(x) ||
        (x->dtype != TY_U8 && x->dtype != TY_U16))
        return ty_poison_code(E_FORMAT, "%s: is not an image", path);
    return x->dtype == TY_U8 && x->layout.shape[2] == channels ? x : adapt(x, channels);
}

static int64_t class_of(const struct folder *own, int64_t index) {
    int64_t k = 0;
    while (index >= own->ends[k]) k++;
    return k;
}

/* Read the image of example `index`, from 0: out[] receive it, u8 with the set's channels, and its label
   i64 []. False sets the fault; it is the kind's `get`. */
static bool get(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault) {
    const struct folder *own = set->own;
    int64_t label = class_of(own, index);
    out[0] = dataset_image(own->paths[index], own->channels);
    if (!ty_ok(out[0])) return fault_tensor(fault, out[0]);
    out[1] = ty_from(TY_I64, TY_SCALAR, &label);
    return true;
}

static void where(const ty_dataset *set, int64_t index, struct text *words) {
    text_add_visible(words, ((const struct folder *)set->own)->paths[index]);
}

static void drop(ty_dataset *set) { mem_free(((struct folder *)set->own)->paths); }

static const struct data_kind folder = {.get = get, .where = where, .drop = drop};

/* ---- listing ---- */

bool dataset_is_image(const char *name) {
    static const char *const endings[] = {"png", "jpg", "jpeg", "pgm", "ppm", "pnm"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]), k = 0;
        while (k < n && (dot[k + 1] | 0x20) == endings[i][k]) k++; /* letters differ in one bit of case */
        if (k == n && !dot[n + 1]) return true;
    }
    return false;
}

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Append `name`, which is borrowed, to the list. Return false if it is NULL, and, with the set's fault set,
   without memory. */
static bool add_name(ty_dataset *set, struct names *names, const char *name) {
    if (!list_append(names->name, names->count, names->capacity, name))
        return fault_memory(&set->fault, names->count * sizeof *names->name);
    return name;
}

/* Append the paths of the sub-folders, if `folders`, else of the images in the folder `path`, in ascending
   order; hidden ones are left out. False sets the set's fault. */
static bool list(ty_dataset *set, const char *path, bool folders, struct names *names) {
    size_t before = names->count;
    DIR *directory = opendir(path);
    if (!directory)
        return fault_set(&set->fault, E_ERRNO, "%.500s: cannot be opened: %s", path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(directory)) && !set->fault.set;) {
        if (entry->d_name[0] == '.' || (!folders && !dataset_is_image(entry->d_name))) continue;
        const char *full = dataset_path(set, path, entry->d_name);
        if (full && is_folder(full) == folders) add_name(set, names, full);
    }
    closedir(directory);
    if (names->count > before)
        qsort(names->name + before, names->count - before, sizeof *names->name, order_texts);
    return !set->fault.set;
}

/* List the images of each class folder, class after class, in the set; own->ends[i] is their count up to
   class i, included. False sets the fault, also for a folder without images. */
static bool list_images(ty_dataset *set, const struct names *classes) {
    struct folder *own = set->own;
    struct names images = {0};
    own->ends = arena_array(&set->arena, classes->count + 1, sizeof *own->ends);
    if (!own->ends) fault_memory(&set->fault, classes->count * sizeof *own->ends);
    for (size_t i = 0; i < classes->count && !set->fault.set; i++) {
        int64_t before = (int64_t)images.count;
        list(set, classes->name[i], false, &images);
        own->ends[i] = (int64_t)images.count;
        if (own->ends[i] == before)
            fault_set(&set->fault, E_SHAPE, "%.500s: has no images (png, jpg, jpeg, pgm, ppm, pnm)",
                      classes->name[i]);
    }
    own->paths = images.name;
    set->size = (int64_t)images.count;
    return !set->fault.set;
}

static bool name_classes(ty_dataset *set, const struct names *classes) {
    if (!dataset_classes(set, (int)classes->count)) return false;
    for (size_t i = 0; i < classes->count; i++) set->classes[i] = strrchr(classes->name[i], '/') + 1;
    return true;
}

ty_dataset *ty_dataset_folder_sized(const char *directory, const ty_folder_options *given,
                                    size_t given_size) {
    ty_folder_options options;
    PROGRESS_NAMED("read");
    ty_dataset *set = dataset_new(&folder, sizeof(struct folder));
    struct folder *own = set->own;
    struct names classes = {0};
    OPTIONS_READ(options, given, given_size, &set->fault);
    int64_t shape[] = {-1, -1, options.channels ? options.channels : 3};
    if (!set->fault.set && !directory)
        fault_set(&set->fault, E_ARGUMENT, "dataset_folder: the directory is NULL");
    if (!set->fault.set && shape[2] != 1 && shape[2] != 3 && shape[2] != 4)
        fault_set(&set->fault, E_ARGUMENT, "dataset_folder: %d channels; expected 1, 3 or 4",
                  options.channels);
    if (!dataset_fields(set, 2) || !dataset_field(set, 0, "image", TY_U8, 3, shape) ||
        !dataset_field(set, 1, "label", TY_I64, 0, NULL))
        return set;
    own->channels = (int)shape[2];
    if (list(set, directory, true, &classes) && !classes.count)
        fault_set(&set->fault, E_FORMAT, "%.500s: has no sub-folders; expected one for each class",
                  directory);
    if (!set->fault.set && list_images(set, &classes)) name_classes(set, &classes);
    mem_free(classes.name);
    return set;
}
