/* Folders of images, a folder for each class. */
#ifndef TOOLS_IMAGES_H
#define TOOLS_IMAGES_H
#include <tyto/data.h>
#include <tyto/zoo.h>

struct image_folder {
    ty_dataset *all, *parts[2]; /* for training, held out */
    ty_loader *loaders[2];
    int64_t classes;
};

/* Whether a folder has folders in it. */
bool image_folder_is(const char *path);
/* Images as the network takes them (of a description: its first input): for training with random crops and flips, held out
   ones from the middle.  False after a message on stderr.  Ended with image_folder_close. */
bool image_folder_open(struct image_folder *f, const char *path, const ty_network *network,
                       const int64_t *shape, int64_t batch, double held_out, uint64_t seed);
void image_folder_close(struct image_folder *f);
#endif
