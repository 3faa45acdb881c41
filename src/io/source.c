/* Sequential bytes, plain or inflated by zlib piece by piece: nothing is allocated for what is only promised.
 */
#include "io/source.h"
#include <string.h>
#include "base/alloc.h"

static bool looks_compressed(const uint8_t *bytes, size_t count) {
    return count >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static bool plain_read(struct source *s, void *out, size_t n, size_t *got) {
    *got = n < s->left ? n : s->left;
    if (*got) memcpy(out, s->bytes, *got);
    s->bytes += *got;
    s->left -= *got;
    return true;
}

#ifdef TY_HAVE_ZLIB
#include <limits.h>
#include <zlib.h>

/* A deflate block of one symbol repeats 258 bytes with 2 bits. */
enum { GZIP_BEST_RATIO = 1032, GZIP_FORMAT = 16 };

struct gzip {
    z_stream stream;
    bool ended;
};

static void *gzip_alloc(void *context, unsigned n, unsigned size) {
    (void)context;
    return mem_array(n, size);
}
static void gzip_free(void *context, void *memory) {
    (void)context;
    mem_free(memory);
}

static bool gzip_open(struct source *s) {
    s->gzip = mem_alloc(sizeof *s->gzip);
    if (!s->gzip) return fault_memory(s->fault, sizeof *s->gzip);
    s->gzip->stream.zalloc = gzip_alloc;
    s->gzip->stream.zfree = gzip_free;
    if (inflateInit2(&s->gzip->stream, GZIP_FORMAT + MAX_WBITS) == Z_OK) return true;
    mem_free(s->gzip);
    s->gzip = NULL;
    return fault_memory(s->fault, sizeof(z_stream));
}

static void gzip_close(struct source *s) {
    inflateEnd(&s->gzip->stream);
    mem_free(s->gzip);
}

static unsigned piece(size_t n) { return n < INT_MAX ? (unsigned)n : INT_MAX; }

/* One call of inflate: moves the source on; *made bytes came out. */
static bool inflate_some(struct source *s, uint8_t *out, size_t n, size_t *made) {
    z_stream *z = &s->gzip->stream;
    unsigned offered = piece(s->left), room = piece(n);
    z->next_in = (uint8_t *)(uintptr_t)s->bytes;
    z->avail_in = offered;
    z->next_out = out;
    z->avail_out = room;
    int result = inflate(z, Z_NO_FLUSH);
    s->bytes += offered - z->avail_in;
    s->left -= offered - z->avail_in;
    *made = room - z->avail_out;
    s->gzip->ended = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END) return true;
    if (result == Z_MEM_ERROR) return fault_memory(s->fault, 1 << MAX_WBITS);
    if (result == Z_BUF_ERROR)
        return fault_set(s->fault, "%s: is truncated: the gzip data breaks off", s->name);
    return fault_set(s->fault, "%s: the gzip data is damaged (%s)", s->name, z->msg ? z->msg : "invalid");
}

static bool gzip_read(struct source *s, void *out, size_t n, size_t *got) {
    *got = 0;
    while (*got < n && !s->gzip->ended) {
        size_t made;
        if (!inflate_some(s, (uint8_t *)out + *got, n - *got, &made)) return false;
        *got += made;
    }
    return true;
}
#else
enum { GZIP_BEST_RATIO = 1 };
static bool gzip_open(struct source *s) {
    return fault_set(s->fault,
                     "%s: is compressed by gzip, but this build is without zlib: unpack it with gunzip",
                     s->name);
}
static void gzip_close(struct source *s) { (void)s; }
static bool gzip_read(struct source *s, void *out, size_t n, size_t *got) {
    return plain_read(s, out, n, got);
}
#endif

bool source_open(struct source *s, const char *name, const void *bytes, size_t count, struct fault *fault) {
    *s = (struct source){.name = name, .bytes = bytes, .left = count, .fault = fault};
    return !looks_compressed(bytes, count) || gzip_open(s);
}

void source_close(struct source *s) {
    if (s->gzip) gzip_close(s);
    s->gzip = NULL;
}

bool source_read(struct source *s, void *out, size_t n, size_t *got) {
    return s->gzip ? gzip_read(s, out, n, got) : plain_read(s, out, n, got);
}

uint64_t source_most(const struct source *s) {
    uint64_t ratio = s->gzip ? GZIP_BEST_RATIO : 1, window = s->gzip ? 65536 : 0, most;
    if (__builtin_mul_overflow((uint64_t)s->left, ratio, &most)) return UINT64_MAX;
    return most > UINT64_MAX - window ? UINT64_MAX
                                      : most + window; /* the window may hold some that is not out yet */
}

bool source_end(struct source *s) {
    uint8_t extra;
    size_t got;
    if (!source_read(s, &extra, 1, &got)) return false;
    if (got || s->left)
        return fault_set(s->fault, "%s: has bytes after the data that its sizes tell of", s->name);
    return true;
}
