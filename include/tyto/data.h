/*
 * From files to batches: data sets, random image augmentation, and loaders, which prepare batches ahead on threads of
 * their own.
 *
 *   ty_dataset *set = ty_dataset_folder("flowers", (ty_folder_options){0});
 *   const ty_image_step steps[] = {{.apply = ty_step_resized_crop, .size = {224, 224}},
 *                                  {.apply = ty_step_flip},
 *                                  {.apply = ty_step_normalise}};
 *   ty_loader *loader = ty_loader_new(set, (ty_loader_options){.batch = 64, .seed = 1, .steps = steps, .nsteps = 3});
 *   ty_tensor *batch[2];
 *   while (ty_loader_next(loader, 2, batch)) ...      f32[64,224,224,3], i64[64]
 *
 * Batches are a function of (seed, epoch, position in the epoch) alone, whatever the threads and the earlier batches.
 * Returned sets and loaders are never NULL, and NULL counts as one that has failed; ty_dataset_error and
 * ty_loader_error return the message.  Zero in an option stands for its default.
 */
#ifndef TYTO_DATA_H
#define TYTO_DATA_H

#include <tyto/core.h>
#include <tyto/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- data sets ------------------------------------------------------------------------------------- */

/* A set of examples, each of one or more tensors.  It never changes. */
typedef struct ty_dataset ty_dataset;

enum { TY_MOST_FIELDS = 16 };

/* A tensor of each example, such as "image" or "label". */
typedef struct ty_field {
    const char *name;
    ty_dtype dtype;
    int rank;
    const int64_t *shape; /* a size of -1 differs between examples */
} ty_field;

/* Make a data set of n tensors fields[i] (1 to 16; retained, promises are evaluated), whose axis 0 counts the
   examples, equally many in each.  names[i] are the fields' names, which are copied; NULL: "0", "1" and so on.
   Never NULL: see ty_dataset_error.  Free it with ty_dataset_free. */
TY_API ty_dataset *ty_dataset_arrays(int n, ty_tensor *const *fields, const char *const *names);
TY_API ty_dataset *ty_dataset_files_sized(int n, const char *const *paths, const ty_file_options *options,
                                          size_t size);
/* Make a data set of n files (1 to 16) with one tensor each (npy, idx, ...), a field each.  Axis 0 counts the
   examples.  `options` are those of reading.  Files are mapped if possible, and read when used.  Never NULL: see
   ty_dataset_error.  Free it with ty_dataset_free. */
TY_INLINE ty_dataset *ty_dataset_files(int n, const char *const *paths, ty_file_options options) {
    return ty_dataset_files_sized(n, paths, &options, sizeof options);
}
TY_API ty_dataset *ty_dataset_archive_sized(const char *path, int n, const char *const *names,
                                            const ty_file_options *options, size_t size);
/* Make a data set of the n tensors of these names in an npz or safetensors file, a field each (1 to 16).  Axis 0
   counts the examples.  n = 0: all, in the order of the file.  Never NULL: see ty_dataset_error.  Free it with
   ty_dataset_free. */
TY_INLINE ty_dataset *ty_dataset_archive(const char *path, int n, const char *const *names,
                                         ty_file_options options) {
    return ty_dataset_archive_sized(path, n, names, &options, sizeof options);
}

/* Options of ty_dataset_csv. */
typedef struct ty_csv_options {
    const char *target; /* a column's name, or its number from 0, negative from the last; NULL: the last */
    /* The target's values are classes: their ranks become i64 labels, counted from 0 in ascending order, for words
       in byte order. */
    bool classes;
    bool missing;         /* missing inputs and values become NaN; else they are errors, and so is nan */
    int64_t unused[4];    /* 0: room for later members */
    ty_file_options file; /* stays last, since it grows */
} ty_csv_options;
TY_API ty_dataset *ty_dataset_csv_sized(const char *path, const ty_csv_options *options, size_t size);
/* Make a data set of the rows of a csv: "input" f32[columns - 1], and "target" f32[], with options.classes i64[]
   labels from 0.  Words among the inputs are an error unless file.words numbers them.  Never NULL: see
   ty_dataset_error.  Free it with ty_dataset_free. */
TY_INLINE ty_dataset *ty_dataset_csv(const char *path, ty_csv_options options) {
    return ty_dataset_csv_sized(path, &options, sizeof options);
}

/* Read MNIST's files in `directory`, plain or .gz, the 60,000 images for training or the 10,000 for testing:
   "image" u8[28,28,1], "label" u8[] below 10.  Never NULL: see ty_dataset_error.  Free it with
   ty_dataset_free. */
TY_API ty_dataset *ty_dataset_mnist(const char *directory, bool train);
/* Read CIFAR-10's binary files in `directory`, the 50,000 images for training or the 10,000 for testing: "image"
   u8[32,32,3], "label" u8[], 0 to 9.  (Krizhevsky, "Learning multiple layers of features from tiny images", 2009.)
   Never NULL: see ty_dataset_error.  Free it with ty_dataset_free. */
TY_API ty_dataset *ty_dataset_cifar10(const char *directory, bool train);
/* Read CIFAR-100's binary files in `directory`, the 50,000 images for training or the 10,000 for testing:
   "image" u8[32,32,3], "label" u8[].  `coarse`: the label is one of 20 families instead of one of 100 classes.
   Never NULL: see ty_dataset_error.  Free it with ty_dataset_free. */
TY_API ty_dataset *ty_dataset_cifar100(const char *directory, bool train, bool coarse);

/* Options of ty_dataset_text. */
typedef struct ty_text_options {
    int64_t length;  /* of a window; 0 means 64 */
    int64_t stride;  /* distance of windows; 0 means the length */
    bool characters; /* UTF-8 characters, numbered in ascending order; else the values of bytes */
    bool unused[7];
} ty_text_options;
TY_API ty_dataset *ty_dataset_text_sized(const char *path, const ty_text_options *options, size_t size);
/* Make a data set of windows of the text in a file: "input" i32[length], and "target" i32[length], which holds
   the next character (or byte) of each.  Classes are the characters, or none for bytes.  Never NULL: see
   ty_dataset_error.  Free it with ty_dataset_free. */
TY_INLINE ty_dataset *ty_dataset_text(const char *path, ty_text_options options) {
    return ty_dataset_text_sized(path, &options, sizeof options);
}

/* Options of ty_dataset_folder. */
typedef struct ty_folder_options {
    int channels; /* 1 grey, 3 RGB, 4 RGBA; 0 means 3 */
} ty_folder_options;
TY_API ty_dataset *ty_dataset_folder_sized(const char *directory, const ty_folder_options *options,
                                           size_t size);
/* Make a data set of the images (png, jpg, jpeg, pgm, ppm, pnm) of a folder with one sub-folder for each class,
   both in byte order: "image" u8[-1,-1,channels], "label" i64[] from 0.  Images are read on request; grey is 0.299
   R + 0.587 G + 0.114 B. Never NULL: see ty_dataset_error.  Free it with ty_dataset_free. */
TY_INLINE ty_dataset *ty_dataset_folder(const char *directory, ty_folder_options options) {
    return ty_dataset_folder_sized(directory, &options, sizeof options);
}

/* Make a data set of examples first .. first + n - 1 of an endless set of handwritten-like digits, drawn on
   request: "image" u8[28,28,1], "label" u8[].  Example i depends on (seed, i) only, i counted from 0.  Never NULL: see
   ty_dataset_error.  Free it with ty_dataset_free. */
TY_API ty_dataset *ty_dataset_digits(uint64_t seed, int64_t first, int64_t n);

/* A source of examples in the caller's code. */
typedef struct ty_data_source {
    void *context;
    int64_t size;
    int nfields;
    const ty_field *fields; /* copied */
    /* Write values or promises of example `index` to out[nfields], in the scope that is open.  False, or poison:
       there is none.  Loaders call it from several threads at once. */
    bool (*get)(void *context, int64_t index, ty_tensor **out);
    void (*done)(void *context); /* called after the last use, also if the set is refused; NULL: none */
} ty_data_source;
TY_API ty_dataset *ty_dataset_source_sized(const ty_data_source *source, size_t size);
/* Make a data set whose examples the caller's functions make; `source` is copied; its context must live until
   source.done is called.  Never NULL: see ty_dataset_error.  Free it with ty_dataset_free. */
TY_INLINE ty_dataset *ty_dataset_source(ty_data_source source) {
    return ty_dataset_source_sized(&source, sizeof source);
}

/* The sets below keep their base sets alive, which may be freed before them. */

/* Make a data set of the examples indices[0 .. n) of a set, counted from 0; they may repeat and are copied; one
   outside is a failure.  `set` may be freed before.  Never NULL: see ty_dataset_error.  Free it with
   ty_dataset_free. */
TY_API ty_dataset *ty_dataset_subset(ty_dataset *set, int64_t n, const int64_t *indices);
/* Make a data set of the examples that can be read; each is read once for that.  *count, unless NULL, receives the number
   of the others, and bad[0 .. room) the indices of the first of them.  `set` may be freed before.  Never NULL: see
   ty_dataset_error; it is a failure if none can be read.  Free it with ty_dataset_free. */
TY_API ty_dataset *ty_dataset_readable(ty_dataset *set, int64_t room, int64_t *bad, int64_t *count);
/* Split a data set into n disjoint sets out[i], of fractions[i] of the examples each, which sum to at most 1.  The
   examples are first put in a random order by `key` (ty_key); NULL: their order stays.  `set` may be freed before
   them.  Free each set with ty_dataset_free.  False on failure: sets in out[] have failed (ty_dataset_error) and
   must be freed, too. */
TY_API bool ty_dataset_split(ty_dataset *set, int n, const double *fractions, ty_tensor *key,
                             ty_dataset **out);
/* Concatenate n data sets, whose fields agree in number, dtype and rank; class names are those of the first.  The
   sets may be freed before.  Never NULL: see ty_dataset_error.  Free it with ty_dataset_free. */
TY_API ty_dataset *ty_dataset_concat(int n, ty_dataset *const *sets);

/* Free a data set; sets and loaders made of it go on.  NULL is allowed. */
TY_API void ty_dataset_free(ty_dataset *set);
/* Return the error message of a data set, "" if it is valid.  The text lives as long as the set. */
TY_API const char *ty_dataset_error(const ty_dataset *set);
/* Return the error of a data set as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_dataset_failure(const ty_dataset *set);
/* Return the number of examples; 0 if the set has failed. */
TY_API int64_t ty_dataset_size(const ty_dataset *set);
/* Return the number of fields of an example; 0 if the set has failed. */
TY_API int ty_dataset_fields(const ty_dataset *set);
/* Return field i, counted from 0, which lives as long as the set; NULL if i is outside. */
TY_API const ty_field *ty_dataset_field(const ty_dataset *set, int i);
/* Return the number of classes that have names; 0 if there are none or the set has failed. */
TY_API int ty_dataset_classes(const ty_dataset *set);
/* Return the name of class i, counted from 0, which lives as long as the set; NULL if i is outside. */
TY_API const char *ty_dataset_class(const ty_dataset *set, int i);
/* Get the first n fields of example `index`, counted from 0, as values in out[0 .. n), without an axis of examples.
   False on failure: all of them are poisoned, and the message names the example. */
TY_API bool ty_dataset_get(const ty_dataset *set, int64_t index, int n, ty_tensor **out);
/* Get the first n fields of all examples as values in out[0 .. n), examples along axis 0; those of arrays are
   views.  False on failure, also if a field's size differs between examples: all of them are poisoned. */
TY_API bool ty_dataset_get_all(const ty_dataset *set, int n, ty_tensor **out);
/* Return the origin of example `index`, counted from 0, such as "flowers/rose/1.jpg"; for an index outside a
   text that says so.  The caller frees the text with ty_free; NULL: out of memory. */
TY_API char *ty_dataset_where(const ty_dataset *set, int64_t index);

/*
 * ---- steps: image augmentation ----
 *
 * A pipeline is an array of steps on images (H,W,C).  Random numbers belong to (seed, epoch, example, step).  Integers
 * count from 0 to the greatest value of their dtype; steps that compute convert them to f32 in 0..1, and keep floating
 * images as they are.  A step returns the new image, poison if an option does not fit.
 */

/* Random numbers of one step on one example; initially {seed, epoch, index, step, 0}. */
typedef struct ty_draws {
    uint64_t seed, epoch, index;
    uint32_t step, count;
} ty_draws;
/* Draw the next random number of a step on an example, uniform in low <= x < high; it advances *draws.  Returns
   `low` if draws is NULL. */
TY_API double ty_draws_number(ty_draws *draws, double low, double high);
/* Return a key for tensors of random numbers of a step on an example; it is the same for all calls in one step.
   Poison if draws is NULL. */
TY_API ty_tensor *ty_draws_key(const ty_draws *draws);

/* A step of augmentation with its options. */
typedef struct ty_image_step ty_image_step;
struct ty_image_step {
    /* Return the image after the step.  The caller's own function may use public functions; several threads call it
       at once. */
    ty_tensor *(*apply)(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
    int64_t size[2];  /* rows and columns of the result */
    int64_t pad;      /* random_crop: zeros added around the image first */
    double chance;    /* flips: probability; 0 means 0.5 */
    double area[2];   /* resized_crop: range of the share of the image; zeros mean 0.08 and 1 */
    double aspect[2]; /* resized_crop: range of columns by rows; zeros mean 3/4 and 4/3 */
    double degrees;   /* affine: greatest rotation either way */
    double shift[2];  /* affine: greatest shift either way, as a share of rows and columns */
    double scale[2];  /* affine: range of the scale factor; zeros mean 1 and 1 */
    double brightness, contrast, saturation; /* jitter: factor between 1 - b and 1 + b */
    bool nearest; /* resize, resized_crop, affine: nearest pixel unchanged, for masks of classes */
    double hue;   /* jitter: greatest rotation either way, as a share of the circle; up to 0.5 */
    double mean[4], deviation[4]; /* normalise: of each channel; zeros mean ImageNet's, of RGB */
    void *context;                /* the caller's */
    double unused[4];             /* 0: room for later members */
};

/* Crop the centre of an image x (H,W,C) to step->size.  Poison if the image is smaller, or no (H,W,C) of real
   numbers.  The dtype stays. */
TY_API ty_tensor *ty_step_crop(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Crop an image x (H,W,C) to step->size at a random position, after adding step->pad zeros around.  Poison if the
   padded image is smaller, or x is no (H,W,C) of real numbers.  The dtype stays. */
TY_API ty_tensor *ty_step_random_crop(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Crop a random area of random aspect of an image x (H,W,C) and resize it to step->size (torchvision's
   RandomResizedCrop: ten tries, then the centre).  Integers become f32 in 0..1, unless step->nearest.  Poison if an
   option does not fit or x is no (H,W,C) of real numbers. */
TY_API ty_tensor *ty_step_resized_crop(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Resize an image x (H,W,C) to step->size; size {n, 0}: the shorter side becomes n and the proportions stay.
   Linear with antialiasing.  Integers become f32 in 0..1, unless step->nearest.  Poison if an option does not fit
   or x is no (H,W,C) of real numbers. */
TY_API ty_tensor *ty_step_resize(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Flip an image x (H,W,C) left and right with probability step->chance (0: 0.5).  Poison if x is no (H,W,C) of real
   numbers.  The dtype stays. */
TY_API ty_tensor *ty_step_flip(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Flip an image x (H,W,C) top and bottom with probability step->chance (0: 0.5).  Poison if x is no (H,W,C) of real
   numbers.  The dtype stays. */
TY_API ty_tensor *ty_step_flip_rows(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Rotate an image x (H,W,C) about its centre, scale and shift it, by random amounts.  Limits are step->degrees
   (degrees), step->scale (factors) and step->shift (shares of the size).  Interpolates linearly, or by the nearest
   pixel with step->nearest; zeros outside.  The result has x's size, of f32 (with `nearest` x's dtype).  Poison if
   an option does not fit or x is no (H,W,C) of real numbers. */
TY_API ty_tensor *ty_step_affine(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Change brightness, contrast, saturation and hue of an RGB image x (H,W,3) by random amounts within the step's
   options.  They follow in random order, clipped to 0..1 (torchvision's ColorJitter).  Integers become f32 in 0..1.
   Poison if an option does not fit or x is no (H,W,3) of real numbers. */
TY_API ty_tensor *ty_step_jitter(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Return (x - mean) / deviation of an image x (H,W,C) for each channel, by step->mean and step->deviation; if all
   of both are 0, by ImageNet's.  Integers become f32, divided by the greatest value of their dtype.  Poison for
   more than 4 channels, or a deviation that is not positive. */
TY_API ty_tensor *ty_step_normalise(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Convert an image x (H,W,C) of integers to f32 in 0..1, by the greatest value of their dtype; a floating image is
   returned unchanged.  Poison if x is no (H,W,C) of real numbers. */
TY_API ty_tensor *ty_step_float(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
/* Convert an image x (H,W,C) to (C,H,W); of the same dtype; for the last step, since others need (H,W,C).  Poison
   if x is no (H,W,C) of real numbers. */
TY_API ty_tensor *ty_step_channels_first(const ty_image_step *step, ty_tensor *x, ty_draws *draws);

/* Read steps from a text, "random_crop:pad=4,flip,affine:degrees=10:scale=0.9..1.1": names of the functions above without
   "ty_step_", with numbers of ty_image_step, a range or pair with two points.  Steps lack the sizes that the text does
   not say.  Writes parsed[0 .. capacity) and returns their number; -1 on failure, with the reason in *error unless NULL: a
   poisoned tensor that the scope owns. */
TY_API int ty_image_steps_parse(const char *text, int capacity, ty_image_step *parsed, ty_tensor **error);
/* Apply n steps to one image x (H,W,C), a value; n = 0 gives x.  The numbers drawn are those of a loader with this
   seed in the given epoch for the example of this index; both count from 0.  Poison if a step fails. */
TY_API ty_tensor *ty_augment(int n, const ty_image_step *steps, ty_tensor *x, uint64_t seed, int64_t epoch,
                             int64_t index);

/* ---- loaders ------------------------------------------------------------------------------------------- */

/* A loader of batches, with its threads. */
typedef struct ty_loader ty_loader;

/* Order of the examples of an epoch. */
typedef enum ty_order {
    TY_SHUFFLED, /* each example once an epoch, in a random order of its own */
    TY_IN_ORDER,
    TY_SAMPLED /* random examples with repetition */
} ty_order;

/* As a batch size: all examples. */
#define TY_ALL_EXAMPLES (-1)

/* Options of a loader. */
typedef struct ty_loader_options {
    int64_t batch; /* examples; 0 means 32; 1: stochastic; TY_ALL_EXAMPLES: full batches */
    ty_order order;
    bool drop_last;  /* leave out an epoch's last batch if it is smaller */
    int64_t samples; /* TY_SAMPLED: examples of an epoch; 0 means the size of the set */
    uint64_t seed;
    /* 0 means half of ty_threads(), none if that is 1; -1 means none: the caller of ty_loader_next does all the
       work */
    int threads;
    int prefetch; /* greatest number of batches prepared ahead; 0 means 2 */
    int nsteps;
    const ty_image_step *steps; /* copied; applied to field 0 */
    int ntarget_steps;
    /* applied to field 1, a mask (H,W,C).  Step i draws the numbers of step i of field 0, so equal steps crop,
       rotate and flip both alike */
    const ty_image_step *target_steps;
} ty_loader_options;

TY_API ty_loader *ty_loader_new_sized(ty_dataset *set, const ty_loader_options *options, size_t size);
/* Make a loader of batches of a data set at the start of epoch 0; it keeps the set alive and copies the steps.
   Never NULL: ty_loader_error returns the reason of a failure.  The caller frees it with ty_loader_free. */
TY_INLINE ty_loader *ty_loader_new(ty_dataset *set, ty_loader_options options) {
    return ty_loader_new_sized(set, &options, sizeof options);
}
/* Free a loader at any time, its threads included; they finish their current example.  NULL is allowed. */
TY_API void ty_loader_free(ty_loader *loader);
/* Return the error message of a loader, "" if it is valid.  The text lives as long as the loader. */
TY_API const char *ty_loader_error(const ty_loader *loader);
/* Return the error of a loader as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_loader_failure(const ty_loader *loader);
/*
 * Get the first n fields of the next batch in out[0 .. n), examples along axis 0.  One thread at a time.
 *
 * False once at the end of each epoch, after which the next one begins, and for a failed loader; out[] are poisoned
 * then.  A batch with an unreadable example is poisoned, names the first such example, and returns true; the following
 * call gets the batch after it.
 */
TY_API bool ty_loader_next(ty_loader *loader, int n, ty_tensor **out);
/* Return the number of batches of an epoch, a smaller last one included unless drop_last; 0 if the loader has
   failed. */
TY_API int64_t ty_loader_batches(const ty_loader *loader);
/* Return the number of fields of its examples; 0 if the loader has failed. */
TY_API int ty_loader_fields(const ty_loader *loader);
/* Return the number of the loader's own threads; 0 if all work is done in ty_loader_next, or if it has failed. */
TY_API int ty_loader_threads(const ty_loader *loader);

/* Position of a loader: `batch` of `epoch` is the next; both count from 0. */
typedef struct ty_data_place {
    uint64_t seed;
    int64_t epoch, batch;
} ty_data_place;
/* Return the position of a loader: its seed, and epoch and number of the next batch, both counted from 0.  At the
   end of an epoch, until ty_loader_next has returned false, `batch` is the number of batches.  Zeros if the loader
   has failed. */
TY_API ty_data_place ty_loader_tell(const ty_loader *loader);
/* Move a loader to a position: seed, and epoch and number of the next batch, both from 0 (the number of batches:
   the end of the epoch); later batches are bitwise those it would have reached.  False, no change, and the
   reason in *error (NULL: not wanted) if there is no such position or the loader has failed. */
TY_API bool ty_loader_seek(ty_loader *loader, ty_data_place place, ty_tensor **error);

#ifdef __cplusplus
}
#endif
#endif
