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
/* Words of somebody else's, a name in a file say: what a terminal would obey or UTF-8 does not know stands there as
   \\x1b. */
void text_add_visible(struct text *t, const char *words);
/* The text, zero-terminated, owned by the caller (mem_free); t is empty after.  NULL: memory ran out. */
char *text_take(struct text *t);
void text_drop(struct text *t);

/* vsnprintf with a point in numbers, whatever the process's locale. */
int text_format(char *out, size_t room, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/* snprintf in the same way. */
int text_print(char *out, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* How many of the n bytes are the first character, where it is one that is seen; 0: a control character, or no
   UTF-8. */
size_t text_visible(const char *at, size_t n);
/* Puts ? for what is not visible, line ends too: a sentence is one line. */
void text_make_visible(char *words);

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
