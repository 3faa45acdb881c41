/*
 * Growing strings, and error messages.  A text remembers that memory ran out; text_take then returns NULL, so
 * callers check once at the end.
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

/* Append formatted text. */
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Append n bytes. */
void text_add_bytes(struct text *t, const void *bytes, size_t n);
/* Append n copies of c. */
void text_pad(struct text *t, char c, size_t n);
/* Append text from an untrusted source, such as a name in a file.  Terminal control characters and invalid UTF-8
   are written as hex escapes, such as \x1b. */
void text_add_visible(struct text *t, const char *words);
/* Return the zero-terminated string, owned by the caller (mem_free), and empty t.  NULL if memory ran out. */
char *text_take(struct text *t);
/* Free the text; it is empty afterwards. */
void text_drop(struct text *t);

/* vsnprintf with '.' as decimal point, whatever the locale of the process. */
int text_format(char *out, size_t room, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/* snprintf with '.' as decimal point, whatever the locale of the process. */
int text_print(char *out, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Return the length in bytes of the first character if it is printable; 0 for a control character or invalid
   UTF-8. */
size_t text_visible(const char *at, size_t n);
/* Replace non-printable characters by '?', line ends included, so that a message is one line. */
void text_make_visible(char *words);

/* Error message.  Functions that can fail take a fault, and return false or NULL after fault_set. */
struct fault {
    bool set;
    char text[1024];
};
/* Clear the fault; cheaper than zeroing the whole buffer. */
static inline void fault_clear(struct fault *f) { f->set = false, f->text[0] = 0; }

/* Set the message, unless one is set already.  Always returns false. */
bool fault_set(struct fault *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Set the message "out of memory: ...", unless a message is set already.  Always returns false. */
bool fault_memory(struct fault *f, size_t bytes);
#endif
