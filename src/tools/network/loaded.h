/* Training and test examples through loaders: folders of images, texts. */
#ifndef TOOLS_NETWORK_LOADED_H
#define TOOLS_NETWORK_LOADED_H
#include <tyto/data.h>
#include <tyto/tokens.h>
#include <tyto/zoo.h>

/* Data sets and their loaders; loaded_drop frees them. */
struct loaded {
    ty_dataset *all, *parts[3]; /* training set, held-out set, examples within the limit */
    ty_loader *loaders[2];      /* loaders of the first two sets; NULL: none held out */
    int64_t classes;            /* number of classes of images */
    int64_t tokens[2];          /* numbers of tokens of a text; 0: images */
    ty_tokenizer *tokenizer;    /* of a text; NULL: tokens are bytes */
};

/* Return true if a folder contains folders whose names do not begin with a dot. */
bool image_folder_is(const char *path);
/* How images of any size become inputs of a network, and which of them count. */
struct image_plan {
    const ty_network *network; /* NULL: pixels in 0..1 */
    const int64_t *shape;      /* rows, columns, channels */
    int64_t batch;
    double held_out; /* share for validation */
    int64_t limit;   /* most images, drawn by the seed; 0: all */
    uint64_t seed;
    const char *augment; /* steps for training (ty_image_steps_parse), "none"; NULL: crops and flips */
    bool skip_bad;       /* leave out images that cannot be read, and say which */
};
/* Load a folder with one sub-folder per class into *l, in batches of images.  Those for validation are resized and
   cropped at the centre.  False after a message on stderr. */
bool images_load(struct loaded *l, const char *path, const struct image_plan *plan);
/* Load images in memory, [n, rows, columns, channels] with labels [n], for training with the plan's steps. */
bool images_augment(struct loaded *l, ty_tensor *images, ty_tensor *labels, const struct image_plan *plan);
/* Return a loader of a set's images in order, prepared as for validation; the caller frees it. */
ty_loader *images_loader(ty_dataset *set, const struct image_plan *plan);
/* Return an image of a file, prepared as for validation, without a batch axis; poison on failure. */
ty_tensor *images_read(const char *path, const struct image_plan *plan);
/* How a text becomes windows of tokens. */
struct text_plan {
    const char *path;
    const char *tokenizer; /* "bpe": trained on the text; a tokenizer.json; NULL: bytes */
    int64_t vocabulary;    /* most tokens of a trained tokenizer; 0: the default */
    int64_t places, batch; /* tokens of a window, windows of a batch */
    double held_out;       /* share for validation */
    int64_t limit;         /* most tokens; 0: all */
    uint64_t seed;
};
/* Load windows of tokens into *l, in batches, each with its next tokens as targets.  Held-out windows form stretches all
   over the text that share no token with training windows.  False after a message on stderr. */
bool text_load(struct loaded *l, const struct text_plan *plan);
/* Free the loaders and data sets of l. */
void loaded_drop(struct loaded *l);
#endif
