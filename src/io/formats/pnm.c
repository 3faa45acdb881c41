/*
 * PGM and PPM (netpbm's pgm(5), ppm(5)): "P5" (grey) or "P6" (RGB), width, height, maximum, one blank, samples.
 * In "P2" and "P3" samples are text. Samples have two bytes, big-endian, if the maximum is above 255. Samples
 * are scaled to 255 or 65535 unless the maximum is one of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/ascii.h"
#include "array/tensor.h"
#include "base/context/stop.h"
#include "io/formats/image.h"
#include "io/formats/matches.h"

/* Sequential reader with a window over the input. */
struct scan {
    struct input *in;
    struct fault *fault;
    uint64_t at; /* offset of the byte after the window */
    size_t next, length;
    bool ended;
    uint8_t window[4096];
};

/* Header of a file. */
struct pnm {
    bool text;
    int channels;
    uint32_t width, height, most;
    uint64_t begin; /* offset of the samples */
};

bool pnm_matches(const uint8_t *head, size_t n) {
    if (n < 3 || head[0] != 'P') return false;
    bool known = head[1] == '2' || head[1] == '3' || head[1] == '5' || head[1] == '6';
    return known && (head[2] == '#' || head[2] == ' ' || (head[2] >= '\t' && head[2] <= '\r'));
}

/* Return the next byte; -1 at the end or after a fault. */
static int next_byte(struct scan *s) {
    if (s->next == s->length) {
        s->next = s->length = 0;
        if (s->ended || !input_read(s->in, s->at, s->window, sizeof s->window, &s->length, s->fault))
            return -1;
        s->at += s->length;
        s->ended = s->length < sizeof s->window;
        if (!s->length) return -1;
    }
    return s->window[s->next++];
}

static bool is_blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Return the next byte outside comments, which begin with # and end with the line; -1 at the end or after
   a fault. */
static int next_of_number(struct scan *s) {
    int c = next_byte(s);
    while (c == '#') { /* comment to the end of its line */
        while (c >= 0 && c != '\n' && c != '\r') c = next_byte(s);
    }
    return c;
}

/* Parse a number 0..most into *number and consume the one character behind it; blanks and comments before
   it are skipped. False sets the fault, which calls the number `what`. */
static bool next_number(struct scan *s, uint32_t most, const char *what, uint32_t *number) {
    uint64_t n = 0;
    int c = next_of_number(s), digits = 0;
    while (is_blank(c)) c = next_of_number(s);
    for (; ascii_is_digit(c) && n <= most; c = next_of_number(s), digits++) n = 10 * n + (uint64_t)(c - '0');
    if (s->fault->set) return false;
    if (n > most)
        return fault_set(s->fault, E_FORMAT, "%s: %s is greater than %" PRIu32, s->in->name, what, most);
    if (digits && (c < 0 || is_blank(c))) {
        *number = (uint32_t)n;
        return true;
    }
    if (c < 0) return fault_set(s->fault, E_FORMAT, "%s: is truncated: %s is missing", s->in->name, what);
    return fault_set(s->fault, E_FORMAT, "%s: found the byte 0x%02x, expected %s", s->in->name, (unsigned)c,
                     what);
}

/* Parse the header of a PNM file into *p: kind, sizes, maximum sample and the offset of the data; false
   sets the fault. */
static bool read_header(struct scan *s, struct pnm *p) {
    int first = next_byte(s), kind = next_byte(s);
    if (s->fault->set) return false;
    if (first < 0 || kind < 0)
        return fault_set(s->fault, E_FORMAT, "%s: is truncated: \"P5\" or the like is missing", s->in->name);
    if (first != 'P' || (kind != '2' && kind != '3' && kind != '5' && kind != '6'))
        return fault_set(s->fault, E_FORMAT,
                         "%s: is not PGM or PPM: it begins with %02x %02x, not with P2, P3, P5 or P6",
                         s->in->name, (unsigned)first, (unsigned)kind);
    p->text = kind < '5';
    p->channels = kind == '3' || kind == '6' ? 3 : 1;
    if (!next_number(s, INT32_MAX, "the width", &p->width) ||
        !next_number(s, INT32_MAX, "the height", &p->height) ||
        !next_number(s, UINT16_MAX, "the maximum sample", &p->most))
        return false;
    if (!p->most)
        return fault_set(s->fault, E_FORMAT, "%s: the maximum sample is 0; expected 1 to 65535", s->in->name);
    p->begin = s->at - (s->length - s->next);
    return true;
}

bool pnm_open(struct ty_archive *a) {
    struct scan s = {.in = a->input, .fault = &a->fault};
    struct pnm p;
    if (!read_header(&s, &p)) return false;
    struct archive_entry *e = image_entry(a, p.height, p.width, p.channels, p.most > 255 ? 16 : 8);
    if (!e) return false;
    e->begin = p.begin;
    if (!p.text) {
        e->swapped = e->dtype == TY_U16 && machine_is_little_endian();
        return elements_check(a->input, e, true, &a->options, &a->fault);
    }
    uint64_t samples = (uint64_t)shape_size(3, e->shape), left = a->input->size - p.begin;
    return left / 2 + 1 >= samples || /* at least one digit and one blank each */
           fault_set(&a->fault, E_FORMAT,
                     "%s: is truncated: %" PRIu64 " samples are expected in %" PRIu64 " bytes",
                     a->input->name, samples, left);
}

enum { LOOK = 1 << 20 }; /* samples scaled between two looks for requests to stop */

static bool refuse_sample(const char *name, const struct pnm *p, uint32_t sample, struct fault *fault) {
    return fault_set(fault, E_FORMAT, "%s: has the sample %" PRIu32 ", above its maximum %" PRIu32, name,
                     sample, p->most);
}

/* Scale the samples of x, u8 or u16, in place from 0..p->most to 0..255 or 0..65535, rounded to nearest.
   False sets the fault, which names the file `name`, if a sample exceeds p->most. */
static bool stretch(const char *name, const struct pnm *p, ty_tensor *x, struct fault *fault) {
    int64_t n = tensor_size(x);
    uint32_t full = x->dtype == TY_U8 ? 255 : 65535;
    uint8_t *bytes = tensor_data(x);
    uint16_t *words = tensor_data(x);
    for (int64_t i = 0; i < n && p->most != full; i++) {
        if (i % LOOK == LOOK - 1 && !stop_check(fault)) return false;
        uint32_t sample = x->dtype == TY_U8 ? bytes[i] : words[i];
        if (sample > p->most) return refuse_sample(name, p, sample, fault);
        sample = (uint32_t)(((uint64_t)sample * full * 2 + p->most) / (2 * (uint64_t)p->most));
        if (x->dtype == TY_U8)
            bytes[i] = (uint8_t)sample;
        else
            words[i] = (uint16_t)sample;
    }
    return true;
}

/* Read all samples of x, u8 or u16, unscaled, as decimal text, and check that nothing follows; false sets
   the fault. */
static bool read_text(struct scan *s, const struct pnm *p, ty_tensor *x) {
    int64_t n = tensor_size(x);
    uint32_t sample;
    for (int64_t i = 0; i < n; i++) {
        if (!next_number(s, UINT16_MAX, "a sample", &sample)) return false;
        if (sample > p->most) return refuse_sample(s->in->name, p, sample, s->fault);
        if (x->dtype == TY_U8)
            ((uint8_t *)tensor_data(x))[i] = (uint8_t)sample;
        else
            ((uint16_t *)tensor_data(x))[i] = (uint16_t)sample;
    }
    int c = next_of_number(s);
    while (is_blank(c)) c = next_of_number(s);
    if (c >= 0) fault_set(s->fault, E_FORMAT, "%s: has more than its %" PRId64 " samples", s->in->name, n);
    return !s->fault->set;
}

ty_tensor *pnm_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault) {
    struct scan s = {.in = a->input, .fault = fault};
    struct pnm p;
    if (!read_header(&s, &p)) return NULL;
    if (!p.text) {
        ty_tensor *x = archive_get_plain(a, e, fault);
        return x && ty_ok(x) && !stretch(a->input->name, &p, x, fault) ? NULL : x;
    }
    ty_tensor *x = image_new(e, fault);
    if (!x) return NULL;
    if (read_text(&s, &p, x) && stretch(a->input->name, &p, x, fault)) return tensor_return(x);
    tensor_free_one_reference(x);
    return NULL;
}

bool pnm_write(struct writing *w) {
    struct image image;
    char head[64];
    if (!image_to_write(w, "pnm", &image)) return false;
    if (image.channels != 1 && image.channels != 3)
        return fault_set(w->fault, E_SHAPE, "save: pnm holds 1 channel or 3, not %d; png has alpha",
                         image.channels);
    int n = snprintf(head, sizeof head, "P%d\n%" PRId64 " %" PRId64 "\n%d\n", image.channels == 1 ? 5 : 6,
                     image.width, image.height, image.bits == 8 ? 255 : 65535);
    return output_write(w->out, head, (size_t)n) && elements_write(w->out, image.x, true);
}
