/* Texts that a language model writes: reading the prompt, drawing tokens, printing characters as they are complete. */
#include "tools/network/writing.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/tokens.h>
#include <unistd.h>
#include "base/json_text.h"
#include "base/utf8.h"
#include "text/decoder.h"
#include "tools/command.h"

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- characters ---- */

/* Bytes of a character that is not complete, and where complete ones go. */
struct stream {
    char bytes[4];
    size_t n;
    bool terminal;
    struct text *kept; /* collects the text, escaped for JSON; NULL: it is printed */
};

static void put(struct stream *s, const char *bytes, size_t n) {
    bool control = (unsigned char)*bytes < ' ' && *bytes != '\n' && *bytes != '\t';
    if (s->kept)
        json_add_character(s->kept, bytes, n);
    else if (s->terminal && !text_visible(bytes, n) && (control || n > 1 || *bytes == 0x7f))
        putchar('?');
    else
        fwrite(bytes, 1, n, stdout);
}

/* Return true if n bytes may be the beginning of a character that lacks bytes. */
static bool lacks(const char *bytes, size_t n) {
    unsigned char first = (unsigned char)*bytes;
    size_t whole = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || n >= whole) return false;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)bytes[i] & 0xC0) != 0x80) return false;
    return true;
}

/* Print the complete characters; with `end` the others, too. */
static void flush(struct stream *s, bool end) {
    uint32_t point;
    while (s->n && (end || !lacks(s->bytes, s->n))) {
        size_t n = utf8_read(s->bytes, s->n, &point);
        if (n)
            put(s, s->bytes, n);
        else
            put(s, "\xEF\xBF\xBD", 3), n = 1;
        s->n -= n;
        memmove(s->bytes, s->bytes + n, s->n);
    }
}

static void add(struct stream *s, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        s->bytes[s->n++] = bytes[i];
        flush(s, false);
    }
}

/* ---- tokens ---- */

/* Return the tokenizer of a model: that of its note, else bytes. */
static ty_tokenizer *tokenizer_of_model(const ty_model *model) {
    const char *note = ty_model_note(model, TY_NOTE_TOKENIZER);
    return note ? ty_tokenizer_parse(note, strlen(note)) : ty_tokenizer_new();
}

/* Read the prompt, an empty one as a line break; false sets the fault. */
static bool read_prompt(struct writing *w, struct decoder *d, const ty_tokenizer *t, struct fault *fault) {
    double begin = seconds();
    ty_scope *scope = ty_open();
    ty_tensor *ids = ty_tokenizer_encode(t, w->length ? w->prompt : "\n", w->length ? w->length : 1);
    bool well = ty_ok(ids) ? decoder_read(d, ty_data(ids), ty_size(ids), fault)
                           : fault_set(fault, ty_error_code(ids), "%s", ty_error(ids));
    w->read = ty_size(ids);
    w->read_seconds = seconds() - begin;
    ty_close(scope);
    return well;
}

/* Draw and print the tokens; ids collects their numbers unless NULL.  False sets the fault. */
static bool draw(struct writing *w, struct decoder *d, struct sampler *sampler, const ty_tokenizer *t,
                 struct stream *out, struct text *ids, struct fault *fault) {
    double begin = seconds();
    bool well = true;
    while (well && w->written < w->most && !w->ended && !ferror(stdout)) {
        int64_t token = sampler_draw(sampler, &w->how, decoder_scores(d), (uint64_t)w->written, fault);
        if (token < 0) return false;
        size_t n;
        const char *bytes = ty_tokenizer_token(t, token, &n);
        if (ids) text_add(ids, "%s%lld", w->written ? "," : "", (long long)token);
        w->written++;
        w->ended = token == ty_tokenizer_end(t);
        if (bytes && !w->ended) add(out, bytes, n);
        if (!out->kept) fflush(stdout);
        int32_t next = (int32_t)token;
        well = w->ended || w->written == w->most || decoder_read(d, &next, 1, fault);
        w->write_seconds = seconds() - begin;
    }
    flush(out, true);
    return well;
}

/* Print the object of JSON; false after a message. */
static bool print_json(const struct writing *w, const struct text *text, const struct text *ids) {
    struct text prompt = {0};
    struct stream valid = {.kept = &prompt};
    add(&valid, w->prompt, w->length);
    flush(&valid, true);
    bool well = !prompt.failed && !text->failed && !ids->failed;
    if (well)
        printf("{\"prompt\":\"%s\",\"text\":\"%s\",\"tokens\":[%s],\"end\":%s,\"prompt_tokens\":%lld,"
               "\"prompt_seconds\":%.6f,\"seconds\":%.6f}\n",
               prompt.data ? prompt.data : "", text->data ? text->data : "", ids->data ? ids->data : "",
               w->ended ? "true" : "false", (long long)w->read, w->read_seconds, w->write_seconds);
    text_drop(&prompt);
    return well || complain("out of memory") == EXIT_SUCCESS;
}

/* Make what draws tokens: a sampler of those that both the network and the tokenizer have; NULL sets the fault. */
static struct sampler *make_sampler(const struct decoder *d, const ty_tokenizer *t, struct fault *fault) {
    int64_t classes = decoder_classes(d), size = ty_tokenizer_size(t);
    if (*ty_tokenizer_error(t)) fault_set(fault, TY_ERROR_FORMAT, "%s", ty_tokenizer_error(t));
    return fault->set ? NULL : sampler_new(size < classes ? size : classes, fault);
}

bool text_write(struct writing *w) {
    struct fault fault = {0};
    struct text text = {0}, ids = {0};
    struct stream out = {.terminal = isatty(STDOUT_FILENO), .kept = w->json ? &text : NULL};
    struct decoder *d = decoder_new(w->model, &fault);
    ty_tokenizer *t = tokenizer_of_model(w->model);
    struct sampler *sampler = d ? make_sampler(d, t, &fault) : NULL;
    if (sampler && !w->json) add(&out, w->prompt, w->length), fflush(stdout);
    bool well = sampler && read_prompt(w, d, t, &fault) &&
                draw(w, d, sampler, t, &out, w->json ? &ids : NULL, &fault);
    if (sampler && !w->json) putchar('\n');
    bool stopped = fault.set && fault.code == TY_ERROR_INTERRUPTED;
    bool partial = stopped || (fault.set && fault.code == TY_ERROR_TIMEOUT);
    if (w->json && (well || partial)) well = print_json(w, &text, &ids) && well;
    if (fault.set && !stopped) complain("%s", fault.text);
    text_drop(&text);
    text_drop(&ids);
    sampler_free(sampler);
    ty_tokenizer_free(t);
    decoder_free(d);
    return well;
}
