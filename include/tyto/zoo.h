/*
 * Tyto: networks that are known by name, each one file of src/zoo written with the public functions.  Names of parameters
 * are torchvision's where it has the network, so that its weights load with TY_LAYOUT_PYTORCH.
 *
 *   ty_model *m = ty_network_model(ty_network_find("resnet50"), (ty_network_options){0}, (ty_model_options){.lazy = true});
 */
#ifndef TYTO_ZOO_H
#define TYTO_ZOO_H

#include <tyto/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ty_network ty_network;

/* What a network becomes; zero means the network's own. */
typedef struct ty_network_options {
    const ty_network *network; /* filled in by ty_network_model */
    int64_t classes;           /* how many; of language models: of different tokens */
} ty_network_options;

struct ty_network {
    const char *name, *doc;
    ty_forward forward;  /* its options are a ty_network_options, without zeros */
    const void *variant; /* what tells networks of one file apart */
    int64_t classes;     /* 0: it has none */
    int results;         /* 0 means 1 */
    ty_dtype dtype;      /* of the input */
    int rank;            /* of the input, without the batch axis */
    int64_t shape[4];
    bool any_size; /* the first two axes may have other sizes */
    bool images;   /* the input is an image of floats, minus ImageNet's mean, by its deviation */
    bool tokens;   /* the input is integers below `classes`, which it predicts */
};

/* All of them, NULL-terminated. */
extern TY_API const ty_network *const ty_networks[];
/* By name; NULL: none. */
TY_API const ty_network *ty_network_find(const char *name);
/* A model of it, whose parameters are not made yet; of NULL one that has failed. */
TY_API ty_model *ty_network_model(const ty_network *network, ty_network_options options,
                                  ty_model_options model);
/* A promise of n inputs, for ty_model_build. */
TY_API ty_tensor *ty_network_input(const ty_network *network, int64_t n);

/* The loss of the network vae, for a trainer: what the pixels of batch[0] cost, and what is known of them beside the noise
   (the evidence lower bound, negative), for one image. */
TY_API ty_tensor *ty_vae_loss(ty_model *model, ty_tensor *key, int n, ty_tensor *const *batch, void *context);

/* The loss of the network mask_rcnn, for a trainer, as torchvision's: the sum of those of proposals, boxes, classes and masks.
   batch: one image (1,H,W,3), boxes (1,n,4) of x1, y1, x2, y2 in pixels, integer classes (1,n), of which 0 is padding, and
   masks (1,n,H,W), 0 to 1.  Norms keep their statistics.  context: a ty_network_options with the model's classes, or NULL. */
TY_API ty_tensor *ty_mask_rcnn_loss(ty_model *model, ty_tensor *key, int n, ty_tensor *const *batch,
                                    void *context);

#define NETWORK(name) extern TY_API const ty_network ty_network_##name;
#include <tyto/zoo.def>

#ifdef __cplusplus
}
#endif
#endif
