/*
 * Random-access inputs of bytes: a file, memory, the caller's functions, a part of another input, or an
 * inflated one. Readers of formats use only this; errors go to `fault`.
 */
#ifndef IO_INPUT_H
#define IO_INPUT_H
#include "base/for_command.h"
#include <tyto/io.h>
#include "base/text.h"
#include "io/formats/crc.h"

/* An input of bytes; input_close frees it. */
struct input {
    const char *name; /* shown in messages, such as the path; borrowed */
    uint64_t size;    /* size in bytes; an upper bound if not `exact` (gzip) */
    bool exact;
    bool streamed; /* the bytes come from a pipe, a terminal or a socket */
    /* Read up to n bytes from offset `at`, fewer only at the end; false sets the fault. */
    bool (*read)(struct input *in, uint64_t at, void *out, size_t n, size_t *got, struct fault *fault);
    void (*close)(struct input *in); /* extra clean-up; NULL: none */
    int file;                        /* descriptor; -1: none */
    const uint8_t *bytes;
    uint8_t *owned; /* memory freed on closing, `size` bytes */
    uint8_t *grown; /* the same of mem_grow, whose size is not needed */
    ty_source source;
    struct input *parent;
    bool owns_parent;
    uint64_t begin; /* offset in the parent */
    struct inflater *inflater;
    bool trailing;     /* compressed data ended before the parent did */
    struct crc *check; /* running CRC-32 of sequential reads; NULL: not requested */
    uint64_t checked;
    uint32_t expected;
};

/* Allocate an input with default fields and no read function, whose `name` is borrowed; input_close frees
   it. NULL sets the fault. */
struct input *input_new(const char *name, struct fault *fault);
/* Open the regular file at `path`, which is borrowed as the input's name; input_close frees it. NULL sets
   the fault, also for a NULL path. */
struct input *input_path(const char *path, struct fault *fault) FOR_COMMAND(input_path);
/* Return an input of an open regular file, which input_close closes; `name` is borrowed.  NULL sets the fault, and
   closes the file. */
struct input *input_file(const char *name, int file, struct fault *fault);
/* As input_path, but a pipe, a terminal or a socket is read to its end first, at most `most` bytes of it (0: no limit).
   They are in memory, or if they are many in a temporary file without a name, in the folder of TMPDIR or /tmp.  The wait
   for bytes ends at a request to stop. */
struct input *input_stream(const char *path, uint64_t most, struct fault *fault);
/* Read the rest of a descriptor's bytes, at most `most` (0: no limit), and put a temporary file without a name that has
   them in its place.  `name` is for messages.  False sets the fault, also if there are no bytes. */
bool stream_keep(int descriptor, const char *name, uint64_t most, struct fault *fault)
    FOR_COMMAND(stream_keep);
/* Return an input of n bytes that must outlive it; input_close frees it. NULL sets the fault. */
struct input *input_memory(const char *name, const void *bytes, uint64_t n, struct fault *fault);
/* Return an input that reads through the caller's functions; a source without read_at is read into memory
   at once. NULL sets the fault. */
struct input *input_source(const char *name, ty_source source, struct fault *fault);
/* Return an input of `size` bytes of `parent` from offset `begin`; the parent must outlive it. NULL if
   parent is NULL or with the fault set. */
struct input *input_part(struct input *parent, uint64_t begin, uint64_t size, struct fault *fault);

/* Wrapping of deflate data. */
enum inflate_format { INFLATE_RAW, INFLATE_GZIP };
/* Return an input that inflates `parent`, which it owns and closes, even on failure; parent NULL gives
   NULL. `size` is the size after inflating, 0 if unknown (gzip). NULL sets the fault. */
struct input *input_inflate(struct input *parent, enum inflate_format format, uint64_t size,
                            struct fault *fault);
/* Return `in`, or an input that inflates it if it begins as gzip does, and then owns it. NULL in gives NULL;
   on failure `in` is closed. */
struct input *input_unwrap(struct input *in, struct fault *fault) FOR_COMMAND(input_unwrap);
/* Close and free an input and the parents that it owns; NULL is ignored. */
void input_close(struct input *in) FOR_COMMAND(input_close);

/* Read up to n bytes from offset `at` into `out`; *got is their number, fewer only at the end. False sets
   the fault. */
bool input_read(struct input *in, uint64_t at, void *out, size_t n, size_t *got, struct fault *fault)
    FOR_COMMAND(input_read);
/* Return the bytes of a file, a pipe, a terminal or a socket, at most `most` (0: no limit), and their number in *n; a zero
   follows them.  The caller frees them with mem_free.  NULL sets the fault, also for a NULL path. */
char *input_text(const char *path, uint64_t most, size_t *n, struct fault *fault) FOR_COMMAND(input_text);
/* Read exactly n bytes from offset `at` into `out`; else return false with the fault "is truncated: n bytes
   of `what` expected". */
bool input_exactly(struct input *in, uint64_t at, void *out, size_t n, const char *what, struct fault *fault);
/* Return true if no byte follows offset `at` and the checksum, if requested, is right; else set the
   fault. */
bool input_end(struct input *in, uint64_t at, struct fault *fault);
/* Request a CRC-32 of all bytes, read in order; input_end compares it with `expected`. False without
   memory, with the fault set. */
bool input_check(struct input *in, uint32_t expected, struct fault *fault);
/* Copy the whole input into memory, so that the file cannot change between check and use; false sets the
   fault. */
bool input_hold(struct input *in, struct fault *fault);

/* Return an upper bound on the bytes to which n bytes of deflate can expand: 2 bits can repeat 258 bytes. */
static inline uint64_t inflate_most(uint64_t n) {
    uint64_t most;
    if (__builtin_mul_overflow(n, (uint64_t)1032, &most)) return UINT64_MAX;
    return most > UINT64_MAX - 65536 ? UINT64_MAX : most + 65536; /* zlib's window may hold some back */
}
#endif
