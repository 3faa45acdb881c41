/*
 * PNG (ISO/IEC 15948), by libspng. Grey, grey and alpha, RGB and RGBA keep their channels. Samples of 1, 2 and
 * 4 bits are scaled to 8, those of 16 stay; a palette becomes RGB. Transparent colours or palette entries add
 * an alpha channel. Gamma and colour profiles are ignored. The orientation of Exif data in front of the pixels
 * is applied.
 */
#include "io/formats/image.h"
#include "io/formats/matches.h"

static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

bool png_matches(const uint8_t *head, size_t n) {
    return n >= sizeof signature && !memcmp(head, signature, sizeof signature);
}

#ifdef TY_HAVE_SPNG
#include <spng.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/formats/exif.h"

enum { MOST_CHUNK = 1 << 20 }; /* most bytes of a text or a profile, which are not used */

/* Set when an allocation fails: libspng has no context for allocators and reports zlib's failures as damaged
   data. */
static _Thread_local bool starved;
static void *seen(void *memory) {
    starved |= !memory;
    return memory;
}
static void *take(size_t bytes) { return seen(mem_alloc(bytes)); }
static void *grow(void *old, size_t bytes) { return seen(mem_grow(old, bytes, 1)); }
static void *take_many(size_t n, size_t bytes) { return seen(mem_array(n, bytes)); }

/* Return a new libspng context with the given flags, which the caller frees; NULL sets the fault. */
static spng_ctx *begin(int flags, struct fault *fault) {
    struct spng_alloc memory = {take, grow, take_many, mem_free};
    /* weak symbol if the program links libtyto.a without libspng */
    spng_ctx *(*volatile make)(struct spng_alloc *, int) = spng_ctx_new2;
    starved = false;
    spng_ctx *png = make ? make(&memory, flags) : NULL;
    if (!png && make) fault_memory(fault, sizeof memory);
    if (!make)
        fault_set(fault, E_UNSUPPORTED,
                  "png: this program is linked without libspng: link it with -Wl,--no-as-needed -lspng");
    return png;
}

/* A PNG file that is read sequentially. */
struct png_reader {
    spng_ctx *png;
    struct input *in;
    struct fault *fault;
    uint64_t at;
    bool ended; /* a read went past the end */
    struct spng_ihdr head;
    int format, flags, channels;
    int orientation; /* 1: upright as stored */
};

/* Read n bytes into `out` for libspng; user is the struct reader. Return SPNG_OK, SPNG_IO_EOF if the file
   ends before, or SPNG_IO_ERROR with the fault set. */
static int read_bytes(spng_ctx *png, void *user, void *out, size_t n) {
    struct png_reader *r = user;
    size_t got;
    (void)png;
    if (!input_read(r->in, r->at, out, n, &got, r->fault)) return SPNG_IO_ERROR;
    r->at += got;
    r->ended |= got < n;
    return got == n ? SPNG_OK : SPNG_IO_EOF;
}

/* Return true if libspng's result `code` reports no error; else set the fault and return false. */
static bool check(struct png_reader *r, int code) {
    if (code == SPNG_OK || code == SPNG_EOI) return true;
    if (starved) return fault_memory(r->fault, (size_t)r->head.width * r->head.height);
    if (code == SPNG_IO_EOF || code == SPNG_EOF)
        return fault_set(r->fault, E_FORMAT, "%s: is truncated: the PNG continues after byte %llu",
                         r->in->name, (unsigned long long)r->at);
    return fault_set(r->fault, E_FORMAT, "%s: is damaged: %s", r->in->name, spng_strerror(code));
}

/* Set r->format, r->flags and r->channels, which say what libspng decodes to, from colour type, depth and
   transparency; false sets the fault. */
static bool choose_format(struct png_reader *r) {
    struct spng_trns unused;
    int code = spng_get_trns(r->png, &unused), bits = r->head.bit_depth;
    if (code != SPNG_OK && code != SPNG_ECHUNKAVAIL) return check(r, code);
    bool clear = code == SPNG_OK;
    r->flags = clear ? SPNG_DECODE_TRNS : 0;
    r->format = SPNG_FMT_PNG;
    switch (r->head.color_type) {
    case SPNG_COLOR_TYPE_GRAYSCALE:
        r->channels = 1 + clear;
        if (clear) r->format = bits > 8 ? SPNG_FMT_GA16 : SPNG_FMT_GA8;
        if (!clear && bits < 8) r->format = SPNG_FMT_G8;
        return true;
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
        r->channels = 2;
        return true;
    case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA:
        r->channels = 4;
        return true;
    default: /* RGB or a palette */
        r->channels = 3 + clear;
        if (clear) r->format = bits > 8 ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8;
        if (!clear && r->head.color_type == SPNG_COLOR_TYPE_INDEXED) r->format = SPNG_FMT_RGB8;
        return true;
    }
}

/* Set r->orientation to that of the file's Exif data, 1 to 8; 1 if it has none or `unturned` is set. False
   sets the fault. */
static bool find_orientation(struct png_reader *r, bool unturned) {
    struct spng_exif exif;
    int code = spng_get_exif(r->png, &exif);
    r->orientation = 1;
    if (code == SPNG_ECHUNKAVAIL) return true;
    if (!check(r, code)) return false;
    if (!unturned) r->orientation = exif_orientation((const uint8_t *)exif.data, exif.length);
    return true;
}

/* Read everything before the pixels of a's file into *r. False sets the fault; call reader_end in any
   case. */
static bool reader_begin(struct png_reader *r, struct ty_archive *a, struct fault *fault) {
    *r = (struct png_reader){.in = a->input, .fault = fault};
    r->png = begin(0, fault);
    return r->png && check(r, spng_set_chunk_limits(r->png, MOST_CHUNK, 8 * (size_t)MOST_CHUNK)) &&
           check(r, spng_set_crc_action(r->png, SPNG_CRC_ERROR, SPNG_CRC_ERROR)) &&
           check(r, spng_set_png_stream(r->png, read_bytes, r)) &&
           check(r, spng_get_ihdr(r->png, &r->head)) && choose_format(r) &&
           find_orientation(r, a->options.unturned);
}

static void reader_end(struct png_reader *r) {
    if (r->png) spng_ctx_free(r->png);
}

bool png_open(struct ty_archive *a) {
    struct png_reader r;
    bool ok = reader_begin(&r, a, &a->fault), swapped = exif_swaps(r.orientation);
    if (ok)
        ok = image_entry(a, swapped ? r.head.width : r.head.height, swapped ? r.head.height : r.head.width,
                         r.channels, r.head.bit_depth);
    reader_end(&r);
    return ok;
}

/* Read the rest of the file behind the pixels; false sets the fault, also for a short read: libspng
   overlooks a missing last checksum. */
static bool read_end(struct png_reader *r) {
    return check(r, spng_decode_chunks(r->png)) && (!r->ended || check(r, SPNG_EOF));
}

/* Decode the pixels into x, whose bytes must match the image, and read the rest of the file; false sets the
   fault. */
static bool decode(struct png_reader *r, ty_tensor *x) {
    size_t bytes = tensor_bytes(x), expected;
    if (!check(r, spng_decoded_image_size(r->png, r->format, &expected))) return false;
    if (expected != bytes) return fault_set(r->fault, E_FILE, "%s: changed while it was read", r->in->name);
    return check(r, spng_decode_image(r->png, tensor_data(x), bytes, r->format, r->flags)) && read_end(r);
}

ty_tensor *png_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault) {
    struct png_reader r;
    bool ok = reader_begin(&r, a, fault), swapped = exif_swaps(r.orientation);
    struct archive_entry stored = *e;
    stored.shape = (int64_t[]){e->shape[swapped], e->shape[!swapped], e->shape[2]};
    ty_tensor *x = ok ? image_new(&stored, fault) : NULL;
    if (x && !decode(&r, x)) {
        tensor_free_one_reference(x);
        x = NULL;
    }
    reader_end(&r);
    return x ? exif_turned(tensor_return(x), r.orientation) : NULL;
}

/* ---- writing ---- */

static int write_bytes(spng_ctx *png, void *user, void *bytes, size_t n) {
    (void)png;
    return output_write(user, bytes, n) ? SPNG_OK : SPNG_IO_ERROR;
}

/* Write the image as PNG to `out` by libspng and return libspng's code: 0 on success. */
static int encode(spng_ctx *png, const struct image *image, struct output *out) {
    static const uint8_t types[] = {0, SPNG_COLOR_TYPE_GRAYSCALE, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA,
                                    SPNG_COLOR_TYPE_TRUECOLOR, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA};
    struct spng_ihdr head = {.width = (uint32_t)image->width,
                             .height = (uint32_t)image->height,
                             .bit_depth = (uint8_t)image->bits,
                             .color_type = types[image->channels]};
    int code = spng_set_png_stream(png, write_bytes, out);
    if (!code) code = spng_set_ihdr(png, &head);
    if (!code)
        code = spng_encode_image(png, tensor_data(image->x), tensor_bytes(image->x), SPNG_FMT_PNG,
                                 SPNG_ENCODE_FINALIZE);
    return code;
}

bool png_write(struct writing *w) {
    struct image image;
    if (!image_to_write(w, "png", &image)) return false;
    spng_ctx *png = begin(SPNG_CTX_ENCODER, w->fault);
    if (!png) return false;
    int code = encode(png, &image, w->out);
    spng_ctx_free(png);
    if (code && starved) return fault_memory(w->fault, tensor_bytes(image.x));
    return !code || fault_set(w->fault, E_INTERNAL, "save: png: %s", spng_strerror(code));
}

#else

bool png_open(struct ty_archive *a) {
    return fault_set(&a->fault, E_UNSUPPORTED,
                     "%s: is PNG, but this build is without libspng (TY_SPNG): convert it to PPM",
                     a->input->name);
}
ty_tensor *png_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault) {
    (void)a, (void)e, (void)fault;
    return NULL;
}
bool png_write(struct writing *w) {
    return fault_set(w->fault, E_UNSUPPORTED,
                     "save: png: this build is without libspng (TY_SPNG): write PPM, or a plot as SVG");
}
#endif
