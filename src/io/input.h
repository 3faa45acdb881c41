/*
 * Bytes that come from somewhere, by place: a file, memory, the caller's functions, a part of another input,
 * or what inflating another makes.  Readers of formats see only this; sentences go to `fault`.
 */
#ifndef IO_INPUT_H
#define IO_INPUT_H
#include <tyto/io.h>
#include "base/text.h"
#include "io/crc.h"

struct input {
    const char *name; /* for sentences: the path */
    uint64_t size;    /* bytes; of gzip the most that can come, when not `exact` */
    bool exact;
    /* Up to n bytes from byte `at` on, fewer only at the end. */
    bool (*read)(struct input *in, uint64_t at, void *out, size_t n, size_t *got, struct fault *fault);
    void (*close)(struct input *in); /* NULL: nothing to give back */
    int file;                        /* -1: none */
    const uint8_t *bytes;
    uint8_t *owned; /* memory given back at the end, `size` bytes */
    ty_source source;
    struct input *parent;
    bool owns_parent;
    uint64_t begin; /* in the parent */
    struct inflater *inflater;
    bool trailing;     /* the compressed data ended before its bytes did */
    struct crc *check; /* CRC-32 of what was read from front to end so far; NULL: none is asked for */
    uint64_t checked;
    uint32_t expected;
};

/* Each returns an input that is ended with input_close, or NULL with a sentence. */
struct input *input_new(const char *name, struct fault *fault);
struct input *input_path(const char *path, struct fault *fault);
/* Bytes that outlive the input. */
struct input *input_memory(const char *name, const void *bytes, uint64_t n, struct fault *fault);
/* The caller's functions; a source without read_at is read to its end at once. */
struct input *input_source(const char *name, ty_source source, struct fault *fault);
/* `size` bytes of `parent` from `begin` on; NULL parent: NULL. */
struct input *input_part(struct input *parent, uint64_t begin, uint64_t size, struct fault *fault);

/* How deflate's data is wrapped. */
enum inflate_format { INFLATE_RAW, INFLATE_GZIP };
/* What inflating `parent` gives, which the new input owns, also on failure; size 0: whatever comes (gzip). */
struct input *input_inflate(struct input *parent, enum inflate_format format, uint64_t size,
                            struct fault *fault);
/* `in` itself, or what is inside when it begins as gzip does; `in` NULL: NULL. */
struct input *input_unwrap(struct input *in, struct fault *fault);
void input_close(struct input *in);

bool input_read(struct input *in, uint64_t at, void *out, size_t n, size_t *got, struct fault *fault);
/* Exactly n bytes; "is truncated: n bytes of `what` expected". */
bool input_exactly(struct input *in, uint64_t at, void *out, size_t n, const char *what, struct fault *fault);
/* True when nothing follows byte `at`, and the checksum is the expected one. */
bool input_end(struct input *in, uint64_t at, struct fault *fault);
/* Asks for a CRC-32 of all bytes, read from front to end, to be tested by input_end. */
bool input_check(struct input *in, uint32_t expected, struct fault *fault);
/* Everything into memory, so that nobody can change it between test and use. */
bool input_hold(struct input *in, struct fault *fault);

/* The most bytes that n bytes of deflate can become: a block of one symbol repeats 258 bytes with 2 bits. */
static inline uint64_t inflate_most(uint64_t n) {
    uint64_t most;
    if (__builtin_mul_overflow(n, (uint64_t)1032, &most)) return UINT64_MAX;
    return most > UINT64_MAX - 65536 ? UINT64_MAX : most + 65536; /* its window may hold some back */
}
#endif
