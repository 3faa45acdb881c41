/* A language model writes a text: train one on a text, keep it in a file, open that, and draw tokens. */
#include <stdio.h>
#include <string.h>
#include <tyto/decode.h>
#include <tyto/nn.h>
#include <tyto/tokens.h>
#include <tyto/tyto.h>
#include <tyto/zoo.h>

static const char text[] = "the owl sees the mouse, the mouse hears the owl, and the owl sleeps. ";
enum { WINDOWS = 8, PLACES = 32, TOKENS = 60 };

/* Return the mean loss of all tokens: prediction [N, T, tokens], target [N, T]. */
static ty_tensor *loss_of_tokens(ty_tensor *prediction, ty_tensor *target) {
    const int64_t n = ty_size(target), shape[] = {n, ty_shape(prediction)[2]};
    return ty_cross_entropy(ty_reshape(prediction, 2, shape), ty_reshape(target, 1, &n));
}

/* Train a small GPT on windows of the text, and save it; false after a message. */
static bool train(const char *path) {
    int32_t read[WINDOWS][PLACES], next[WINDOWS][PLACES];
    size_t n = strlen(text);
    for (size_t i = 0; i < WINDOWS; i++)
        for (size_t k = 0; k < PLACES; k++) {
            read[i][k] = text[(8 * i + k) % n];
            next[i][k] = text[(8 * i + k + 1) % n];
        }
    const int64_t shape[] = {WINDOWS, PLACES};
    ty_network_options sizes = {.blocks = 2, .heads = 2, .units = 32, .places = PLACES};
    ty_model *m = ty_network_model(&ty_network_gpt, sizes, (ty_model_options){.lazy = true});
    ty_trainer_options how = {.inputs = ty_from(TY_I32, 2, shape, read),
                              .targets = ty_from(TY_I32, 2, shape, next),
                              .loss = loss_of_tokens,
                              .optimiser = {.rule = &ty_adam, .rate = 0.003}};
    ty_trainer *t = ty_trainer_new(m, how);
    ty_tensor *error = NULL;
    bool well = ty_trainer_fit(t, (ty_fit_options){.epochs = 150}, &error) &&
                ty_model_save(m, path, (ty_weights_options){0}, &error);
    if (!well) fprintf(stderr, "%s\n", ty_error(error));
    ty_trainer_free(t);
    ty_model_free(m);
    return well;
}

/* Write a text that begins with the prompt; false after a message. */
static bool write_text(const char *path, const char *prompt) {
    ty_model *m = ty_network_open(path, (ty_model_options){.lazy = true});
    ty_tokenizer *t = ty_tokenizer_new(); /* its tokens are bytes */
    ty_decoder *d = ty_decoder_new(m);
    ty_tensor *error = NULL;
    bool well = ty_decoder_read(d, ty_tokenizer_encode(t, prompt, strlen(prompt)), &error);
    fputs(prompt, stdout);
    while (well && ty_decoder_count(d) < TOKENS) {
        int64_t token = ty_decoder_draw(d, (ty_draw_options){.temperature = 0.5, .seed = 1}, &error);
        const char *bytes = ty_tokenizer_token(t, token, NULL);
        if (bytes) fputs(bytes, stdout);
        well = bytes && ty_decoder_read(d, ty_int(token), &error);
    }
    putchar('\n');
    if (!well) fprintf(stderr, "%s\n", ty_error(error));
    ty_decoder_free(d);
    ty_tokenizer_free(t);
    ty_model_free(m);
    return well;
}

int main(void) {
    static const char path[] = "writing.safetensors";
    ty_scope *scope = ty_open();
    bool well = train(path) && write_text(path, "the owl");
    ty_close(scope);
    remove(path);
    return well ? 0 : 1;
}
