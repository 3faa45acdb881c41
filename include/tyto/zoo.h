/*
 * Networks by name, each one file of src/zoo written with the public functions.  Names of parameters are torchvision's
 * where it has the network, so that its weights load with TY_LAYOUT_PYTORCH.
 *
 *   const ty_network *net = ty_network_named("resnet50");
 *   ty_model *m = ty_network_model(net, (ty_network_options){0}, (ty_model_options){.lazy = true});
 */
#ifndef TYTO_ZOO_H
#define TYTO_ZOO_H

#include <tyto/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ty_network ty_network;

/* Options of a network; zero stands for the network's own. */
typedef struct ty_network_options {
    const ty_network *network; /* filled in by ty_network_model */
    int64_t classes;           /* number of classes; for language models: of tokens */
    /* sizes of the networks gpt and gpt2; others refuse them */
    int64_t blocks, heads, units, places;
} ty_network_options;

/* A step of a language model: the tokens that it reads, and what it keeps of earlier ones. */
typedef struct ty_cached_step {
    ty_tensor *tokens;   /* integer (N,T): the tokens to read */
    ty_tensor *position; /* integer[]: number of tokens that were read before */
    ty_tensor *last;     /* integer[]: number, from 0, of the last token; later ones are padding */
    ty_tensor **cache;   /* keys and values, or states, as cache_shape says; replaced by their new values */
} ty_cached_step;

/* Description of a network; static. */
struct ty_network {
    const char *name, *doc;
    ty_forward forward;  /* its options are a ty_network_options without zeros */
    const void *variant; /* distinguishes the networks of one file */
    int64_t classes;     /* default number of classes; 0 means none */
    int results;         /* number of results; 0 means 1 */
    ty_dtype dtype;      /* of the input */
    int rank;            /* of the input, without the batch axis */
    int64_t shape[4];
    /* the first two axes may have other sizes */
    bool any_size;
    /* the input is a floating image, minus ImageNet's mean, by its deviation */
    bool images;
    /* the input holds integers below `classes`; the network predicts the next one */
    bool tokens;
    /* the options `blocks`, `heads`, `units` and `places` count */
    bool sized;
    /* of language models; NULL: none.  Return scores (N,classes) of the successor of the last token of a step; `options`
       are those of `forward`.  Poison on failure. */
    ty_tensor *(*cached)(ty_layer *self, const void *options, ty_cached_step *step);
    /* Write the shape of tensor i of that cache, from 0, for n examples of at most `positions` tokens, and return its
       rank; 0 behind the last one.  It has the dtype of the model, and begins as zeros. */
    int (*cache_shape)(const void *options, int i, int64_t n, int64_t positions, int64_t *shape);
    const void *unused[2]; /* 0: room for later members */
};

/* All networks, NULL-terminated. */
extern TY_API const ty_network *const ty_networks[];
/* Return the network of a name, such as "resnet50", which is static; NULL if there is none. */
TY_API const ty_network *ty_network_named(const char *name);
TY_API ty_model *ty_network_model_sized(const ty_network *network, const ty_network_options *options,
                                        size_t size, const ty_model_options *model, size_t model_size);
/* Make a model of a network; `options` are the network's, `model` those of ty_model_new.  Its parameters are
   made later, by ty_model_build or a first call.  Never NULL: ty_model_error returns the reason of a failure,
   also for a NULL network.  The caller frees it with ty_model_free. */
TY_INLINE ty_model *ty_network_model(const ty_network *network, ty_network_options options,
                                     ty_model_options model) {
    return ty_network_model_sized(network, &options, sizeof options, &model, sizeof model);
}
TY_API ty_model *ty_network_open_sized(const char *path, const ty_model_options *options, size_t size);
/* Make the model that a checkpoint or a file of weights names (TY_NOTE_NETWORK), with its weights and notes; options of
   its inputs and results are the file's.  Weights of GPT-2 under Hugging Face's names need no name of a network: shapes
   say the sizes, and config.json next to the file the number of heads, else heads have 64 units.  Never NULL:
   ty_model_error returns the reason of a failure; E_ARGUMENT if the file names no network.  The caller frees it with
   ty_model_free. */
TY_INLINE ty_model *ty_network_open(const char *path, ty_model_options options) {
    return ty_network_open_sized(path, &options, sizeof options);
}
/* Return a promise of a batch of n inputs of the network's usual shape and dtype, of zeros, for ty_model_build.
   Poison if network is NULL. */
TY_API ty_tensor *ty_network_input(const ty_network *network, int64_t n);

/* Loss of the network vae, an objective of a trainer with the key and the batch[0 .. n) of a step:
   reconstruction error of the pixels (0..255) of batch[0] plus Kullback-Leibler divergence, per image (the
   negative evidence lower bound); 0-d.  `context` is not used. */
TY_API ty_tensor *ty_vae_loss(ty_model *model, ty_tensor *key, int n, ty_tensor *const *batch, void *context);

/*
 * Loss of the network mask_rcnn, for a trainer, as torchvision's: the sum of those of proposals, boxes, classes and
 * masks; 0-d.
 *
 * batch: one image (1,H,W,3), boxes (1,n,4) of x1, y1, x2, y2 in pixels, integer classes (1,n), where 0 is padding,
 * and masks (1,n,H,W), 0 to 1.  Norms keep their statistics.  context: a ty_network_options with the model's classes,
 * or NULL.
 */
TY_API ty_tensor *ty_mask_rcnn_loss(ty_model *model, ty_tensor *key, int n, ty_tensor *const *batch,
                                    void *context);

#define NETWORK(name) extern TY_API const ty_network ty_network_##name;
#include <tyto/tables/zoo.def>

#ifdef __cplusplus
}
#endif
#endif
