/*
 * JPEG (ITU-T T.81) by libjpeg-turbo: baseline and progressive, read only. Grey is [H, W, 1], everything else
 * RGB. CMYK becomes r = cyan * black / 255 of Adobe's values, where 255 is no ink. The orientation of Exif data
 * is applied.
 *
 * libjpeg's error handler must not return. Ours jumps back to `guarded`, over frames of libjpeg only: this is
 * the only longjmp of the library.
 */
#include "io/formats/image.h"
#include "io/formats/matches.h"

bool jpeg_matches(const uint8_t *head, size_t n) {
    return n >= 3 && head[0] == 0xff && head[1] == 0xd8 && head[2] == 0xff;
}

bool jpeg_write(struct writing *w) {
    return fault_set(w->fault, E_FILE,
                     "save: jpeg cannot be written, as it would change the elements: write png or pnm");
}

#ifdef TY_HAVE_JPEG
#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h> /* after stdio.h, which it needs */
#include <jerror.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/formats/exif.h"

enum { PIECE = 1 << 14, MOST_SCANS = 500, EXIF_MARKER = JPEG_APP0 + 1, MOST_MARKER = 0xffff };

/* State of decoding one file. */
struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf back;
    struct input *in;
    struct fault *fault;
    uint64_t at;     /* offset of the byte after the piece */
    int orientation; /* 1: upright as stored */
    ty_tensor *image;
    uint8_t piece[PIECE];
};

static struct decoder *decoder_of(j_common_ptr jpeg) { return jpeg->client_data; }

/* ---- callbacks of libjpeg ---- */

/* Set the fault from libjpeg's message and jump back to the decoder's setjmp; never returns: libjpeg's
   error handler. */
static void give_up(j_common_ptr jpeg) {
    struct decoder *d = decoder_of(jpeg);
    char words[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, words);
    if (jpeg->err->msg_code == JERR_OUT_OF_MEMORY)
        fault_memory(d->fault, PIECE);
    else
        fault_set(d->fault, E_FORMAT, "%s: is damaged: %s", d->in->name, words);
    longjmp(d->back, 1);
}

/* Return true for codes of libjpeg's warnings that do not affect pixels; after any other, libjpeg invents
   some. */
static bool is_harmless(int code) {
    return code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM ||
           code == JWRN_TOO_MUCH_DATA;
}

static void hear(j_common_ptr jpeg, int level) {
    if (level < 0 && !is_harmless(jpeg->err->msg_code)) give_up(jpeg);
}
static void print_nothing(j_common_ptr jpeg) { (void)jpeg; }

/* Limit the scans: a few bytes can encode endless scans of a large image. Sets the fault and jumps back
   above MOST_SCANS. */
static void watch(j_common_ptr jpeg) {
    struct decoder *d = decoder_of(jpeg);
    if (d->jpeg.input_scan_number <= MOST_SCANS) return;
    fault_set(d->fault, E_LIMIT, "%s: has more than %d scans", d->in->name, MOST_SCANS);
    longjmp(d->back, 1);
}

static void begin_source(j_decompress_ptr jpeg) { (void)jpeg; }

/* Read the next piece of the file for libjpeg and return TRUE: its fill_input_buffer. At the end of the
   file or on an error set the fault and jump back to the decoder's setjmp. */
static boolean fill(j_decompress_ptr jpeg) {
    struct decoder *d = decoder_of((j_common_ptr)jpeg);
    size_t got;
    if (input_read(d->in, d->at, d->piece, PIECE, &got, d->fault) && !got)
        fault_set(d->fault, E_FORMAT, "%s: is truncated: the JPEG continues after byte %llu", d->in->name,
                  (unsigned long long)d->at);
    if (d->fault->set) longjmp(d->back, 1);
    d->at += got;
    d->source.next_input_byte = d->piece;
    d->source.bytes_in_buffer = got;
    return TRUE;
}

/* Skip n bytes of the input for libjpeg, beyond the piece in memory if need be: its skip_input_data. n <= 0
   skips none. */
static void skip(j_decompress_ptr jpeg, long n) {
    struct decoder *d = decoder_of((j_common_ptr)jpeg);
    size_t all = n > 0 ? (size_t)n : 0, here = d->source.bytes_in_buffer;
    if (all > here) {
        d->at += all - here;
        all = here;
    }
    d->source.next_input_byte += all;
    d->source.bytes_in_buffer -= all;
}

/* ---- decoding ---- */

/* Run work(d) with a setjmp for libjpeg's errors. Return true if it finished; false, with the fault set, if
   it jumped back. */
static bool guarded(struct decoder *d, void (*work)(struct decoder *d)) {
    if (setjmp(d->back)) return false;
    work(d);
    return true;
}

/* Return the orientation, 1 to 8, in the Exif data of the file; 1 without it. */
static int orientation_of(const struct jpeg_decompress_struct *jpeg) {
    static const char head[6] = "Exif\0"; /* and a second zero */
    for (const struct jpeg_marker_struct *m = jpeg->marker_list; m; m = m->next)
        if (m->marker == EXIF_MARKER && m->data_length >= sizeof head && !memcmp(m->data, head, sizeof head))
            return exif_orientation(m->data + sizeof head, m->data_length - sizeof head);
    return 1;
}

/* Read the header into d->jpeg and choose the output colours: grey, RGB, or CMYK for four inks. It is work
   for `guarded`, so errors jump back. */
static void read_head(struct decoder *d) {
    jpeg_create_decompress(&d->jpeg);
    d->jpeg.src = &d->source;
    d->jpeg.progress = &d->progress;
    jpeg_save_markers(&d->jpeg, EXIF_MARKER, MOST_MARKER);
    jpeg_read_header(&d->jpeg, TRUE);
    bool grey = d->jpeg.num_components == 1, inks = d->jpeg.num_components == 4;
    d->jpeg.out_color_space = grey ? JCS_GRAYSCALE : inks ? JCS_CMYK : JCS_RGB;
}

/* Convert a row of `width` pixels from CMYK, four bytes each, to RGB, three bytes each. `adobe`: inks are
   stored inverted. The rows must not overlap. */
static void mix_inks(uint8_t *rgb, const uint8_t *cmyk, uint32_t width, bool adobe) {
    for (uint32_t i = 0; i < width; i++, rgb += 3, cmyk += 4)
        for (int k = 0; k < 3; k++) {
            int ink = adobe ? cmyk[k] : 255 - cmyk[k], black = adobe ? cmyk[3] : 255 - cmyk[3];
            rgb[k] = (uint8_t)((ink * black + 127) / 255);
        }
}

/* Read all rows into the tensor d->image, inks as RGB. It is work for `guarded`, so errors jump back. */
static void read_rows(struct decoder *d) {
    struct jpeg_decompress_struct *j = &d->jpeg;
    jpeg_start_decompress(j);
    bool inks = j->output_components == 4;
    uint32_t width = j->output_width;
    size_t row = (size_t)width * (size_t)(inks ? 3 : j->output_components);
    JSAMPARRAY line = inks ? j->mem->alloc_sarray((j_common_ptr)j, JPOOL_IMAGE, 4 * width, 1) : NULL;
    for (uint8_t *to = tensor_data(d->image); j->output_scanline < j->output_height; to += row) {
        JSAMPROW own = to;
        jpeg_read_scanlines(j, inks ? line : &own, 1);
        if (inks) mix_inks(to, line[0], width, j->saw_Adobe_marker);
    }
    jpeg_finish_decompress(j);
}

static void end(struct decoder *d) {
    jpeg_destroy_decompress(&d->jpeg);
    mem_free(d);
}

/* Create a decoder for the archive's file and read the header; the caller frees it with `end`. NULL sets
   the fault. */
static struct decoder *begin(struct ty_archive *a, struct fault *fault) {
    struct decoder *d = mem_alloc(sizeof *d);
    if (!d) {
        fault_memory(fault, sizeof *d);
        return NULL;
    }
    d->in = a->input;
    d->fault = fault;
    d->jpeg.err = jpeg_std_error(&d->errors);
    d->errors.error_exit = give_up;
    d->errors.emit_message = hear;
    d->errors.output_message = print_nothing;
    d->jpeg.client_data = d;
    d->progress.progress_monitor = watch;
    d->source = (struct jpeg_source_mgr){.init_source = begin_source,
                                         .fill_input_buffer = fill,
                                         .skip_input_data = skip,
                                         .resync_to_restart = jpeg_resync_to_restart,
                                         .term_source = begin_source};
    bool read = guarded(d, read_head);
    d->orientation = read && !a->options.unturned ? orientation_of(&d->jpeg) : 1;
    if (read) return d;
    end(d);
    return NULL;
}

static int channels(const struct decoder *d) { return d->jpeg.num_components == 1 ? 1 : 3; }

bool jpeg_open(struct ty_archive *a) {
    struct decoder *d = begin(a, &a->fault);
    if (!d) return false;
    bool swapped = exif_swaps(d->orientation);
    uint64_t height = d->jpeg.image_height, width = d->jpeg.image_width;
    bool ok = image_entry(a, swapped ? width : height, swapped ? height : width, channels(d), 8);
    end(d);
    return ok;
}

/* Return a new uninitialised value with the stored shape of entry e, as before turning it upright; the
   caller owns it. NULL sets the fault, also if the file has changed since the entry was read. */
static ty_tensor *make_stored(const struct decoder *d, const struct archive_entry *e) {
    bool swapped = exif_swaps(d->orientation);
    int64_t shape[] = {e->shape[swapped], e->shape[!swapped], e->shape[2]};
    struct archive_entry stored = *e;
    stored.shape = shape;
    if (shape[0] == d->jpeg.image_height && shape[1] == d->jpeg.image_width && shape[2] == channels(d))
        return image_new(&stored, d->fault);
    fault_set(d->fault, E_FILE, "%s: changed while it was read", d->in->name);
    return NULL;
}

ty_tensor *jpeg_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault) {
    struct decoder *d = begin(a, fault);
    if (!d) return NULL;
    int orientation = d->orientation;
    ty_tensor *x = d->image = make_stored(d, e);
    bool ok = x && guarded(d, read_rows);
    end(d);
    if (ok) return exif_turned(tensor_return(x), orientation);
    if (x) tensor_free_one_reference(x);
    return NULL;
}

#else

bool jpeg_open(struct ty_archive *a) {
    return fault_set(&a->fault, E_UNSUPPORTED,
                     "%s: is JPEG, but this build is without libjpeg (TY_JPEG): convert it to PPM",
                     a->input->name);
}
ty_tensor *jpeg_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault) {
    (void)a, (void)e, (void)fault;
    return NULL;
}
#endif
