#include "base/text.h"
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "base/checked.h"

static bool room(struct text *t, size_t more) {
    size_t need;
    if (t->failed || !checked_add_size(t->length, more, &need) || !checked_add_size(need, 1, &need)) {
        t->failed = true;
        return false;
    }
    if (need <= t->capacity) return true;
    size_t capacity = need < 128 ? 128 : need + need / 2;
    char *data = mem_grow(t->data, capacity, 1);
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->capacity = capacity;
    return true;
}

void text_add_bytes(struct text *t, const void *bytes, size_t n) {
    if (!room(t, n)) return;
    if (n) memcpy(t->data + t->length, bytes, n);
    t->length += n;
    t->data[t->length] = 0;
}

void text_add(struct text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) t->failed = true;
    if (n >= 0 && room(t, (size_t)n)) {
        vsnprintf(t->data + t->length, (size_t)n + 1, format, again);
        t->length += (size_t)n;
    }
    va_end(again);
}

void text_pad(struct text *t, char c, size_t n) {
    if (!room(t, n)) return;
    memset(t->data + t->length, c, n);
    t->length += n;
    t->data[t->length] = 0;
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

bool fault_set(struct fault *f, const char *format, ...) {
    if (f->set) return false;
    va_list args;
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    f->set = true;
    return false;
}

bool fault_memory(struct fault *f, size_t bytes) {
    return fault_set(f, "out of memory: %zu bytes could not be allocated", bytes);
}
