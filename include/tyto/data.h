/*
 * From files to batches: data sets, random changes of images, and loaders, which make batches ahead on threads of their
 * own.
 *
 *   ty_dataset *set = ty_dataset_folder("flowers", (ty_folder_options){0});
 *   const ty_image_step steps[] = {{.apply = ty_step_resized_crop, .size = {224, 224}},
 *                                  {.apply = ty_step_flip},
 *                                  {.apply = ty_step_normalise}};
 *   ty_loader *loader = ty_loader_new(set, (ty_loader_options){.batch = 64, .seed = 1, .steps = steps, .nsteps = 3});
 *   ty_tensor *batch[2];
 *   while (ty_loader_next(loader, 2, batch)) ...      f32[64,224,224,3], i64[64]
 *
 * What comes is a function of (seed, epoch, place in the epoch) alone: not of threads, nor of what was made before.  Sets
 * and loaders that come back are never NULL, and NULL counts as one that has failed; the sentence is ty_dataset_error's or
 * ty_loader_error's.  Zero in an option means its default.
 */
#ifndef TYTO_DATA_H
#define TYTO_DATA_H

#include <tyto/core.h>
#include <tyto/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- data sets ------------------------------------------------------------------------------------- */

typedef struct ty_dataset ty_dataset;

enum { TY_MOST_FIELDS = 16 };

/* One tensor of each example: "image", "label". */
typedef struct ty_field {
    const char *name;
    ty_dtype dtype;
    int rank;
    const int64_t *shape; /* a size of -1 differs from example to example */
} ty_field;

/* n tensors (promises are evaluated) whose axis 0 has the examples; names may be NULL: "0", "1", ... */
TY_API ty_dataset *ty_dataset_arrays(int n, ty_tensor *const *fields, const char *const *names);
/* The same of n files with one tensor each (npy, idx, ...); what can be mapped is, and read when it is used. */
TY_API ty_dataset *ty_dataset_files(int n, const char *const *paths, ty_file_options options);
/* The same of n tensors of an npz or safetensors file, by name; n = 0: all, in the order of the file. */
TY_API ty_dataset *ty_dataset_archive(const char *path, int n, const char *const *names,
                                      ty_file_options options);

typedef struct ty_csv_options {
    const char *target; /* a column's name, or its number from 0, negative from the last; NULL: the last */
    /* The target's values are classes: their places in rising order, of words in that of bytes, become i64 labels. */
    bool classes;
    bool missing; /* inputs and values that are missing are NaN; else they are refused, as nan is */
    ty_file_options file;
} ty_csv_options;
/* The rows of a csv: "input" f32[columns - 1], and "target" f32[] or i64[].  A column of words among the inputs is refused,
   unless file.words has them numbered. */
TY_API ty_dataset *ty_dataset_csv(const char *path, ty_csv_options options);

/* CIFAR's binary files (Krizhevsky, "Learning multiple layers of features from tiny images", 2009) in `directory`, the
   50,000 for training or the 10,000 for testing: "image" u8[32,32,3], "label" u8[]. */
TY_API ty_dataset *ty_dataset_cifar10(const char *directory, bool train);
/* `coarse`: the label is one of 20 families instead of one of 100 kinds. */
TY_API ty_dataset *ty_dataset_cifar100(const char *directory, bool train, bool coarse);

typedef struct ty_text_options {
    int64_t length;  /* of a window; 0 means 64 */
    int64_t stride;  /* from window to window; 0 means the length */
    bool characters; /* UTF-8, numbered as they rise; else bytes, which are their own numbers */
} ty_text_options;
/* Windows of a text: "input" i32[length], and "target" i32[length], what follows each of them.  Classes are the
   characters, or none. */
TY_API ty_dataset *ty_dataset_text(const char *path, ty_text_options options);

typedef struct ty_folder_options {
    int channels; /* 1 grey, 3 RGB, 4 RGBA; 0 means 3 */
} ty_folder_options;
/* Images (png, jpg, jpeg, pgm, ppm, pnm) of a folder with one sub-folder for each class, both in the order of their
   bytes: "image" u8[-1,-1,channels], "label" i64[].  Read when they are asked for; grey is 0.299 R + 0.587 G + 0.114 B. */
TY_API ty_dataset *ty_dataset_folder(const char *directory, ty_folder_options options);

/* Examples first .. first + n - 1 of ty_digits, drawn when they are asked for: "image" u8[28,28,1], "label" u8[]. */
TY_API ty_dataset *ty_dataset_digits(uint64_t seed, int64_t first, int64_t n);

/* Examples from the caller.  get: values or promises of example `index` into out[nfields], in the scope that is open;
   false or poison: there is none.  Loaders call it from several threads at once. */
typedef struct ty_data_source {
    void *context;
    int64_t size;
    int nfields;
    const ty_field *fields; /* copied */
    bool (*get)(void *context, int64_t index, ty_tensor **out);
    void (*done)(void *context); /* after the last use, also when the set is refused; NULL: nothing to do */
} ty_data_source;
TY_API ty_dataset *ty_dataset_source(ty_data_source source);

/* Each of these holds on to its bases, which may be ended before it. */

/* Examples indices[0] .. indices[n - 1]; they may repeat. */
TY_API ty_dataset *ty_dataset_subset(ty_dataset *set, int64_t n, const int64_t *indices);
/* n sets out[i] without common examples, of fractions[i] of the examples each, which add up to 1 at most; in an order
   drawn by `key`, or NULL: as they stand.  False: out[] have failed. */
TY_API bool ty_dataset_split(ty_dataset *set, int n, const double *fractions, ty_tensor *key,
                             ty_dataset **out);
/* The examples of n sets, one set after the other; their fields agree in number, dtype and rank. */
TY_API ty_dataset *ty_dataset_concat(int n, ty_dataset *const *sets);

/* NULL is allowed. */
TY_API void ty_dataset_free(ty_dataset *set);
/* "" when the set is well. */
TY_API const char *ty_dataset_error(const ty_dataset *set);
/* How many examples it has; 0 of a failed one. */
TY_API int64_t ty_dataset_size(const ty_dataset *set);
TY_API int ty_dataset_fields(const ty_dataset *set);
/* Field i; lives as long as the set.  NULL outside. */
TY_API const ty_field *ty_dataset_field(const ty_dataset *set, int i);
/* How many classes have names, and name i, NULL outside; it lives as long as the set. */
TY_API int ty_dataset_classes(const ty_dataset *set);
TY_API const char *ty_dataset_class(const ty_dataset *set, int i);
/* The first n fields of an example, as values.  False: all are poisoned with a sentence that names the example. */
TY_API bool ty_dataset_get(const ty_dataset *set, int64_t index, int n, ty_tensor **out);
/* Where an example comes from, "flowers/rose/1.jpg": text that the caller frees with ty_free.  NULL: no memory. */
TY_API char *ty_dataset_where(const ty_dataset *set, int64_t index);

/* ---- steps: what is done to images (H,W,C) ------------------------------------------------------------

   A pipeline is an array of steps.  Random numbers belong to (seed, epoch, example, step).  Integers count from 0 to the
   greatest of their dtype; what computes makes f32 from 0 to 1 of them, and leaves floating images as they are. */

/* The random numbers of one step on one example; start: {seed, epoch, index, step, 0}. */
typedef struct ty_draws {
    uint64_t seed, epoch, index;
    uint32_t step, count;
} ty_draws;
/* The next number, low <= x < high. */
TY_API double ty_draws_number(ty_draws *draws, double low, double high);
/* A key for tensors of random numbers: the same for all calls in one step. */
TY_API ty_tensor *ty_draws_key(const ty_draws *draws);

typedef struct ty_image_step ty_image_step;
struct ty_image_step {
    /* The image after the step; may be the caller's own, of public functions, called from several threads at once. */
    ty_tensor *(*apply)(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
    int64_t size[2];  /* rows and columns afterwards */
    int64_t pad;      /* random_crop: zeros around the image first */
    double chance;    /* flips: of being done; 0 means 0.5 */
    double area[2];   /* resized_crop: share of the image, between; zeros: 0.08 and 1 */
    double aspect[2]; /* resized_crop: columns by rows, between; zeros: 3/4 and 4/3 */
    double degrees;   /* affine: turned by as much at most, either way */
    double shift[2];  /* affine: moved by this share of rows and columns at most, either way */
    double scale[2];  /* affine: enlarged by a factor between; zeros: 1 and 1 */
    double brightness, contrast, saturation; /* jitter: by a factor between 1 - b and 1 + b */
    bool nearest; /* resize, resized_crop, affine: the nearest pixel as it is, for masks of classes */
    double hue;   /* jitter: turned by at most this share of the circle, either way; up to 0.5 */
    double mean[4], deviation[4]; /* normalise: of each channel; zeros: ImageNet's, of RGB */
    void *context;                /* the caller's */
};

/* The middle; an image that is smaller is refused. */
TY_API ty_tensor *ty_step_crop(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Anywhere, after `pad` zeros were put around. */
TY_API ty_tensor *ty_step_random_crop(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* A part of a random area and aspect, resized (torchvision's RandomResizedCrop: ten tries, then the middle). */
TY_API ty_tensor *ty_step_resized_crop(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* To size; size {n, 0}: the shorter side becomes n, the other keeps its proportion.  Linear with antialiasing. */
TY_API ty_tensor *ty_step_resize(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Left and right change sides; top and bottom. */
TY_API ty_tensor *ty_step_flip(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
TY_API ty_tensor *ty_step_flip_rows(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Turned about the middle, enlarged, moved; linear, zeros outside. */
TY_API ty_tensor *ty_step_affine(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* RGB in a random order of the four, each kept between 0 and 1 (torchvision's ColorJitter). */
TY_API ty_tensor *ty_step_jitter(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* (x - mean) / deviation. */
TY_API ty_tensor *ty_step_normalise(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* To f32 from 0 to 1. */
TY_API ty_tensor *ty_step_float(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* (H,W,C) to (C,H,W); the last step, since others want images. */
TY_API ty_tensor *ty_step_channels_first(const ty_image_step *step, ty_tensor *x, ty_draws *draws);

/* n steps on one image, a value, as a loader with this seed does them in that epoch on that example. */
TY_API ty_tensor *ty_augment(int n, const ty_image_step *steps, ty_tensor *x, uint64_t seed, int64_t epoch,
                             int64_t index);

/* ---- loaders ------------------------------------------------------------------------------------------- */

typedef struct ty_loader ty_loader;

typedef enum ty_order {
    TY_SHUFFLED, /* each example once an epoch, in an order of its own */
    TY_IN_ORDER,
    TY_SAMPLED /* any example each time: with repetition */
} ty_order;

#define TY_ALL_EXAMPLES (-1) /* a batch of all examples */

typedef struct ty_loader_options {
    int64_t batch; /* 0 means 32; 1 is stochastic, TY_ALL_EXAMPLES full batches */
    ty_order order;
    bool drop_last;  /* an epoch's last batch, when it is smaller, is left out */
    int64_t samples; /* TY_SAMPLED: how many make an epoch; 0 means as many as there are */
    uint64_t seed;
    int threads; /* 0 means half of ty_threads(), none when that is 1; -1: none, the caller of ty_loader_next does it all */
    int prefetch; /* batches made ahead, and no more; 0 means 2 */
    int nsteps;
    const ty_image_step *steps; /* copied; done to field 0 */
    int ntarget_steps;
    const ty_image_step
        *target_steps; /* done to field 1, a mask (H,W,C): step i draws the numbers that step i of field 0
                                          draws, so equal steps cut, turn and flip both in the same way */
} ty_loader_options;

/* A loader that stands at the start of epoch 0; it holds on to the set.  Ended with ty_loader_free, at any time: threads
   finish the example that they are at. */
TY_API ty_loader *ty_loader_new(ty_dataset *set, ty_loader_options options);
TY_API void ty_loader_free(ty_loader *loader);
/* "" when the loader is well. */
TY_API const char *ty_loader_error(const ty_loader *loader);
/* The first n fields of the next batch, examples along axis 0, into out.  False once at the end of an epoch, after which
   the next one comes, and of a failed loader; out[] are poisoned then.  A batch with an example that cannot be had is
   poisoned, names the first such, and comes with true: the batch after it is the next.  One thread at a time. */
TY_API bool ty_loader_next(ty_loader *loader, int n, ty_tensor **out);
/* Batches of an epoch; 0 of a failed one. */
TY_API int64_t ty_loader_batches(const ty_loader *loader);
/* Fields of its examples. */
TY_API int ty_loader_fields(const ty_loader *loader);
/* Threads that it has. */
TY_API int ty_loader_threads(const ty_loader *loader);

/* Where a loader stands: `batch` of `epoch` is the next. */
typedef struct ty_data_place {
    uint64_t seed;
    int64_t epoch, batch;
} ty_data_place;
TY_API ty_data_place ty_loader_tell(const ty_loader *loader);
/* From there on batches have the bits that they would have had.  False: there is no such place, and nothing changed. */
TY_API bool ty_loader_seek(ty_loader *loader, ty_data_place place);

#ifdef __cplusplus
}
#endif
#endif
