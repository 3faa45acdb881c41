/* Examples that come through loaders, for training and held out: folders of images, texts. */
#ifndef TOOLS_LOADED_H
#define TOOLS_LOADED_H
#include <tyto/data.h>
#include <tyto/zoo.h>

struct loaded {
    ty_dataset *all, *parts[3]; /* for training, held out, those that a limit leaves */
    ty_loader *loaders[2];      /* of the first two; NULL: nothing is held out */
    int64_t classes;            /* of images */
    int64_t tokens[2];          /* of a text; 0: images */
};

/* Whether a folder has folders in it. */
bool image_folder_is(const char *path);
/* Images of a folder with one for each class, as the network takes them (of a description: its first input): for training
   with random crops and flips, held out ones from the middle.  limit: only so many, drawn by the seed, 0: all.  False after a
   message on stderr. */
bool images_load(struct loaded *l, const char *path, const ty_network *network, const int64_t *shape,
                 int64_t batch, double held_out, int64_t limit, uint64_t seed);
/* Windows of `places` bytes of a text and the bytes that follow each: for training from anywhere, held out ones from stretches
   all over it, with which the others share no byte.  limit: only so many bytes, 0: all.  False after a message on stderr. */
bool text_load(struct loaded *l, const char *path, int64_t places, int64_t batch, double held_out,
               int64_t limit, uint64_t seed);
void loaded_drop(struct loaded *l);

/* Writes n bytes that the model draws after the prompt, to standard output; temperature 0: the most likely ones.  False
   after a message on stderr. */
bool text_write(ty_model *model, int64_t places, const char *prompt, int64_t n, double temperature,
                uint64_t seed);
#endif
