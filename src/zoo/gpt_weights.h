/* Weights of GPT-2 as Hugging Face's transformers name them. */
#ifndef ZOO_GPT_WEIGHTS_H
#define ZOO_GPT_WEIGHTS_H
#include "base/for_command.h"
#include <tyto/io.h>
#include "base/text.h"
#include "zoo/parts.h"

/* True if a file has tensors under these names, such as "transformer.h.0.attn.c_attn.weight". */
bool gpt_weights_are(const ty_archive *archive) FOR_COMMAND(gpt_weights_are);
/* Set *o to the network and the sizes of the weights in the file `path`, from shapes and from config.json in its folder.
   False sets the fault: a tensor is missing, unknown or of a wrong rank, or config.json describes another network. */
bool gpt_weights_sizes(const char *path, const ty_archive *archive, ty_network_options *o,
                       struct fault *fault);
/* Read the weights into a model of the network gpt2 with parameters; false sets the fault, and nothing changed. */
bool gpt_weights_load(ty_model *m, const char *path, const ty_archive *archive, struct fault *fault)
    FOR_COMMAND(gpt_weights_load);
#endif
