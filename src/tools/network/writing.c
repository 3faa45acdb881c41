/* Texts that a language model writes: reading the prompt, drawing tokens, printing characters as they are complete. */
#include "tools/network/writing.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/tokens.h>
#include <unistd.h>
#include "base/machine/debug.h"
#include "base/utf8.h"
#include "text/decoder.h"
#include "tools/command.h"
#include "tools/options/message.h"
#include "tools/options/result.h"

/* ---- characters ---- */

/* Bytes of a character that is not complete, and where complete ones go. */
struct stream {
    char bytes[4];
    size_t n;
    bool terminal;
    struct text *kept; /* collects the text; NULL: it is printed */
};

static void put(struct stream *s, const char *bytes, size_t n) {
    bool control = (unsigned char)*bytes < ' ' && *bytes != '\n' && *bytes != '\t';
    if (s->kept)
        text_add_bytes(s->kept, bytes, n);
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

/* Return the tokenizer of a model that has `classes` tokens: that of its note, else bytes; the fault is set on failure. */
static ty_tokenizer *tokenizer_of_model(const ty_model *model, int64_t classes, struct fault *fault) {
    const char *note = ty_model_note(model, TY_NOTE_TOKENIZER);
    ty_tokenizer *t = note ? ty_tokenizer_parse(note, strlen(note)) : ty_tokenizer_new();
    if (*ty_tokenizer_error(t))
        fault_set(fault, TY_ERROR_FORMAT, "%s", ty_tokenizer_error(t));
    else if (!note && classes > ty_tokenizer_size(t))
        fault_set(fault, TY_ERROR_ARGUMENT,
                  "the weights have %lld tokens and no tokenizer; add --tokenizer tokenizer.json",
                  (long long)classes);
    return t;
}

/* Read the prompt, an empty one as a line break; false sets the fault. */
static bool read_prompt(struct writing *w, struct decoder *d, const ty_tokenizer *t, struct fault *fault) {
    double begin = debug_clock();
    ty_scope *scope = ty_open();
    ty_tensor *ids = ty_tokenizer_encode(t, w->length ? w->prompt : "\n", w->length ? w->length : 1);
    bool well = ty_ok(ids) ? decoder_read(d, ty_data(ids), ty_size(ids), fault)
                           : fault_set(fault, ty_error_code(ids), "%s", ty_error(ids));
    w->read = ty_size(ids);
    w->read_seconds = 1e-3 * (debug_clock() - begin);
    ty_close(scope);
    return well;
}

/* Draw and print the tokens, and append their numbers to the JSON.  False sets the fault. */
static bool draw(struct writing *w, struct decoder *d, struct sampler *sampler, const ty_tokenizer *t,
                 struct stream *out, struct fault *fault) {
    double begin = debug_clock();
    bool well = true;
    while (well && w->written < w->most && !w->ended && !ferror(stdout)) {
        int64_t token = sampler_draw(sampler, &w->how, decoder_scores(d), (uint64_t)w->written, fault);
        if (token < 0) return false;
        size_t n;
        const char *bytes = ty_tokenizer_token(t, token, &n);
        result_whole(NULL, token);
        w->written++;
        w->ended = token == ty_tokenizer_end(t);
        if (bytes && !w->ended) add(out, bytes, n);
        if (!out->kept) fflush(stdout);
        int32_t next = (int32_t)token;
        well = w->ended || w->written == w->most || decoder_read(d, &next, 1, fault);
        w->write_seconds = 1e-3 * (debug_clock() - begin);
    }
    flush(out, true);
    return well;
}

/* Append a text of UTF-8 to the JSON; false after a message. */
static bool add_text(const char *key, const struct text *t) {
    if (t->failed) return complain("out of memory") == EXIT_SUCCESS;
    result_bytes(key, t->data ? t->data : "", t->length);
    return true;
}

/* Append the prompt to the JSON; bytes that are no UTF-8 become U+FFFD.  False after a message. */
static bool add_prompt(const struct writing *w) {
    struct text text = {0};
    struct stream valid = {.kept = &text};
    add(&valid, w->prompt, w->length);
    flush(&valid, true);
    bool well = add_text("prompt", &text);
    text_drop(&text);
    return well;
}

/* Draw the tokens behind the prompt, which was read, and append the results to the JSON; false after a message, or with
   the fault set. */
static bool write_on(struct writing *w, struct decoder *d, struct sampler *sampler, const ty_tokenizer *t,
                     struct stream *out, struct fault *fault) {
    bool well = !out->kept || add_prompt(w);
    result_open("tokens", '[');
    well = well && draw(w, d, sampler, t, out, fault);
    result_close();
    if (out->kept) well = add_text("text", out->kept) && well;
    result_flag("end", w->ended);
    result_whole("prompt_tokens", w->read);
    result_number("prompt_seconds", w->read_seconds);
    result_number("seconds", w->write_seconds);
    return well;
}

/* Make what draws tokens: a sampler of those that both the network and the tokenizer have; NULL sets the fault. */
static struct sampler *make_sampler(const struct decoder *d, const ty_tokenizer *t, struct fault *fault) {
    int64_t classes = decoder_classes(d), size = ty_tokenizer_size(t);
    return fault->set ? NULL : sampler_new(size < classes ? size : classes, fault);
}

bool text_write(struct writing *w) {
    struct fault fault = {0};
    struct text text = {0};
    struct stream out = {.terminal = isatty(STDOUT_FILENO), .kept = result_json() ? &text : NULL};
    struct decoder *d = decoder_new(w->model, &fault);
    ty_tokenizer *t = d ? tokenizer_of_model(w->model, decoder_classes(d), &fault) : NULL;
    struct sampler *sampler = d ? make_sampler(d, t, &fault) : NULL;
    if (sampler && !out.kept) add(&out, w->prompt, w->length), fflush(stdout);
    bool well = sampler && read_prompt(w, d, t, &fault) && write_on(w, d, sampler, t, &out, &fault);
    if (sampler && !out.kept) putchar('\n');
    if (fault.set && fault.code != TY_ERROR_INTERRUPTED) complain_fault(&fault);
    text_drop(&text);
    sampler_free(sampler);
    ty_tokenizer_free(t);
    decoder_free(d);
    return well;
}
