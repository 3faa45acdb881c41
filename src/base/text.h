/*
 * Growing strings, and error messages.  A text remembers that memory ran out; text_take then returns NULL, so
 * callers check once at the end.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H
#include "base/for_command.h"
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include "base/error.h"

struct text {
    char *data;
    size_t length, capacity;
    bool failed;
};

/* Append text formatted as by printf, with '.' as decimal point. If memory runs out, t->failed is set and
   nothing is appended. */
void text_add(struct text *t, const char *format, ...) FOR_COMMAND(text_add)
    __attribute__((format(printf, 2, 3)));
/* Append n bytes. If memory runs out, t->failed is set and nothing is appended. */
void text_add_bytes(struct text *t, const void *bytes, size_t n) FOR_COMMAND(text_add_bytes);
/* Append n copies of c. If memory runs out, t->failed is set and nothing is appended. */
void text_pad(struct text *t, char c, size_t n);
/* Append text from an untrusted source, such as a name in a file.  Terminal control characters and invalid UTF-8
   are written as hex escapes, such as \x1b. */
void text_add_visible(struct text *t, const char *words) FOR_COMMAND(text_add_visible);
/* Append such text, padded with blanks to `width` characters; if it is longer, it is cut and ends in "..". */
void text_add_padded(struct text *t, const char *words, int width) FOR_COMMAND(text_add_padded);
/* Return the number of characters of such text as it is written. */
int text_visible_width(const char *words) FOR_COMMAND(text_visible_width);
/* Return the number of characters of n bytes of UTF-8. */
int text_width(const char *words, size_t n) FOR_COMMAND(text_width);
/* Return the number of bytes of the first `most` of the characters of n bytes of UTF-8; n if there are no more. */
size_t text_prefix(const char *words, size_t n, int most) FOR_COMMAND(text_prefix);
/* Return the zero-terminated string, owned by the caller (mem_free), and empty t. NULL if memory ran out
   since t was empty. */
char *text_take(struct text *t) FOR_COMMAND(text_take);
/* Free the text; it is empty afterwards. */
void text_drop(struct text *t) FOR_COMMAND(text_drop);

/* vsnprintf with '.' as decimal point, whatever the locale of the process. */
int text_format(char *out, size_t room, const char *format, va_list args) FOR_COMMAND(text_format)
    __attribute__((format(printf, 3, 0)));
/* snprintf with '.' as decimal point, whatever the locale of the process. */
int text_print(char *out, size_t room, const char *format, ...) FOR_COMMAND(text_print)
    __attribute__((format(printf, 3, 4)));
/* Return the length in bytes of the first of n bytes' UTF-8 characters if it is printable; 0 for a control
   character, invalid UTF-8 or n = 0. */
size_t text_visible(const char *at, size_t n) FOR_COMMAND(text_visible);
/* Replace non-printable characters by '?', in place, line ends included, so that a message is one line. */
void text_make_visible(char *words) FOR_COMMAND(text_make_visible);

/* Error message and its code.  Functions that can fail take a fault, and return false or NULL after fault_set. */
struct fault {
    bool set;
    ty_code code; /* valid if set */
    char text[1024];
};
/* Clear the fault; cheaper than zeroing the whole buffer. */
static inline void fault_clear(struct fault *f) { f->set = false, f->text[0] = 0; }

/* Set code and message, formatted as by printf, unless a message is set already. Non-printable characters become
   '?'. Always return false. */
bool fault_set(struct fault *f, ty_code code, const char *format, ...) FOR_COMMAND(fault_set)
    __attribute__((format(printf, 3, 4)));
/* Set code and message of another fault, which is set, unless a message is set already. Always return false. */
bool fault_copy(struct fault *f, const struct fault *other) FOR_COMMAND(fault_copy);
/* Return true if the message begins with the name of the function and a colon. */
bool fault_names(const char *message, const char *function);
/* Set code and message of another function, the message after the name of this one and a colon unless it begins with
   them, unless a message is set already. Always return false. */
bool fault_from(struct fault *f, const char *function, ty_code code, const char *message);
/* Set the message "out of memory: N bytes could not be allocated", unless a message is set already. Always
   return false. */
bool fault_memory(struct fault *f, size_t bytes) FOR_COMMAND(fault_memory);
#endif
