/* Texts that a language model writes: reading the prompt, drawing tokens, printing characters as they are complete. */
#include "tools/network/writing.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/context.h>
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

/* Read the prompt; false sets the fault. */
static bool read_prompt(struct writing *w, struct decoder *d, struct fault *fault) {
    double begin = seconds();
    const char *text = w->length ? w->prompt : "\n";
    int64_t n = w->length ? (int64_t)w->length : 1;
    int32_t tokens[256];
    for (int64_t i = 0; i < n;) {
        int count = 0;
        for (; count < 256 && i < n; i++) tokens[count++] = (unsigned char)text[i];
        if (!decoder_read(d, tokens, count, fault)) return false;
    }
    w->read = n;
    w->read_seconds = seconds() - begin;
    return true;
}

/* Draw and print the tokens; ids collects their numbers unless NULL.  False sets the fault. */
static bool draw(struct writing *w, struct decoder *d, struct sampler *sampler, struct stream *out,
                 struct text *ids, struct fault *fault) {
    double begin = seconds();
    bool well = true;
    while (well && w->written < w->most && !ferror(stdout)) {
        int64_t token = sampler_draw(sampler, &w->how, decoder_scores(d), (uint64_t)w->written, fault);
        if (token < 0) return false;
        char byte = (char)token;
        add(out, &byte, 1);
        if (ids) text_add(ids, "%s%lld", w->written ? "," : "", (long long)token);
        if (!out->kept) fflush(stdout);
        w->written++;
        int32_t next = (int32_t)token;
        well = w->written == w->most || decoder_read(d, &next, 1, fault);
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
        printf("{\"prompt\":\"%s\",\"text\":\"%s\",\"tokens\":[%s],\"prompt_tokens\":%lld,\"prompt_seconds\":"
               "%.6f,"
               "\"seconds\":%.6f}\n",
               prompt.data ? prompt.data : "", text->data ? text->data : "", ids->data ? ids->data : "",
               (long long)w->read, w->read_seconds, w->write_seconds);
    text_drop(&prompt);
    return well || complain("out of memory") == EXIT_SUCCESS;
}

bool text_write(struct writing *w) {
    struct fault fault = {0};
    struct text text = {0}, ids = {0};
    struct stream out = {.terminal = isatty(STDOUT_FILENO), .kept = w->json ? &text : NULL};
    struct decoder *d = decoder_new(w->model, &fault);
    struct sampler *sampler = d ? sampler_new(decoder_classes(d), &fault) : NULL;
    if (sampler && !w->json) add(&out, w->prompt, w->length), fflush(stdout);
    bool well =
        sampler && read_prompt(w, d, &fault) && draw(w, d, sampler, &out, w->json ? &ids : NULL, &fault);
    if (sampler && !w->json) putchar('\n');
    bool stopped = fault.set && fault.code == TY_ERROR_INTERRUPTED;
    if (w->json && (well || stopped)) well = print_json(w, &text, &ids) && well;
    if (fault.set && !stopped) complain("%s", fault.text);
    text_drop(&text);
    text_drop(&ids);
    sampler_free(sampler);
    decoder_free(d);
    return well;
}
