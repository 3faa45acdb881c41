/* Folders of images through loaders. */
#include "tools/loaded.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include "tools/command.h"

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

/* Return images in 0..1 as bytes, u8 in 0..255, for networks that expect them: an image step that ignores
   step and draws. */
static ty_tensor *as_bytes(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    (void)step;
    (void)draws;
    return ty_cast(ty_round(ty_mul(x, ty_num(255))), TY_U8);
}

/* Return a new loader of batches of images of shape[0] x shape[1] pixels, normalised as the network needs
   (NULL: pixels in 0..1). If `training` they are cropped and flipped at random and shuffled, else
   resized and cropped, in order. */
static ty_loader *loader_of(ty_dataset *set, const ty_network *network, const int64_t *shape, int64_t batch,
                            uint64_t seed, bool training) {
    const ty_image_step last = !network          ? (ty_image_step){.apply = ty_step_float}
                               : network->images ? (ty_image_step){.apply = ty_step_normalise}
                                                 : (ty_image_step){.apply = as_bytes};
    const ty_image_step learn[] = {
        {.apply = ty_step_resized_crop, .size = {shape[0], shape[1]}}, {.apply = ty_step_flip}, last};
    /* As for ImageNet: resize the shorter side to 8/7 of the size and crop the centre. */
    int64_t side = (shape[0] > shape[1] ? shape[0] : shape[1]) * 8 / 7;
    const ty_image_step look[] = {{.apply = ty_step_resize, .size = {side, 0}},
                                  {.apply = ty_step_crop, .size = {shape[0], shape[1]}},
                                  last};
    return ty_loader_new(set, (ty_loader_options){.batch = batch,
                                                  .order = training ? TY_SHUFFLED : TY_IN_ORDER,
                                                  .drop_last = training,
                                                  .seed = seed,
                                                  .nsteps = 3,
                                                  .steps = training ? learn : look});
}

bool images_load(struct loaded *l, const char *path, const ty_network *network, const int64_t *shape,
                 int64_t batch, double held_out, int64_t limit, uint64_t seed) {
    const double shares[] = {1 - held_out, held_out};
    l->all = ty_dataset_folder(path, (ty_folder_options){.channels = (int)shape[2]});
    double part =
        limit && limit < ty_dataset_size(l->all) ? (double)limit / (double)ty_dataset_size(l->all) : 1;
    ty_dataset_split(l->all, 1, &part, part < 1 ? ty_fold(ty_key(seed), 4) : NULL, &l->parts[2]);
    ty_dataset_split(l->parts[2], 2, shares, ty_fold(ty_key(seed), 3), l->parts);
    for (int i = 0; i < 2; i++) {
        const char *error =
            *ty_dataset_error(l->all) ? ty_dataset_error(l->all) : ty_dataset_error(l->parts[i]);
        if (*error) return complain("%s", error) == EXIT_SUCCESS;
        int64_t n = ty_dataset_size(l->parts[i]);
        if (i && !n) break;
        l->loaders[i] = loader_of(l->parts[i], network, shape, batch < n ? batch : n, seed, !i);
        if (*ty_loader_error(l->loaders[i]))
            return complain("%s", ty_loader_error(l->loaders[i])) == EXIT_SUCCESS;
    }
    l->classes = ty_dataset_classes(l->all);
    return true;
}

void loaded_drop(struct loaded *l) {
    for (int i = 0; i < 2; i++) ty_loader_free(l->loaders[i]);
    for (int i = 0; i < 3; i++) ty_dataset_free(l->parts[i]);
    ty_dataset_free(l->all);
}
