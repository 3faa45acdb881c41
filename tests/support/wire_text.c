/* A parser by descent, one function for each form of a field. */
#include "tests/support/wire_text.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARINT = 0, BYTES = 2, FIXED32 = 5, MOST_FIELDS = 8 };

static void fields(struct wire *w, const char **at, char end);

/* ---- bytes ---- */

static void append(struct wire *w, const void *bytes, size_t n) {
    if (w->room - w->n < n) {
        w->room = 2 * w->room + n + 64;
        w->bytes = realloc(w->bytes, w->room);
        if (!w->bytes) abort();
    }
    if (n) memcpy(w->bytes + w->n, bytes, n);
    w->n += n;
}

static void varint(struct wire *w, uint64_t x) {
    do {
        uint8_t low = (uint8_t)((x & 0x7f) | (x > 0x7f ? 0x80 : 0));
        append(w, &low, 1);
        x >>= 7;
    } while (x);
}

static void tag(struct wire *w, uint64_t field, int type) { varint(w, field << 3 | (uint64_t)type); }

void wire_drop(struct wire *w) {
    free(w->bytes);
    *w = (struct wire){0};
}

/* ---- texts ---- */

static void refuse(const char *at) {
    fprintf(stderr, "wire_text: what is \"%.20s\"?\n", at);
    abort();
}

static uint64_t number(const char **at) {
    char *end;
    uint64_t x = **at == '-' ? (uint64_t)strtoll(*at, &end, 10) : strtoull(*at, &end, 10);
    if (end == *at) refuse(*at);
    *at = end;
    return x;
}

static void expect(const char **at, char c) {
    if (**at != c) refuse(*at);
    ++*at;
}

static int digit(char c) {
    const char *digits = "0123456789abcdef", *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

static void hexadecimal(struct wire *w, const char **at) {
    for (; digit(**at) >= 0; *at += 2) {
        if (digit((*at)[1]) < 0) refuse(*at);
        uint8_t byte = (uint8_t)(16 * digit((*at)[0]) + digit((*at)[1]));
        append(w, &byte, 1);
    }
}

/* Append the content of a field that has a length. */
static void content(struct wire *w, const char **at) {
    char kind = *(*at)++;
    if (kind == '{') {
        fields(w, at, '}');
    } else if (kind == '#') {
        hexadecimal(w, at);
    } else if (kind == '^') {
        uint64_t n = number(at);
        struct wire one = {0};
        expect(at, ':');
        hexadecimal(&one, at);
        for (uint64_t i = 0; i < n; i++) append(w, one.bytes, one.n);
        wire_drop(&one);
    } else if (kind == '\'') {
        const char *end = strchr(*at, '\'');
        if (!end) {
            refuse(*at);
            return;
        }
        append(w, *at, (size_t)(end - *at));
        *at = end + 1;
    } else {
        refuse(*at - 1);
    }
}

/* ---- fields ---- */

static void field(struct wire *w, const char **at) {
    uint64_t which = number(at);
    if (**at == '=') {
        ++*at;
        tag(w, which, VARINT);
        varint(w, number(at));
    } else if (**at == '%') {
        char *end;
        float x = strtof(*at + 1, &end);
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        uint8_t bytes[] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24)};
        tag(w, which, FIXED32);
        append(w, bytes, sizeof bytes);
        *at = end;
    } else {
        struct wire inner = {0};
        uint64_t length = 0;
        bool lies = **at == '~';
        if (lies) {
            ++*at;
            length = number(at);
        }
        content(&inner, at);
        tag(w, which, BYTES);
        varint(w, lies ? length : inner.n);
        append(w, inner.bytes, inner.n);
        wire_drop(&inner);
    }
}

static void repeated(struct wire *w, const char **at) {
    uint64_t n = number(at);
    struct wire one = {0};
    expect(at, '(');
    fields(&one, at, ')');
    for (uint64_t i = 0; i < n; i++) append(w, one.bytes, one.n);
    wire_drop(&one);
}

/* The lengths are known from the innermost message on, the bytes are written from the outermost on. */
static void nested(struct wire *w, const char **at) {
    uint64_t depth = number(at), path[MOST_FIELDS];
    size_t n = 0;
    struct wire inner = {0};
    expect(at, '[');
    do {
        path[n++] = number(at);
    } while (n < MOST_FIELDS && **at == ',' && ++*at);
    expect(at, ']');
    expect(at, '(');
    fields(&inner, at, ')');
    struct wire *heads = calloc(depth + 1, sizeof *heads);
    if (!heads) abort();
    uint64_t total = inner.n;
    for (uint64_t i = depth; i-- > 0;) {
        tag(&heads[i], path[i % n], BYTES);
        varint(&heads[i], total);
        total += heads[i].n;
    }
    for (uint64_t i = 0; i < depth; i++) {
        append(w, heads[i].bytes, heads[i].n);
        wire_drop(&heads[i]);
    }
    append(w, inner.bytes, inner.n);
    free(heads);
    wire_drop(&inner);
}

static void fields(struct wire *w, const char **at, char end) {
    while (*at += strspn(*at, " \n"), **at != end) {
        char kind = **at;
        if (!kind) refuse("an end before all is closed");
        if (kind == '*' || kind == '@' || kind == '!') ++*at;
        if (kind == '*')
            repeated(w, at);
        else if (kind == '@')
            nested(w, at);
        else if (kind == '!')
            hexadecimal(w, at);
        else
            field(w, at);
    }
    if (end) ++*at;
}

struct wire wire_text(const char *text) {
    struct wire w = {0};
    fields(&w, &text, 0);
    return w;
}
