#include "base/text.h"
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/context/stop.h"
#include "base/checked.h"
#include "base/machine/floating.h"
#include "base/list.h"
#include "base/utf8.h"

/* Ensure capacity for `more` bytes and a final 0 in the text. False, with t->failed set, if memory runs
   out. */
static bool room(struct text *t, size_t more) {
    size_t need;
    if (t->failed || !checked_add_size(t->length, more, &need) || !checked_add_size(need, 1, &need)) {
        t->failed = true;
        return false;
    }
    t->failed = !list_reserve(t->data, need, t->capacity);
    return !t->failed;
}

void text_add_bytes(struct text *t, const void *bytes, size_t n) {
    if (!room(t, n)) return;
    if (n) memcpy(t->data + t->length, bytes, n);
    t->length += n;
    t->data[t->length] = 0;
}

/* Format like vsnprintf in the C locale, with '.' as decimal point. Return the length of the whole text without
   its final 0, even if out[room] cuts it. The C locale is built into the C library, so newlocale cannot fail,
   and uselocale costs two stores. */
int text_format(char *out, size_t room, const char *format, va_list args) {
    FLOATING_DEFAULT;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    int n = vsnprintf(out, room, format, args);
    uselocale(before);
    if (plain) freelocale(plain);
    return n;
}

int text_print(char *out, size_t room, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = text_format(out, room, format, args);
    va_end(args);
    return n;
}

void text_add(struct text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = text_format(NULL, 0, format, args);
    va_end(args);
    if (n < 0) t->failed = true;
    if (n >= 0 && room(t, (size_t)n)) {
        text_format(t->data + t->length, (size_t)n + 1, format, again);
        t->length += (size_t)n;
    }
    va_end(again);
}

/* ---- printable characters ---- */

/* True for code points that may disturb a terminal: below ' ', 7F to 9F, line separators U+2028 and U+2029,
   U+202A to U+202E and U+2066 to U+2069 (direction), and noncharacters. */
static bool is_control(uint32_t code) {
    return code < ' ' || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfffe || code == 0xffff;
}

size_t text_visible(const char *at, size_t n) {
    uint32_t code;
    size_t length = utf8_read(at, n, &code);
    return length && !is_control(code) ? length : 0;
}

void text_add_visible(struct text *t, const char *words) {
    for (size_t n = strlen(words), length; n; words += length, n -= length) {
        length = text_visible(words, n);
        if (length)
            text_add_bytes(t, words, length);
        else
            text_add(t, "\\x%02x", (unsigned char)*words);
        length += !length;
    }
}

void text_make_visible(char *words) {
    for (size_t n = strlen(words), length; n; words += length, n -= length) {
        length = text_visible(words, n);
        if (!length) *words = '?';
        length += !length;
    }
}

/* ---- the rest of text, faults ---- */

void text_pad(struct text *t, char c, size_t n) {
    if (!room(t, n)) return;
    memset(t->data + t->length, c, n);
    t->length += n;
    t->data[t->length] = 0;
}

/* Return true if the byte begins a character of UTF-8. */
static bool begins(char c) { return ((unsigned char)c & 0xc0) != 0x80; }

int text_width(const char *words, size_t n) {
    int width = 0;
    for (size_t i = 0; i < n; i++) width += begins(words[i]);
    return width;
}

size_t text_prefix(const char *words, size_t n, int most) {
    size_t bytes = 0;
    for (int width = 0; bytes < n; bytes++) {
        width += begins(words[bytes]);
        if (width > most) break;
    }
    return bytes;
}

void text_add_padded(struct text *t, const char *words, int width) {
    struct text visible = {0};
    text_add_visible(&visible, words);
    const char *data = visible.data ? visible.data : "";
    int characters = text_width(data, visible.length);
    if (characters > width) {
        text_add_bytes(t, data, text_prefix(data, visible.length, width - 2));
        text_add(t, "..");
    } else {
        text_add_bytes(t, data, visible.length);
        text_pad(t, ' ', (size_t)(width - characters));
    }
    t->failed |= visible.failed;
    text_drop(&visible);
}

int text_visible_width(const char *words) {
    struct text visible = {0};
    text_add_visible(&visible, words);
    int characters = visible.data ? text_width(visible.data, visible.length) : 0;
    text_drop(&visible);
    return characters;
}

char *text_take(struct text *t) {
    text_add_bytes(t, "", 0);
    char *data = t->data;
    if (t->failed) {
        mem_free(data);
        data = NULL;
    }
    memset(t, 0, sizeof *t);
    return data;
}

void text_drop(struct text *t) {
    mem_free(t->data);
    memset(t, 0, sizeof *t);
}

bool fault_set(struct fault *f, ty_code code, const char *format, ...) {
    if (f->set) return false;
    va_list args;
    va_start(args, format);
    text_format(f->text, sizeof f->text, format, args);
    va_end(args);
    text_make_visible(f->text);
    f->set = true;
    f->code = code ? code : E_INTERNAL;
    return false;
}

bool fault_copy(struct fault *f, const struct fault *other) {
    return fault_set(f, other->code, "%s", other->text);
}

bool fault_names(const char *message, const char *function) {
    size_t n = strlen(function);
    return !strncmp(message, function, n) && message[n] == ':';
}

bool fault_from(struct fault *f, const char *function, ty_code code, const char *message) {
    return fault_names(message, function) ? fault_set(f, code, "%s", message)
                                          : fault_set(f, code, "%s: %s", function, message);
}

bool fault_memory(struct fault *f, size_t bytes) {
    char words[BYTES_WORDS];
    if (account_fault(f)) return false;
    return fault_set(f, E_MEMORY, "out of memory: %s could not be allocated", bytes_words(words, bytes));
}
