/* Folders of images through loaders. */
#include "tools/network/loaded.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "data/dataset.h"
#include "tools/command.h"
#include "tools/options/message.h"
#include "tools/options/result.h"

bool image_folder_is(const char *path) {
    DIR *folder = opendir(path);
    bool found = false;
    for (const struct dirent *e; folder && !found && (e = readdir(folder));) {
        char inside[4096];
        struct stat what;
        if (*e->d_name == '.' ||
            snprintf(inside, sizeof inside, "%s/%s", path, e->d_name) >= (int)sizeof inside)
            continue;
        found = !stat(inside, &what) && S_ISDIR(what.st_mode);
    }
    if (folder) closedir(folder);
    return found;
}

/* Return images in 0..1 as bytes, u8 in 0..255, for networks that expect them, and bytes as they are: a step that ignores
   step and draws. */
static ty_tensor *as_bytes(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    (void)step;
    (void)draws;
    if (ty_dtype_of(x) < TY_F16) return x;
    return ty_cast(ty_round(ty_mul(x, ty_num(255))), TY_U8);
}

enum { STEPS = 16, LOOK = 2 };
/* Steps that prepare images. */
struct steps {
    int n;
    ty_image_step at[STEPS + LOOK + 1];
};

/* As for ImageNet: resize the shorter side to 8/7 of the size and crop the centre. */
static void look(struct steps *s, const int64_t *shape) {
    int64_t side = (shape[0] > shape[1] ? shape[0] : shape[1]) * 8 / 7;
    s->at[s->n++] = (ty_image_step){.apply = ty_step_resize, .size = {side, 0}};
    s->at[s->n++] = (ty_image_step){.apply = ty_step_crop, .size = {shape[0], shape[1]}};
}

/* Pixels of the results: those that the network needs, of files; or those of arrays, as they were. */
enum pixels { PIXELS_OF_NETWORK, PIXELS_BYTES, PIXELS_FLOATING };

/* Append the conversion of pixels. */
static void finish(struct steps *s, const ty_network *network, enum pixels pixels) {
    if (pixels == PIXELS_FLOATING) return;
    s->at[s->n++] = pixels == PIXELS_BYTES ? (ty_image_step){.apply = as_bytes}
                    : !network             ? (ty_image_step){.apply = ty_step_float}
                    : network->images      ? (ty_image_step){.apply = ty_step_normalise}
                                           : (ty_image_step){.apply = as_bytes};
}

/* Return true if a step sets the size of images. */
static bool sizes(const ty_image_step *step) {
    return step->apply == ty_step_crop || step->apply == ty_step_random_crop ||
           step->apply == ty_step_resize || step->apply == ty_step_resized_crop;
}

/* Read the steps of the plan behind those of `s`; sizes that the text does not say are those of the network.  Without a
   step that sets sizes, images are prepared as for validation first, unless they `fit`.  False after a message. */
static bool parse(struct steps *s, const struct image_plan *plan, bool fit) {
    ty_image_step read[STEPS];
    ty_tensor *error = NULL;
    bool sized = fit, none = !strcmp(plan->augment, "none");
    int n = none ? 0 : ty_image_steps_parse(plan->augment, STEPS, read, &error);
    if (n < 0) return complain_about(error, "--augment") == EXIT_SUCCESS;
    for (int i = 0; i < n; i++) {
        bool own = sizes(&read[i]);
        sized = sized || own;
        if (!own || read[i].size[0]) continue;
        read[i].size[0] = plan->shape[0];
        read[i].size[1] = plan->shape[1];
    }
    if (!sized) look(s, plan->shape);
    for (int i = 0; i < n; i++) s->at[s->n++] = read[i];
    return true;
}

/* Set the steps of a plan, for training or for validation; false after a message. */
static bool steps_of(struct steps *s, const struct image_plan *plan, bool training, enum pixels pixels) {
    *s = (struct steps){0};
    if (training && plan->augment) {
        if (!parse(s, plan, pixels != PIXELS_OF_NETWORK)) return false;
    } else if (training) {
        s->at[s->n++] =
            (ty_image_step){.apply = ty_step_resized_crop, .size = {plan->shape[0], plan->shape[1]}};
        s->at[s->n++] = (ty_image_step){.apply = ty_step_flip};
    } else {
        look(s, plan->shape);
    }
    finish(s, plan->network, pixels);
    return true;
}

/* Return a new loader, shuffled for training; NULL after a message. */
static ty_loader *loader_of(ty_dataset *set, const struct image_plan *plan, bool training,
                            enum pixels pixels) {
    struct steps s;
    int64_t n = ty_dataset_size(set);
    if (!steps_of(&s, plan, training, pixels)) return NULL;
    ty_loader *loader = ty_loader_new(set, (ty_loader_options){.batch = plan->batch < n ? plan->batch : n,
                                                               .order = training ? TY_SHUFFLED : TY_IN_ORDER,
                                                               .drop_last = training,
                                                               .seed = plan->seed,
                                                               .nsteps = s.n,
                                                               .steps = s.at});
    if (!*ty_loader_error(loader)) return loader;
    COMPLAIN_FAILURE(ty_loader_failure(loader));
    ty_loader_free(loader);
    return NULL;
}

ty_loader *images_loader(ty_dataset *set, const struct image_plan *plan) {
    return loader_of(set, plan, false, PIXELS_OF_NETWORK);
}

ty_tensor *images_read(const char *path, const struct image_plan *plan) {
    struct steps s;
    ty_tensor *x = dataset_image(path, (int)plan->shape[2]);
    return steps_of(&s, plan, false, PIXELS_OF_NETWORK) ? ty_augment(s.n, s.at, x, 0, 0, 0) : x;
}

/* Leave out the examples of *set that cannot be read, and say how many and which; false after a message. */
static bool skip(ty_dataset **set) {
    enum { NAMES = 5 };
    int64_t bad[NAMES], count = 0;
    ty_dataset *whole = *set;
    *set = ty_dataset_readable(whole, NAMES, bad, &count);
    if (count) say("%lld images cannot be read and are left out:\n", (long long)count);
    for (int64_t i = 0; i < count && i < NAMES; i++) {
        ty_tensor *x[1];
        ty_scope *scope = ty_open();
        ty_dataset_get(whole, bad[i], 1, x);
        say("  %s\n", ty_error(x[0]));
        ty_close(scope);
    }
    if (count > NAMES) say("  ... and %lld more\n", (long long)(count - NAMES));
    ty_dataset_free(whole);
    return !*ty_dataset_error(*set) || COMPLAIN_FAILURE(ty_dataset_failure(*set)) == EXIT_SUCCESS;
}

bool images_load(struct loaded *l, const char *path, const struct image_plan *plan) {
    const double shares[] = {1 - plan->held_out, plan->held_out};
    l->all = ty_dataset_folder(path, (ty_folder_options){.channels = (int)plan->shape[2]});
    if (plan->skip_bad && !*ty_dataset_error(l->all) && !skip(&l->all)) return false;
    int64_t size = ty_dataset_size(l->all), limit = plan->limit;
    double part = limit && limit < size ? (double)limit / (double)size : 1;
    ty_dataset_split(l->all, 1, &part, part < 1 ? ty_fold(ty_key(plan->seed), 4) : NULL, &l->parts[2]);
    ty_dataset_split(l->parts[2], 2, shares, ty_fold(ty_key(plan->seed), 3), l->parts);
    for (int i = 0; i < 2; i++) {
        const ty_dataset *set = *ty_dataset_error(l->all) ? l->all : l->parts[i];
        if (*ty_dataset_error(set)) return COMPLAIN_FAILURE(ty_dataset_failure(set)) == EXIT_SUCCESS;
        if (i && !ty_dataset_size(l->parts[i])) break;
        l->loaders[i] = loader_of(l->parts[i], plan, !i, PIXELS_OF_NETWORK);
        if (!l->loaders[i]) return false;
    }
    l->classes = ty_dataset_classes(l->all);
    return true;
}

bool images_augment(struct loaded *l, ty_tensor *images, ty_tensor *labels, const struct image_plan *plan) {
    l->all = ty_dataset_arrays(2, (ty_tensor *[]){images, labels}, NULL);
    if (*ty_dataset_error(l->all)) return COMPLAIN_FAILURE(ty_dataset_failure(l->all)) == EXIT_SUCCESS;
    l->loaders[0] =
        loader_of(l->all, plan, true, ty_dtype_of(images) < TY_F16 ? PIXELS_BYTES : PIXELS_FLOATING);
    return l->loaders[0];
}

void loaded_drop(struct loaded *l) {
    for (int i = 0; i < 2; i++) ty_loader_free(l->loaders[i]);
    for (int i = 0; i < 3; i++) ty_dataset_free(l->parts[i]);
    ty_dataset_free(l->all);
    ty_tokenizer_free(l->tokenizer);
}
