/*
 * Reader of safetensors files. A checksum is verified before anything else is used, and a damaged mark does not
 * count as a missing one. A checkpoint must have a checksum.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "io/formats/matches.h"
#include "io/foreign.h"
#include "io/formats/safetensors.h"

enum { PIECE = 1 << 20, MARK = sizeof SAFETENSORS_CHECKSUM - 1 };

bool safetensors_matches(const uint8_t *head, size_t n) {
    uint64_t length = 0;
    for (int i = 0; i < SAFETENSORS_PREFIX && n > SAFETENSORS_PREFIX; i++)
        length |= (uint64_t)head[i] << 8 * i;
    return length >= 2 && length <= SAFETENSORS_MOST_HEADER && head[SAFETENSORS_PREFIX] == '{';
}

/* Return false, with the fault set, if the first bytes are those of another format. */
static bool refuse_other(struct ty_archive *a, const uint8_t *head, size_t n) {
    const struct format *other = format_of_bytes(head, n);
    if (!foreign_check(a->input, true, &a->fault)) return false;
    return !other || other == a->format ||
           fault_set(&a->fault, E_FORMAT,
                     "%s: is a file of the format %s, not of safetensors, as checkpoints and graphs are",
                     a->input->name, other->name);
}

/* Set *length to the declared length of the header, after checking it against the file; false sets the
   fault. */
static bool header_length(struct ty_archive *a, size_t *length) {
    uint8_t prefix[SAFETENSORS_PREFIX + 1];
    struct input *in = a->input;
    size_t got;
    uint64_t declared = 0;
    if (!input_read(in, 0, prefix, sizeof prefix, &got, &a->fault)) return false;
    if (!got) return fault_set(&a->fault, E_FORMAT, "%s: the file is empty", in->name);
    if (got < SAFETENSORS_PREFIX)
        return fault_set(&a->fault, E_FORMAT,
                         "%s: is truncated: %zu bytes are too few for a safetensors file", in->name, got);
    for (int i = 0; i < SAFETENSORS_PREFIX; i++) declared |= (uint64_t)prefix[i] << 8 * i;
    bool fits = declared && declared <= in->size - SAFETENSORS_PREFIX && prefix[SAFETENSORS_PREFIX] == '{';
    if (!fits && !refuse_other(a, prefix, got)) return false;
    if (declared > SAFETENSORS_MOST_HEADER)
        return fault_set(&a->fault, E_LIMIT,
                         "%s: is not a safetensors file: a header of %llu bytes is more than the allowed %d",
                         in->name, (unsigned long long)declared, SAFETENSORS_MOST_HEADER);
    if (declared > in->size - SAFETENSORS_PREFIX)
        return fault_set(&a->fault, E_FORMAT, "%s: is truncated: the header has %llu bytes, %llu follow",
                         in->name, (unsigned long long)declared,
                         (unsigned long long)(in->size - SAFETENSORS_PREFIX));
    *length = (size_t)declared;
    if (declared > 0 && prefix[SAFETENSORS_PREFIX] == '{') return true;
    return fault_set(&a->fault, E_FORMAT, "%s: is not a safetensors file: its header does not begin with {",
                     in->name);
}

/* Add bytes from..to (to excluded) of the file to the checksum crc; `piece` is scratch of PIECE bytes.
   False sets the fault. */
static bool add_range(struct ty_archive *a, struct crc *crc, uint8_t *piece, uint64_t from, uint64_t to) {
    for (size_t n; from < to; from += n) {
        n = to - from < PIECE ? (size_t)(to - from) : PIECE;
        if (!input_exactly(a->input, from, piece, n, "data", &a->fault)) return false;
        crc_add(crc, piece, n);
    }
    return true;
}

/* Compute the checksum of the whole file, reading zeros in place of the checksum's own digits, and write it
   to digits[] as hexadecimal text. False sets the fault. */
static bool compute_sum(struct ty_archive *a, char digits[SAFETENSORS_DIGITS + 1]) {
    const uint64_t at = SAFETENSORS_PREFIX + MARK;
    struct crc *crc = mem_alloc(sizeof *crc + PIECE);
    if (!crc) return fault_memory(&a->fault, sizeof *crc + PIECE);
    uint8_t *piece = (uint8_t *)(crc + 1);
    crc_start(crc, CRC_CASTAGNOLI);
    bool ok = add_range(a, crc, piece, 0, at);
    crc_add(crc, "00000000", SAFETENSORS_DIGITS);
    ok = ok && add_range(a, crc, piece, at + SAFETENSORS_DIGITS, a->input->size);
    snprintf(digits, SAFETENSORS_DIGITS + 1, "%08" PRIx32, crc_value(crc));
    mem_free(crc);
    return ok;
}

/* Return the number of bytes in which the start of the header, json[0..length), differs from the mark of
   our checksum; MARK if the header is too short for it. */
static int count_differences(const char *json, size_t length) {
    int n = 0;
    if (length < MARK + SAFETENSORS_DIGITS) return MARK;
    for (int i = 0; i < MARK; i++) n += json[i] != SAFETENSORS_CHECKSUM[i];
    return n;
}

/* Verify the checksum in the header, json[0..length). True without a checksum, unless a->checked demands
   one. False sets the fault. Marks of other programs differ from ours in six bytes or more ("sha256:"),
   so fewer differences mean damage. */
static bool check_sum(struct ty_archive *a, const char *json, size_t length) {
    enum { MOST_DAMAGE = 4 };
    char digits[SAFETENSORS_DIGITS + 1];
    int differences = count_differences(json, length);
    if (differences > MOST_DAMAGE && !a->checked) return true;
    if (differences > MOST_DAMAGE)
        return fault_set(&a->fault, E_FORMAT, "%s: has no checksum: it is damaged, or not a checkpoint",
                         a->input->name);
    if (differences)
        return fault_set(&a->fault, E_FORMAT,
                         "%s: the mark of its checksum is wrong in %d bytes: the file is damaged",
                         a->input->name, differences);
    if (!compute_sum(a, digits)) return false;
    if (memcmp(json + MARK, digits, SAFETENSORS_DIGITS) == 0)
        return memcpy(a->sum, digits, sizeof digits), true;
    return fault_set(&a->fault, E_FORMAT, "%s: checksum mismatch: the file is damaged", a->input->name);
}

bool safetensors_unchanged(struct ty_archive *a, struct fault *fault) {
    char digits[SAFETENSORS_DIGITS + 1];
    if (!compute_sum(a, digits)) {
        fault_copy(fault, &a->fault);
        fault_clear(&a->fault);
        return false;
    }
    return !strcmp(a->sum, digits) ||
           fault_set(fault, E_FILE, "%s: was changed while it was read; load it again", a->input->name);
}

/* Read the header of `length` bytes into json[], check it, and fill a's index; false sets a's fault. */
static bool read_header(struct ty_archive *a, char *json, size_t length) {
    struct input *in = a->input;
    uint64_t data = SAFETENSORS_PREFIX + (uint64_t)length;
    if (!input_exactly(in, SAFETENSORS_PREFIX, json, length, "header", &a->fault)) return false;
    if (!check_sum(a, json, length)) return false;
    if (!safetensors_parse(&a->index, in->name, json, length, in->size - data, unpack_limit(in, &a->options),
                           &a->arena, &a->fault))
        return false;
    for (int i = 0; i < a->index.count; i++) {
        struct archive_entry *e = &a->index.entries[i];
        e->begin += data;
        e->end += data;
        e->swapped = !machine_is_little_endian() && dtype_table[e->dtype].size > 1;
    }
    return true;
}

bool safetensors_open(struct ty_archive *a) {
    size_t length = 0;
    if (!a->input->exact)
        return fault_set(&a->fault, E_UNSUPPORTED,
                         "%s: safetensors files are not read through gzip: unpack it first", a->input->name);
    if (!header_length(a, &length)) return false;
    char *json = mem_alloc(length + 1);
    if (!json) return fault_memory(&a->fault, length);
    bool ok = read_header(a, json, length);
    mem_free(json);
    return ok;
}
