/* Examples from files, and generated digits, where sample i depends on i alone, so test samples are just
   other indices. */
#include "tools/network/data.h"
#include "data/dataset.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tyto/io.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "io/foreign.h"
#include "tools/command.h"
#include "tools/options/file.h"
#include "tools/options/message.h"

enum { TRAIN = 20000, TEST = 2000, TEST_FIRST = 1 << 20, DIGITS_SEED = 1 };
static const char system_text[] = "/usr/share/common-licenses/GPL-3";

static int64_t at_most(int64_t n, int64_t limit) { return limit && limit < n ? limit : n; }

static void cut(ty_tensor **x, int64_t limit) {
    if (ty_ok(*x) && ty_rank(*x)) *x = ty_slice(*x, 0, 0, at_most(ty_shape(*x)[0], limit), 1);
}

/* ---- digits ---- */

/* Read all images and labels of `set`, which is freed. False: they are poison, with the reason. */
static bool take_digits(ty_dataset *set, ty_tensor **images, ty_tensor **labels) {
    ty_tensor *fields[2];
    bool well = ty_dataset_get_all(set, 2, fields);
    *images = fields[0];
    *labels = fields[1];
    ty_dataset_free(set);
    return well;
}

static bool generate(struct data *d, int64_t limit) {
    ty_dataset *train = ty_dataset_digits(DIGITS_SEED, 0, at_most(TRAIN, limit)),
               *test = ty_dataset_digits(DIGITS_SEED, TEST_FIRST, at_most(TEST, limit));
    bool well = take_digits(train, &d->images, &d->labels);
    return take_digits(test, &d->test_images, &d->test_labels) && well;
}

static bool read_digits(struct data *d, const struct data_options *o) {
    if (!take_digits(ty_dataset_mnist(o->path, true), &d->images, &d->labels)) return false;
    return take_digits(ty_dataset_mnist(o->path, false), &d->test_images, &d->test_labels);
}

/* ---- tables and arrays ---- */

/* Read the table o->path, split and prepare it. False after a message on stderr. */
static bool read_table(struct data *d, const struct data_options *o) {
    ty_table *table = reader_open(o->path, o->reader);
    struct table_split_options split = {.target = o->target,
                                        .limit = o->limit,
                                        .validate = o->held_out,
                                        .test = o->test,
                                        .folds = o->folds,
                                        .fold = o->fold,
                                        .seed = o->seed,
                                        .task = o->task};
    bool well = table && table_split(&d->table, o->path, table, &split);
    ty_table_free(table);
    if (!well) return false;
    if (!d->table.x[PART_TRAIN])
        return complain("%s: no rows are left for training", o->path) == EXIT_SUCCESS;
    d->images = d->table.x[PART_TRAIN];
    d->labels = d->table.y[PART_TRAIN];
    d->test_images = d->table.x[PART_VALIDATE];
    d->test_labels = d->table.y[PART_VALIDATE];
    d->classes = ty_preparation_classes(d->table.preparation);
    d->what = "rows";
    return true;
}

/* Return the tensor of the archive with the first name of a list ended by NULL that it has, poison if it
   cannot be read; NULL if it has none of them.  *found becomes the name. */
static ty_tensor *first_named(const ty_archive *archive, const char *const *names, const char **found) {
    for (int k = 0; names[k]; k++)
        for (int i = 0; i < ty_archive_count(archive); i++)
            if (!strcmp(ty_archive_name(archive, i), names[k])) {
                *found = names[k];
                return ty_archive_at(archive, i);
            }
    return NULL;
}

/* Read inputs and targets, and those of a test set if present, from the arrays of the file o->path by their
   usual names; false after a message on stderr. */
static bool read_arrays(struct data *d, const struct data_options *o) {
    static const char *const inputs[] = {"x", "inputs", "images", "data", "x_train", NULL},
                             *const targets[] = {"y", "targets", "labels", "target", "y_train", NULL},
                             *const test_inputs[] = {"x_test", "test_inputs", "test_images", NULL},
                             *const test_targets[] = {"y_test", "test_targets", "test_labels", NULL};
    ty_archive *archive =
        ty_archive_open(o->path, (ty_file_options){.most_bytes = (uint64_t)o->reader->most_bytes});
    if (*ty_archive_error(archive)) {
        COMPLAIN_FAILURE(ty_archive_failure(archive));
        ty_archive_free(archive);
        return false;
    }
    d->images = first_named(archive, inputs, &d->names[0]);
    d->labels = first_named(archive, targets, &d->names[1]);
    d->test_images = first_named(archive, test_inputs, &d->names[2]);
    d->test_labels = first_named(archive, test_targets, &d->names[3]);
    char names[ARRAY_NAMES];
    file_names(archive, names);
    ty_archive_free(archive);
    d->what = "examples";
    if (d->images && d->labels) return true;
    return complain("%s has %s; expected x and y (or inputs and targets, images and labels)", o->path,
                    names) == 0;
}

/* ---- all sources ---- */

static bool ends_in(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n > m && !strcmp(path + n - m, ending);
}

static bool is_folder(const char *path) {
    struct stat found;
    return !stat(path, &found) && S_ISDIR(found.st_mode);
}

static const struct {
    const char *ending;
    bool (*read)(struct data *d, const struct data_options *o);
} readers[] = {{".npz", read_arrays}, {".safetensors", read_arrays}};

/* Print that data of another kind are expected, or of which program the file is; always return false. */
static bool refuse_data(const char *path) {
    struct fault fault = {0}, unread = {0};
    struct input *in = input_path(path, &unread);
    bool foreign = in && !foreign_check(in, true, &fault);
    input_close(in);
    return (foreign ? complain_fault(&fault)
                    : complain("%s: expected a folder, .csv, .npz or .safetensors", path)) == EXIT_SUCCESS;
}

/* Read the data of o->path into d by the reader for its ending; a folder without an ending has digits.
   False after a message on stderr. */
static bool read_path(struct data *d, const struct data_options *o) {
    if (table_named(o->path)) return read_table(d, o);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (ends_in(o->path, readers[i].ending)) return readers[i].read(d, o);
    if (is_folder(o->path) || !strstr(o->path, ".")) return read_digits(d, o);
    return refuse_data(o->path);
}

/* If the labels are integers from 0 (of any dtype, floats included), cast them to i32 and set d->classes to
   the largest plus 1; others stay. Always return true. */
static bool find_classes(struct data *d) {
    ty_tensor *y = d->labels;
    if (ty_rank(y) != 1 || !ty_size(y)) return true;
    bool whole = ty_dtype_of(y) < TY_F16 || ty_item(ty_all(ty_eq(y, ty_floor(y)), TY_ALL)) != 0;
    double least = ty_item(ty_amin(y, TY_ALL)), most = ty_item(ty_amax(y, TY_ALL));
    if (!whole || least < 0 || most > 65535) return true;
    d->labels = ty_cast(y, TY_I32);
    if (d->test_labels) d->test_labels = ty_cast(d->test_labels, TY_I32);
    d->classes = (int64_t)most + 1;
    return true;
}

/* Split off the share o->held_out of the examples, drawn by the seed, as the test set of d; does nothing if
   there is one or a part would be empty. */
static void hold_out(struct data *d, const struct data_options *o) {
    int64_t n = ty_shape(d->images)[0], held = (int64_t)(o->held_out * (double)n);
    if (d->test_images || held < 1 || held >= n) return;
    ty_tensor *order = ty_permutation(n, ty_fold(ty_key(o->seed), 3));
    ty_tensor *kept = ty_slice(order, 0, 0, n - held, 1), *other = ty_slice(order, 0, n - held, n, 1);
    d->test_images = ty_take(d->images, other, 0);
    d->test_labels = ty_take(d->labels, other, 0);
    d->images = ty_take(d->images, kept, 0);
    d->labels = ty_take(d->labels, kept, 0);
}

/* Return true if no tensor of d is poison; false after a message on stderr. */
static bool sound(const struct data *d) {
    ty_tensor *all[] = {d->images, d->labels, d->test_images, d->test_labels};
    for (int i = 0; i < 4; i++)
        if (all[i] && !ty_ok(all[i])) return complain_of(all[i]) == EXIT_SUCCESS;
    return true;
}

static bool present(const struct data *d) {
    bool there = d->images && d->labels && ty_rank(d->images) && ty_rank(d->labels);
    return there || complain("there are no examples") == EXIT_SUCCESS;
}

static struct image_plan plan_of(const ty_network *network, const struct data_options *o) {
    return (struct image_plan){.network = network,
                               .shape = o->shape,
                               .batch = o->batch ? o->batch : 32,
                               .held_out = o->held_out,
                               .limit = o->limit,
                               .seed = o->seed,
                               .augment = o->augment,
                               .skip_bad = o->skip_bad};
}

/* Augment the images for training as the options say; false after a message. */
static bool augment(struct data *d, const ty_network *network, const struct data_options *o) {
    if (!o->augment) return true;
    if (ty_rank(d->images) != 4)
        return complain("--augment: it changes images, (rows, columns, channels); the examples have %d axes",
                        ty_rank(d->images) - 1) == EXIT_SUCCESS;
    struct image_plan plan = plan_of(network, o);
    plan.shape = ty_shape(d->images) + 1;
    return images_augment(&d->loaded, ty_eval(d->images), ty_eval(d->labels), &plan);
}

/* Open the folder o->path of images as loaders of batches of o->shape for the network; false after a
   message on stderr. */
static bool open_folder(struct data *d, const ty_network *network, const struct data_options *o) {
    if (!o->shape)
        return complain("%s: a folder of images needs a network whose input is (rows, columns, channels)",
                        o->path) == EXIT_SUCCESS;
    const struct image_plan plan = plan_of(network, o);
    bool well = images_load(&d->loaded, o->path, &plan);
    d->classes = d->loaded.classes;
    return well;
}

static bool open_text(struct data *d, const ty_network *network, const struct data_options *o) {
    return text_load(&d->loaded, &(struct text_plan){.path = o->path ? o->path : system_text,
                                                     .tokenizer = o->tokenizer,
                                                     .vocabulary = o->vocabulary,
                                                     .places = network->shape[0],
                                                     .batch = o->batch ? o->batch : 32,
                                                     .held_out = o->held_out,
                                                     .limit = o->limit,
                                                     .seed = o->seed});
}

/* Return true if inputs and targets have as many examples, along their first axes; false after a message. */
static bool is_paired(const char *path, const char *const *names, const ty_tensor *x, const ty_tensor *y) {
    if (!x || !y) return true;
    int64_t n = ty_rank(x) ? ty_shape(x)[0] : 0, m = ty_rank(y) ? ty_shape(y)[0] : 0;
    return (ty_rank(x) && n == m) ||
           complain("%s: %s has %lld example%s, and %s has %lld; expected as many, along their first axes",
                    path, names[0], (long long)n, plural(n), names[1], (long long)m) == EXIT_SUCCESS;
}

bool data_open(struct data *d, const ty_network *network, const struct data_options *o) {
    *d = (struct data){.what = "images"};
    if (network && network->tokens) return open_text(d, network, o);
    struct stat found;
    if (o->path && stat(reader_path(o->path), &found))
        return complain_code(TY_ERROR_FILE, "%s: cannot be opened: %s", o->path, strerror(errno)) ==
               EXIT_SUCCESS;
    if (o->path && image_folder_is(o->path)) return open_folder(d, network, o);
    bool well = o->path ? read_path(d, o) : generate(d, o->limit);
    if (!sound(d)) {
        if (o->path && is_folder(o->path))
            complain_below("  expected a folder with a folder of images for each class, or MNIST's files\n");
        return false;
    }
    if (!well || !present(d)) return false; /* readers print a message or return poison */
    if (d->table.preparation && o->augment)
        return complain("--augment: it changes images, not tables") == EXIT_SUCCESS;
    if (d->table.preparation) return true; /* limited and split already */
    ty_tensor **all[] = {&d->images, &d->labels, &d->test_images, &d->test_labels};
    for (int i = 0; i < 4; i += 2)
        if (d->names[i] && d->names[i + 1] && !is_paired(o->path, &d->names[i], *all[i], *all[i + 1]))
            return false;
    for (int i = 0; i < 4; i++)
        if (o->path && *all[i] && !network_whole(o->path, 4, d->names, i, *all[i])) return false;
    for (int i = 0; i < 4; i++) cut(all[i], o->limit);
    find_classes(d);
    hold_out(d, o);
    return sound(d) && augment(d, network, o);
}

void data_close(struct data *d) {
    loaded_drop(&d->loaded);
    table_drop(&d->table);
}
