/*
 * A variational autoencoder (Kingma and Welling 2014): a network learns to reconstruct digits from 20 latent numbers,
 * and the distribution of these.  Its loss has three operands, so it is an objective.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tyto/data.h>
#include <tyto/tyto.h>
#include <tyto/zoo.h>

enum { SIDE = 28, SHOWN = 3 };

/* Print digits next to their reconstructions. */
static void show(ty_model *model, ty_tensor *digits) {
    static float before[SHOWN][SIDE][SIDE], after[SHOWN][SIDE][SIDE];
    ty_tensor *y[3];
    if (!ty_model_predict(model, 1, &digits, y) || !ty_read(digits, TY_F32, before) ||
        !ty_read(ty_sigmoid(y[0]), TY_F32, after))
        return;
    for (int k = 0; k < SHOWN; k++)
        for (int i = 4; i < SIDE - 2; i += 2) {
            for (int j = 0; j < 2 * SIDE; j++)
                putchar(
                    " .:*#"[(int)(j < SIDE ? 4.99f / 255 * before[k][i][j] : 4.99f * after[k][i][j - SIDE])]);
            printf("\n");
        }
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 40;
    ty_scope *scope = ty_open();
    ty_dataset *seen = ty_dataset_digits(1, 0, 2000), *unseen = ty_dataset_digits(1, 1 << 20, 100);
    ty_tensor *digits, *held_out, *error = NULL;
    ty_dataset_get_all(seen, 1, &digits);
    ty_dataset_get_all(unseen, 1, &held_out);
    ty_dataset_free(unseen);
    ty_dataset_free(seen);

    ty_model *model = ty_network_model(ty_network_named("vae"), (ty_network_options){0},
                                       (ty_model_options){.seed = 1, .lazy = true});
    ty_trainer *trainer = ty_trainer_new(
        model, (ty_trainer_options){
                   .inputs = digits, .batch = 50, .objective = ty_vae_loss, .optimiser = {.rule = &ty_adam}});
    double before = ty_trainer_evaluate(trainer, 1, &held_out, NULL, &error);
    ty_trainer_run(trainer, steps, NULL, NULL);
    double after = ty_trainer_evaluate(trainer, 1, &held_out, NULL, &error);
    if (error || *ty_trainer_error(trainer))
        printf("%s\n", error ? ty_error(error) : ty_trainer_error(trainer));
    printf("a held-out digit costs %.1f nats, and %.1f after %d steps\n", before, after, steps);
    show(model, ty_slice(held_out, 0, 0, SHOWN, 1));
    ty_trainer_free(trainer);
    ty_model_free(model);
    ty_close(scope);
    return !(after < 0.6 * before);
}
