/* Outputs: one write function for each kind. */
#include "io/output.h"
#include <string.h>
#include "array/progress.h"
#include "array/scope.h"
#include "base/alloc.h"
#include "base/context/stop.h"
#include "base/files/file.h"

enum { WRITE_PIECE = 16 << 20 }; /* bytes: some 10 ms */

bool output_goes_on(struct output *out) {
    return !out->fault->set && (!out->stops || stop_check(out->fault));
}

/* Write as out->write does, to a file in pieces, between which progress is reported. */
static bool write_pieces(struct output *out, const char *bytes, size_t n) {
    struct progress progress;
    bool well = true;
    progress_begin(&progress, "write", 0);
    for (size_t piece; n && (well = output_goes_on(out)); n -= piece) {
        piece = n < WRITE_PIECE || !out->file ? n : WRITE_PIECE;
        well = out->write(out, bytes, piece) && progress_step(&progress, (int64_t)out->position, out->fault);
        if (!well) break;
        bytes += piece;
        out->position += piece;
    }
    progress_end(&progress);
    return well;
}

bool output_write(struct output *out, const void *bytes, size_t n) {
    return !out->fault->set && write_pieces(out, bytes, n);
}

bool output_text(struct output *out, struct text *t) {
    bool ok = t->failed ? fault_memory(out->fault, t->length) : output_write(out, t->data, t->length);
    t->length = 0;
    return ok;
}

/* True if no request to stop is pending: writing that begins now stops at the next one.  Who writes although the context
   was asked to stop wants to save what there is. */
static bool is_free(void) {
    ty_context *now = context_now();
    int asked = atomic_load_explicit(&now->asked, memory_order_relaxed) & ~STOP_COUNTED;
    return !asked || !stop_look(now, asked);
}

static bool write_file(struct output *out, const void *bytes, size_t n) {
    return replacement_write(out->file, bytes, n);
}

bool output_to_path(struct output *out, const char *path, struct fault *fault) {
    *out = (struct output){.fault = fault, .write = write_file, .stops = is_free()};
    if (!path) return fault_set(fault, E_ARGUMENT, "the path is NULL");
    out->file = replacement_begin(path, fault);
    return out->file;
}

static bool write_memory(struct output *out, const void *bytes, size_t n) {
    text_add_bytes(&out->memory, bytes, n);
    return !out->memory.failed || fault_memory(out->fault, out->memory.length + n);
}

void output_to_memory(struct output *out, struct fault *fault) {
    *out = (struct output){.fault = fault, .write = write_memory, .stops = is_free()};
}

/* Pass n bytes to the caller's sink: the output's write. False sets the fault. */
static bool write_sink(struct output *out, const void *bytes, size_t n) {
    struct scope_fence fence = scope_fence();
    bool written = out->sink.write(out->sink.context, bytes, n);
    scope_fence_end(fence);
    return written || fault_set(out->fault, E_USER, "save: the sink refused %zu bytes after %llu", n,
                                (unsigned long long)out->position);
}

void output_to_sink(struct output *out, ty_sink sink, struct fault *fault) {
    *out = (struct output){.fault = fault, .write = write_sink, .sink = sink, .stops = is_free()};
}

bool output_end(struct output *out, bool keep) {
    bool ok = keep && !out->fault->set;
    if (out->file) ok = replacement_end(out->file, ok);
    text_drop(&out->memory);
    return ok;
}

/* ---- compressed ---- */

#ifdef TY_HAVE_ZLIB
#include <limits.h>
#include <zlib.h>
#include "io/formats/zlib_memory.h"

/* INPUT_PIECE: bytes compressed between two looks for requests to stop: some 5 to 30 ms. */
enum { PIECE = 1 << 16, GZIP_FORMAT = 16, MEMORY_LEVEL = 8, INPUT_PIECE = 1 << 20 };

/* State of compressing, and a buffer for compressed bytes. */
struct deflater {
    z_stream stream;
    uint8_t piece[PIECE];
};

/* Compress the pending input of out's stream and write the result to its parent; flush Z_FINISH also writes
   all that is left. False sets the fault. */
static bool deflate_some(struct output *out, int flush) {
    struct deflater *d = out->deflater;
    int result;
    do {
        d->stream.next_out = d->piece;
        d->stream.avail_out = PIECE;
        result = deflate(&d->stream, flush);
        if (!output_write(out->parent, d->piece, PIECE - d->stream.avail_out)) return false;
    } while (d->stream.avail_out == 0 || (flush == Z_FINISH && result == Z_OK));
    return true;
}

/* Compress n bytes and write them to out's parent: the output's write. False sets the fault. */
static bool write_deflated(struct output *out, const void *bytes, size_t n) {
    const uint8_t *at = bytes;
    while (n) {
        unsigned piece = n < INPUT_PIECE ? (unsigned)n : INPUT_PIECE;
        if (!output_goes_on(out)) return false;
        out->deflater->stream.next_in = (uint8_t *)(uintptr_t)at;
        out->deflater->stream.avail_in = piece;
        if (!deflate_some(out, Z_NO_FLUSH)) return false;
        at += piece;
        n -= piece;
    }
    return true;
}

bool output_deflate(struct output *out, struct output *parent, bool gzip) {
    *out = (struct output){
        .fault = parent->fault, .write = write_deflated, .parent = parent, .stops = parent->stops};
    struct deflater *d = out->deflater = mem_alloc(sizeof *d);
    if (!d) return fault_memory(out->fault, sizeof *d);
    d->stream.zalloc = zlib_alloc;
    d->stream.zfree = zlib_free;
    int bits = gzip ? GZIP_FORMAT + MAX_WBITS : -MAX_WBITS;
    if (deflateInit2(&d->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, bits, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) ==
        Z_OK)
        return true;
    mem_free(d);
    return fault_memory(out->fault, sizeof d->stream);
}

bool output_deflate_end(struct output *out) {
    bool ok = !out->fault->set && deflate_some(out, Z_FINISH);
    deflateEnd(&out->deflater->stream);
    mem_free(out->deflater);
    return ok;
}
#else
bool output_deflate(struct output *out, struct output *parent, bool gzip) {
    *out = (struct output){.fault = parent->fault};
    return fault_set(out->fault, E_UNSUPPORTED,
                     "save: %s needs zlib, which this build is without: save it uncompressed",
                     gzip ? "gzip" : "deflate");
}
bool output_deflate_end(struct output *out) { return !out->fault->set; }
#endif
