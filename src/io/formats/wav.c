/*
 * WAV: sound as samples.  RIFF and RF64 are little-endian, RIFX is big-endian: "RIFF", a size, "WAVE", then chunks of four
 * letters, a size and as many bytes, padded to even ones (IBM and Microsoft, "Multimedia programming interface and data
 * specifications 1.0", 1991).  "fmt " describes the samples of "data".  Sizes of RF64 beyond 32 bits are in "ds64" (EBU
 * Tech 3306).  Samples of 24 bits are read as the upper bits of i32, as SciPy reads them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "array/tensor.h"
#include "base/context/stop.h"
#include "io/formats/image.h"
#include "io/formats/matches.h"

enum {
    HEAD = 12,       /* bytes before the first chunk */
    CHUNK = 8,       /* bytes before the contents of a chunk */
    FORM = 40,       /* bytes of the longest "fmt " */
    PLAIN_FORM = 16, /* bytes of the shortest */
    LONG_SIZES = 28, /* bytes of "ds64" */
    PCM = 1,
    FLOATS = 3,
    EXTENSIBLE = 0xfffe, /* the coding follows behind the other fields */
    PACKED = 3,          /* bytes of a sample of 24 bits */
    PIECE = 1 << 12,     /* samples of 24 bits unpacked at once */
    UNKNOWN_SIZE = -1    /* of data that were written to a pipe */
};

/* Description of a file's samples. */
struct wav {
    bool big;   /* numbers are big-endian */
    bool known; /* "fmt " was read */
    int coding; /* PCM or FLOATS */
    int channels;
    int bits;      /* of a sample */
    int bytes;     /* of a sample */
    uint32_t rate; /* frames a second */
    uint64_t data; /* size in "ds64"; 0: not given */
};

bool wav_matches(const uint8_t *head, size_t n) {
    bool riff =
        n >= HEAD && (!memcmp(head, "RIFF", 4) || !memcmp(head, "RIFX", 4) || !memcmp(head, "RF64", 4));
    return riff && !memcmp(head + 8, "WAVE", 4);
}

/* ---- reading ---- */

/* Return the number of n bytes at `at`. */
static uint64_t number_at(const struct wav *w, const uint8_t *at, int n) {
    uint64_t value = 0;
    for (int i = 0; i < n; i++) value = value << 8 | at[w->big ? i : n - 1 - i];
    return value;
}

static const char *coding_name(int coding) {
    static const struct {
        int coding;
        const char *name;
    } names[] = {{2, "ADPCM"},        {6, "A-law"},  {7, "mu-law"},
                 {0x11, "IMA ADPCM"}, {0x31, "GSM"}, {0x55, "MP3"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].coding == coding) return names[i].name;
    return "unknown";
}

/* Return the dtype of samples; TY_DTYPES if there is none. */
static ty_dtype dtype_of(const struct wav *w) {
    static const ty_dtype whole[] = {TY_U8, TY_I16, TY_I32, TY_I32, TY_DTYPES, TY_DTYPES, TY_DTYPES, TY_I64};
    if (w->coding == FLOATS && w->bits != 8 * w->bytes) return TY_DTYPES;
    if (w->coding == FLOATS) return w->bits == 32 ? TY_F32 : w->bits == 64 ? TY_F64 : TY_DTYPES;
    return w->bits > 0 ? whole[w->bytes - 1] : TY_DTYPES;
}

/* Read the n bytes of "fmt " at `at`; false sets a's fault. */
static bool read_form(struct ty_archive *a, struct wav *w, uint64_t at, uint64_t n) {
    uint8_t form[FORM] = {0};
    const char *name = a->input->name;
    if (n < PLAIN_FORM)
        return fault_set(&a->fault, E_FORMAT, "%s: \"fmt \" has %" PRIu64 " bytes; expected %d or more", name,
                         n, PLAIN_FORM);
    if (!input_exactly(a->input, at, form, n < FORM ? (size_t)n : FORM, "\"fmt \"", &a->fault)) return false;
    w->known = true;
    w->coding = (int)number_at(w, form, 2);
    w->channels = (int)number_at(w, form + 2, 2);
    w->rate = (uint32_t)number_at(w, form + 4, 4);
    w->bits = (int)number_at(w, form + 14, 2);
    int frame = (int)number_at(w, form + 12, 2);
    if (w->coding == EXTENSIBLE && n >= FORM) w->coding = (int)number_at(w, form + 24, 2);
    if (w->coding != PCM && w->coding != FLOATS)
        return fault_set(&a->fault, E_FORMAT,
                         "%s: has the coding %d (%s); expected 1 (PCM) or 3 (float): ffmpeg -i FILE -c:a "
                         "pcm_s16le OUT.wav converts it",
                         name, w->coding, coding_name(w->coding));
    if (!w->channels || frame % w->channels)
        return fault_set(&a->fault, E_FORMAT, "%s: has %d channels in frames of %d bytes", name, w->channels,
                         frame);
    w->bytes = frame / w->channels;
    if (w->bytes < 1 || w->bytes > 8 || w->bits > 8 * w->bytes || dtype_of(w) == TY_DTYPES)
        return fault_set(
            &a->fault, E_FORMAT,
            "%s: has samples of %d bits in %d bytes; expected 8, 16, 24, 32 or 64 bits, floats of "
            "32 or 64",
            name, w->bits, w->bytes);
    return true;
}

/* Read the sizes of "ds64" at `at`, n bytes; false sets a's fault. */
static bool read_sizes(struct ty_archive *a, struct wav *w, uint64_t at, uint64_t n) {
    uint8_t sizes[16];
    if (n < sizeof sizes)
        return fault_set(&a->fault, E_FORMAT, "%s: \"ds64\" has %" PRIu64 " bytes; expected %d",
                         a->input->name, n, LONG_SIZES);
    if (!input_exactly(a->input, at, sizes, sizeof sizes, "\"ds64\"", &a->fault)) return false;
    w->data = number_at(w, sizes + 8, 8);
    return true;
}

/* Find the data behind the other chunks and read those that describe them.  Set *at and *n to the place and size of the
   data; false sets a's fault. */
static bool find_data(struct ty_archive *a, struct wav *w, uint64_t *at, uint64_t *n) {
    uint8_t head[CHUNK];
    size_t got;
    for (*at = HEAD;; *at += *n + (*n & 1)) {
        if (!stop_check(&a->fault) || !input_read(a->input, *at, head, sizeof head, &got, &a->fault))
            return false;
        if (got < sizeof head)
            return fault_set(&a->fault, E_FORMAT, "%s: is truncated: the chunk \"data\" is missing",
                             a->input->name);
        *n = number_at(w, head + 4, 4);
        *at += CHUNK;
        if (!memcmp(head, "data", 4)) break;
        if (!memcmp(head, "fmt ", 4) && !read_form(a, w, *at, *n)) return false;
        if (!memcmp(head, "ds64", 4) && !read_sizes(a, w, *at, *n)) return false;
    }
    if (!w->known)
        return fault_set(&a->fault, E_FORMAT, "%s: has no chunk \"fmt \" before \"data\"", a->input->name);
    if (*n == (uint32_t)UNKNOWN_SIZE && w->data)
        *n = w->data;
    else if (*n == (uint32_t)UNKNOWN_SIZE && a->input->exact && a->input->size > *at)
        *n = a->input->size - *at;
    return true;
}

/* Add the text `key` with a number; false without memory, with a's fault set. */
static bool add_text(struct ty_archive *a, const char *key, uint32_t number) {
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%" PRIu32, number);
    const char *value = archive_text(a, digits, (size_t)n);
    if (value) a->index.pairs[a->index.npairs++] = (struct archive_pair){key, value};
    return value;
}

/* Compare the n bytes of data with the bytes that the input has; false sets a's fault. */
static bool check_sizes(struct ty_archive *a, struct archive_entry *e, const struct wav *w, uint64_t n) {
    uint64_t frame = (uint64_t)w->bytes * (uint64_t)w->channels;
    int64_t shape[] = {(int64_t)(n / frame), w->channels}, size, all = (int64_t)n;
    struct archive_entry bytes = *e;
    if (n % frame || n > INT64_MAX)
        return fault_set(&a->fault, E_FORMAT,
                         "%s: has %" PRIu64 " bytes of data, no multiple of its frames of %" PRIu64,
                         a->input->name, n, frame);
    uint64_t left = a->input->size > e->begin ? a->input->size - e->begin : 0;
    if (a->input->exact && n > left)
        return fault_set(&a->fault, E_FORMAT,
                         "%s: is truncated: its header declares %" PRIu64 " bytes of data, but %" PRIu64
                         " follow; ffmpeg -i FILE -c copy OUT.wav keeps them",
                         a->input->name, n, left);
    bytes.dtype = TY_U8;
    bytes.rank = 1;
    bytes.shape = &all;
    if (!elements_check(a->input, &bytes, false, &a->options, &a->fault)) return false;
    e->end = bytes.end;
    int rank = w->channels == 1 ? 1 : 2;
    if (!shape_check(rank, shape, dtype_table[e->dtype].size, &size))
        return fault_set(&a->fault, E_MEMORY, "%s: its sizes exceed memory", a->input->name);
    return entry_shape(e, &a->arena, rank, shape, &a->fault);
}

bool wav_open(struct ty_archive *a) {
    uint8_t head[HEAD];
    uint64_t n = 0;
    struct archive_entry *e = archive_single(a);
    if (!e || !input_exactly(a->input, 0, head, sizeof head, "header", &a->fault)) return false;
    if (!wav_matches(head, sizeof head))
        return fault_set(&a->fault, E_FORMAT,
                         "%s: is not a WAV file: expected RIFF, RIFX or RF64, a size, and WAVE",
                         a->input->name);
    struct wav w = {.big = head[3] == 'X'};
    if (!find_data(a, &w, &e->begin, &n)) return false;
    e->dtype = dtype_of(&w);
    e->swapped = w.big == machine_is_little_endian() && dtype_table[e->dtype].size > 1;
    e->open_end = true;
    a->index.pairs = arena_array(&a->arena, 2, sizeof *a->index.pairs);
    if (!a->index.pairs) return fault_memory(&a->fault, 2 * sizeof *a->index.pairs);
    return check_sizes(a, e, &w, n) && add_text(a, "rate", w.rate) && add_text(a, "bits", (uint32_t)w.bits);
}

/* Read `count` samples of 24 bits from e->begin on into `out`, as the upper bits of i32; false sets the fault. */
static bool unpack(struct input *in, const struct archive_entry *e, int32_t *out, int64_t count,
                   struct fault *fault) {
    uint8_t piece[PACKED * PIECE];
    bool big = e->swapped == machine_is_little_endian();
    uint64_t at = e->begin;
    for (int64_t done = 0, n; done < count; done += n, at += PACKED * (uint64_t)n) {
        n = count - done < PIECE ? count - done : PIECE;
        if (!stop_check(fault) || !input_exactly(in, at, piece, PACKED * (size_t)n, "data", fault))
            return false;
        for (int64_t i = 0; i < n; i++) {
            const uint8_t *b = piece + PACKED * i;
            uint32_t bits =
                (uint32_t)b[big ? 0 : 2] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[big ? 2 : 0] << 8;
            memcpy(&out[done + i], &bits, sizeof bits);
        }
    }
    return true;
}

ty_tensor *wav_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault) {
    int64_t count = shape_size(e->rank, e->shape);
    if (e->end - e->begin != PACKED * (uint64_t)count || e->dtype != TY_I32)
        return archive_get_plain(a, e, fault);
    ty_tensor *x = image_new(e, fault);
    if (!x) return NULL;
    if (unpack(a->input, e, tensor_data(x), count, fault)) return tensor_return(x);
    tensor_free_one_reference(x);
    return NULL;
}

/* ---- writing ---- */

/* Append the n lowest bytes of a number, the lowest first. */
static void put(struct text *t, uint64_t number, int n) {
    for (int i = 0; i < n; i++) text_add_bytes(t, &(char){(char)(number >> 8 * i)}, 1);
}

/* Set *w to the form of the only tensor; false sets the fault. */
static bool form_of(struct writing *o, struct wav *w) {
    char form[128];
    const ty_tensor *x = o->tensors[0];
    int64_t rate = o->options->rate, bits = o->options->bits;
    bool known = x->dtype == TY_U8 || x->dtype == TY_I16 || x->dtype == TY_I32 || x->dtype == TY_F32 ||
                 x->dtype == TY_F64;
    int rank = x->layout.rank, width = (int)dtype_table[x->dtype].size;
    if (!known || rank < 1 || rank > 2)
        return fault_set(
            o->fault, E_DTYPE,
            "save: wav holds u8, i16, i32, f32 or f64 [frames] or [frames, channels], not %s: cast or "
            "reshape",
            tensor_describe_into(form, sizeof form, x));
    if (bits && bits != 8 * width && !(bits == 8 * PACKED && x->dtype == TY_I32))
        return fault_set(o->fault, E_ARGUMENT, "save: samples of %" PRId64 " bits from %s; expected %d%s",
                         bits, ty_dtype_name(x->dtype), 8 * width, x->dtype == TY_I32 ? " or 24" : "");
    w->bytes = bits ? (int)bits / 8 : width;
    int64_t channels = rank == 2 ? x->layout.shape[1] : 1;
    if (channels < 1 || channels * w->bytes > UINT16_MAX)
        return fault_set(o->fault, E_SHAPE, "save: %" PRId64 " channels; expected 1 to %d [frames, channels]",
                         channels, UINT16_MAX / w->bytes);
    if (rate < 1 || rate > UINT32_MAX / (channels * w->bytes))
        return fault_set(o->fault, E_ARGUMENT,
                         "save: wav needs the rate, 1 to %" PRId64 " frames a second, found %" PRId64
                         ": .rate of ty_file_options, or --rate of tyto convert",
                         UINT32_MAX / (channels * w->bytes), rate);
    w->channels = (int)channels;
    w->rate = (uint32_t)rate;
    w->coding = dtype_is(x->dtype, CLASS_FLOAT) ? FLOATS : PCM;
    return true;
}

/* Append the header of `frames` frames: RF64 if the sizes exceed 32 bits. */
static void add_header(struct text *t, const struct wav *w, uint64_t frames) {
    bool floats = w->coding == FLOATS;
    uint32_t frame = (uint32_t)(w->bytes * w->channels), form = PLAIN_FORM + 2 * floats;
    uint64_t bytes = frames * frame;
    uint64_t size = HEAD - CHUNK + CHUNK + form + (floats ? CHUNK + 4 : 0) + CHUNK + bytes + (bytes & 1);
    bool large = size > UINT32_MAX;
    text_add(t, large ? "RF64" : "RIFF");
    put(t, large ? UINT32_MAX : size, 4);
    text_add(t, "WAVE");
    if (large) {
        text_add(t, "ds64");
        put(t, LONG_SIZES, 4);
        put(t, size + CHUNK + LONG_SIZES, 8);
        put(t, bytes, 8);
        put(t, frames, 8);
        put(t, 0, 4);
    }
    text_add(t, "fmt ");
    put(t, form, 4);
    put(t, (uint64_t)w->coding, 2);
    put(t, (uint64_t)w->channels, 2);
    put(t, w->rate, 4);
    put(t, (uint64_t)w->rate * frame, 4);
    put(t, frame, 2);
    put(t, 8 * (uint64_t)w->bytes, 2);
    if (floats) {
        put(t, 0, 2);
        text_add(t, "fact");
        put(t, 4, 4);
        put(t, frames > UINT32_MAX ? UINT32_MAX : frames, 4);
    }
    text_add(t, "data");
    put(t, large ? UINT32_MAX : bytes, 4);
}

/* Write the upper 24 bits of the samples; false after an error of the output. */
static bool write_packed(struct output *out, const ty_tensor *x) {
    const int32_t *samples = tensor_data(x);
    int64_t count = tensor_size(x);
    uint8_t piece[PACKED * PIECE];
    for (int64_t done = 0, n; done < count; done += n) {
        n = count - done < PIECE ? count - done : PIECE;
        for (int64_t i = 0; i < n; i++)
            for (int k = 0; k < PACKED; k++)
                piece[PACKED * i + k] = (uint8_t)((uint32_t)samples[done + i] >> 8 * (k + 1));
        if (!output_write(out, piece, PACKED * (size_t)n)) return false;
    }
    return true;
}

bool wav_write(struct writing *o) {
    struct wav w = {0};
    struct text head = {0};
    if (!writing_single(o, "wav") || !form_of(o, &w)) return false;
    const ty_tensor *x = o->tensors[0];
    uint64_t bytes = (uint64_t)tensor_size(x) * (uint64_t)w.bytes;
    add_header(&head, &w, bytes / (uint64_t)(w.bytes * w.channels));
    bool well = output_text(o->out, &head);
    text_drop(&head);
    if (!well) return false;
    well = w.bytes == PACKED ? write_packed(o->out, x) : elements_write(o->out, x, false);
    return well && (!(bytes & 1) || output_write(o->out, "", 1));
}
