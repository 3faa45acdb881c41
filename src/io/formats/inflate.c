/*
 * Inputs inflated by zlib in pieces, so that declared sizes allocate nothing. Reading is sequential; going back
 * restarts from the front.
 *
 * A gzip file is a sequence of members (RFC 1952, 2.2), as cat a.gz b.gz makes it; zeros after one pad a tape
 * block. Other trailing bytes are refused, where gunzip only warns.
 */
#include <string.h>
#include "base/alloc.h"
#include "io/input.h"

static bool looks_compressed(const uint8_t *bytes, size_t count) {
    return count == 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

#ifdef TY_HAVE_ZLIB
#include <limits.h>
#include <zlib.h>
#include "io/formats/zlib_memory.h"

enum { PIECE = 1 << 16, GZIP_FORMAT = 16, GZIP_FIRST = 0x1f };

/* State of inflating one input. */
struct inflater {
    z_stream stream;
    enum inflate_format format;
    bool ended, between;     /* between: a gzip member has ended, and perhaps the file */
    uint64_t consumed, made; /* bytes read from the parent, bytes returned */
    uint8_t piece[PIECE];
};

static const char *const words[] = {"deflated", "gzip"};

static void close_inflater(struct input *in) {
    inflateEnd(&in->inflater->stream);
    mem_free(in->inflater);
}

/* Make f start again at the first byte of the compressed data; false if zlib fails, without a fault. */
static bool restart(struct inflater *f, struct input *in) {
    f->between = false;
    f->ended = in->trailing = false;
    f->consumed = f->made = 0;
    f->stream.avail_in = 0;
    return inflateReset(&f->stream) == Z_OK;
}

/* If no compressed bytes are left in f, read the next piece from the parent of `in`; at the end of the file
   none are available. False sets the fault. */
static bool refill(struct inflater *f, struct input *in, struct fault *fault) {
    size_t got;
    if (f->stream.avail_in) return true;
    if (!input_read(in->parent, f->consumed, f->piece, PIECE, &got, fault)) return false;
    f->consumed += got;
    f->stream.next_in = f->piece;
    f->stream.avail_in = (unsigned)got;
    return true;
}

/* Start the next gzip member after the end of one, skipping zeros before it; at the end of the file set the
   inflater's `ended` instead. False sets the fault, also if other bytes follow. */
static bool begin_member(struct input *in, struct fault *fault) {
    struct inflater *f = in->inflater;
    do {
        if (!refill(f, in, fault)) return false;
        for (; f->stream.avail_in && *f->stream.next_in == 0; f->stream.avail_in--) f->stream.next_in++;
    } while (f->stream.avail_in == 0 && f->consumed < in->parent->size);
    f->between = false;
    f->ended = f->stream.avail_in == 0;
    if (f->ended) return true;
    if (*f->stream.next_in != GZIP_FIRST)
        return fault_set(fault, E_FORMAT, "%s: has bytes after its gzip data that are not gzip", in->name);
    return inflateReset(&f->stream) == Z_OK ||
           fault_set(fault, E_FILE, "%s: cannot be read further", in->name);
}

/* Call inflate once for up to n bytes at `out`; *made receives the number of bytes produced, which may be 0
   before and at the end. False sets the fault. */
static bool inflate_some(struct input *in, uint8_t *out, size_t n, size_t *made, struct fault *fault) {
    struct inflater *f = in->inflater;
    *made = 0;
    if (f->between && (!begin_member(in, fault) || f->ended)) return !fault->set;
    if (!refill(f, in, fault)) return false;
    unsigned room = n < INT_MAX ? (unsigned)n : INT_MAX;
    f->stream.next_out = out;
    f->stream.avail_out = room;
    int result = inflate(&f->stream, Z_NO_FLUSH);
    *made = room - f->stream.avail_out;
    f->made += *made;
    f->between = result == Z_STREAM_END && f->format == INFLATE_GZIP;
    f->ended = result == Z_STREAM_END && f->format == INFLATE_RAW;
    if (f->ended) in->trailing = f->stream.avail_in || f->consumed < in->parent->size;
    if (result == Z_OK || result == Z_STREAM_END) return true;
    if (result == Z_MEM_ERROR) return fault_memory(fault, 1 << MAX_WBITS);
    if (result == Z_BUF_ERROR)
        return fault_set(fault, E_FORMAT, "%s: is truncated: the %s data ends early", in->name,
                         words[f->format]);
    return fault_set(fault, E_FORMAT, "%s: the %s data is damaged (%s)", in->name, words[f->format],
                     f->stream.msg ? f->stream.msg : "invalid");
}

/* Inflate and discard bytes up to offset `at` of the output; starts from the front if `at` is already
   passed. Stops at the end of the data. False sets the fault. */
static bool skip_to(struct input *in, uint64_t at, struct fault *fault) {
    struct inflater *f = in->inflater;
    uint8_t scrap[4096];
    size_t made;
    if (at < f->made && !restart(f, in))
        return fault_set(fault, E_FILE, "%s: cannot be read again", in->name);
    while (f->made < at && !f->ended) {
        size_t n = at - f->made < sizeof scrap ? (size_t)(at - f->made) : sizeof scrap;
        if (!inflate_some(in, scrap, n, &made, fault)) return false;
    }
    return true;
}

/* Read up to n inflated bytes at offset `at` of the output into `out`, and add their number to *got, which
   must be 0; fewer than n only at the end. False sets the fault. It is the input's `read`. */
static bool read_inflated(struct input *in, uint64_t at, void *out, size_t n, size_t *got,
                          struct fault *fault) {
    struct inflater *f = in->inflater;
    if (!skip_to(in, at, fault)) return false;
    while (*got < n && !f->ended) {
        size_t made;
        if (!inflate_some(in, (uint8_t *)out + *got, n - *got, &made, fault)) return false;
        *got += made;
    }
    return true;
}

/* Make `in` an inflater of its parent in this format: set its read and close functions. False sets the
   fault: no memory. */
static bool start(struct input *in, enum inflate_format format, struct fault *fault) {
    struct inflater *f = in->inflater = mem_alloc(sizeof *f);
    if (!f) return fault_memory(fault, sizeof *f);
    f->format = format;
    f->stream.zalloc = zlib_alloc;
    f->stream.zfree = zlib_free;
    in->close = close_inflater;
    in->read = read_inflated;
    int bits = format == INFLATE_GZIP ? GZIP_FORMAT + MAX_WBITS : -MAX_WBITS;
    return inflateInit2(&f->stream, bits) == Z_OK || fault_memory(fault, sizeof f->stream);
}
#else
static bool start(struct input *in, enum inflate_format format, struct fault *fault) {
    static const char *const advice[] = {"write it uncompressed", "unpack it with gunzip"};
    return fault_set(fault, E_UNSUPPORTED, "%s: is compressed, but this build is without zlib: %s", in->name,
                     advice[format]);
}
#endif

struct input *input_inflate(struct input *parent, enum inflate_format format, uint64_t size,
                            struct fault *fault) {
    struct input *in = parent ? input_new(parent->name, fault) : NULL;
    if (!in) {
        input_close(parent);
        return NULL;
    }
    in->parent = parent;
    in->owns_parent = true;
    in->exact = size > 0;
    in->size = size ? size : inflate_most(parent->size);
    if (start(in, format, fault)) return in;
    input_close(in);
    return NULL;
}

struct input *input_unwrap(struct input *in, struct fault *fault) {
    uint8_t head[2];
    size_t got;
    if (!in) return NULL;
    if (!input_read(in, 0, head, sizeof head, &got, fault)) {
        input_close(in);
        return NULL;
    }
    return looks_compressed(head, got) ? input_inflate(in, INFLATE_GZIP, 0, fault) : in;
}
