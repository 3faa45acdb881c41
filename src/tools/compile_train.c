/* tyto compile --train: the training of a network as a file of C. */
#include <stdlib.h>
#include <tyto/create.h>
#include <tyto/nn.h>
#include "tools/compile.h"
#include "tools/options/message.h"
#include "tools/train/train_loss.h"

/* Return targets of zeros for the model's results on x: classes have one axis less; poison on failure. */
static ty_tensor *targets_of(ty_model *m, ty_tensor *x, bool classes) {
    ty_tensor *y = ty_model_forward(m, ty_lazy(x), NULL);
    if (!ty_ok(y)) return y;
    return ty_zeros(classes ? TY_I64 : TY_F32, ty_rank(y) - classes, ty_shape(y));
}
/* Return the rule of tyto train: the named one, else Adam for text, and Adagrad. */
static const ty_rule *rule_of(const struct network *n, const struct compile_training *s) {
    if (s->optimiser >= 0) return ty_rules[s->optimiser];
    return n->known && n->known->tokens ? &ty_adam : &ty_adagrad;
}

bool compile_training(const struct network *n, const struct compile_training *s, int64_t batch,
                      const char *path, ty_export_options options, ty_export_report *report) {
    ty_tensor *x[TY_MAX_RANK], *error = NULL;
    int count = network_examples(n, batch, TY_MAX_RANK, x), loss = s->loss < 0 ? 0 : s->loss;
    if (!count) return false;
    if (count != 1 || ty_model_results(n->model) != 1)
        return complain("--train: the network has %d inputs and %d results; expected one of each", count,
                        ty_model_results(n->model)) == EXIT_SUCCESS;
    const ty_trainer_options o = {.inputs = x[0],
                                  .targets = targets_of(n->model, x[0], loss_compares_classes(loss)),
                                  .batch = batch,
                                  .seed = s->seed,
                                  .clip_global_norm = s->clip,
                                  .loss_with = loss_at(loss),
                                  .loss_options = &s->loss_options,
                                  .loss_bytes = sizeof s->loss_options,
                                  .optimiser = {.rule = rule_of(n, s), .rate = s->rate, .decay = s->decay}};
    if (!ty_ok(o.targets)) return complain_of(o.targets) == EXIT_SUCCESS;
    ty_trainer *t = ty_trainer_new(n->model, o);
    bool done = ty_export_trainer(path, t, options, report, &error);
    if (!done) complain_of(error);
    ty_trainer_free(t);
    return done;
}
