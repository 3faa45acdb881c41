/*
 * Text that grows, and the sentence of a failure.  A text remembers that memory ran out; text_take then
 * returns NULL, so callers check once at the end.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>

struct text {
    char *data;
    size_t length, capacity;
    bool failed;
};

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *t, const void *bytes, size_t n);
void text_pad(struct text *t, char c, size_t n);
/* The text, zero-terminated, owned by the caller (mem_free); t is empty after.  NULL: memory ran out. */
char *text_take(struct text *t);
void text_drop(struct text *t);

/* Why something failed.  Functions that can fail take one and return false or NULL after fault_set. */
struct fault {
    bool set;
    char text[1024];
};
/* As good as zeroing all of it, and quicker. */
static inline void fault_clear(struct fault *f) { f->set = false, f->text[0] = 0; }

/* Always returns false.  The first sentence stays. */
bool fault_set(struct fault *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool fault_memory(struct fault *f, size_t bytes); /* "out of memory: ..." */
#endif
