/* tyto generate: writes a text by a language model. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/tokens.h>
#include "base/text.h"
#include "tools/command.h"
#include "tools/network/network.h"
#include "tools/network/writing.h"
#include "tools/options/message.h"

struct settings {
    const char *weights, *prompt, *tokenizer;
    int64_t tokens, threads;
    ty_draw_options how;
};

/* Read the prompt from stdin into *t, up to its end; false after a message. */
static bool read_stdin(struct text *t) {
    char block[4096];
    size_t n;
    while ((n = fread(block, 1, sizeof block, stdin)) > 0) text_add_bytes(t, block, n);
    if (ferror(stdin))
        return complain_code(TY_ERROR_FILE, "standard input: %s", strerror(errno)) == EXIT_SUCCESS;
    return !t->failed || complain("out of memory") == EXIT_SUCCESS;
}

/* Let the model have the tokenizer of a file; false after a message. */
static bool take_tokenizer(ty_model *m, const char *path) {
    ty_tokenizer *t = ty_tokenizer_load(path);
    char *text = ty_tokenizer_to_json(t);
    bool well = text && ty_model_set_note(m, TY_NOTE_TOKENIZER, text);
    if (*ty_tokenizer_error(t))
        COMPLAIN_FAILURE(ty_tokenizer_failure(t));
    else if (!well)
        complain_of(NULL);
    ty_free(text);
    ty_tokenizer_free(t);
    return well;
}

/* Run the command with the parsed settings `given`; return the exit status. */
static int run(const void *given) {
    const struct settings *s = given;
    struct network network = {0};
    struct text piped = {0};
    if (!s->weights) {
        complain("the weights are missing: expected a file of tyto train --save, or of GPT-2");
        return EXIT_USAGE;
    }
    if (s->threads) ty_set_threads((int)s->threads);
    ty_scope *scope = ty_open();
    bool from_stdin = !strcmp(s->prompt, "-");
    bool well = (!from_stdin || read_stdin(&piped)) && network_from(&network, s->weights, NULL) &&
                (!s->tokenizer || take_tokenizer(network.model, s->tokenizer));
    struct writing w = {.model = network.model, .most = s->tokens, .how = s->how};
    w.prompt = !from_stdin ? s->prompt : piped.length ? piped.data : "";
    w.length = from_stdin ? piped.length : strlen(s->prompt);
    well = well && text_write(&w);
    network_close(&network);
    text_drop(&piped);
    ty_close(scope);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

static const struct option_type option_temperature = {
    .argument = "X", .value = {.type = FIELD_REAL, .size = sizeof(double), .end = INFINITY}};
static const struct option_type option_mass = {
    .argument = "X",
    .expected = "a number above 0, up to 1",
    .value = {.type = FIELD_REAL, .size = sizeof(double), .end = 1 + 0x1p-52, .above = true}};

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"WEIGHTS", &option_file, AT(weights),
     "a file of tyto train --save, of a network of text, or GPT-2's of Hugging Face, model.safetensors"},
    {"--tokenizer", &option_file, AT(tokenizer),
     "read a tokenizer.json, for weights that lack one (the weights', else bytes)"},
    {"--prompt", &option_words, AT(prompt),
     "beginning of the text; - reads it from standard input (a line break)"},
    {"--tokens", &option_count, AT(tokens), "write N tokens (300)"},
    {"--temperature", &option_temperature, AT(how.temperature),
     "divides the scores before the draw; 0: always the likeliest token (0.7)"},
    {"--top-k", &option_count, AT(how.top_k), "draw from the N likeliest tokens alone (all)"},
    {"--top-p", &option_mass, AT(how.top_p),
     "draw from the fewest likeliest tokens that have this probability together (1)"},
    {"--seed", &option_seed, AT(how.seed), "draw from this seed (1)"},
    {"--threads", &option_width, AT(threads),
     "use N threads (all processors); the text is the same for any number"},
    {0}};

const struct command command_generate = {
    .name = "generate",
    .doc = "Write a text by a trained network of text.",
    .details = "  tyto train gpt --data book.txt --save book\n"
               "  tyto generate book --prompt 'It was' --tokens 500 --top-p 0.9\n"
               "  tyto generate book --prompt - --temperature 0 <beginning.txt\n"
               "  tyto generate gpt2/model.safetensors --tokenizer gpt2/tokenizer.json --prompt 'It was'\n"
               "Characters are printed as they are made; ctrl-C ends the text.",
    .options = options,
    .defaults =
        &(const struct settings){.prompt = "", .tokens = 300, .how = {.temperature = TEMPERATURE, .seed = 1}},
    .bytes = sizeof(struct settings),
    .run = run,
    .own_line = true,
    .computes = true};
