/*
 * Sequential writer of zip files. The packed size of a deflated member follows it in a data descriptor (APPNOTE
 * 4.3.9). Dates are the format's first day, so equal tensors give equal files.
 */
#include <string.h>
#include "array/tensor.h"
#include "io/formats/zip.h"

enum {
    VERSION = 20,
    VERSION_64 = 45,
    DESCRIPTOR = 8,
    UTF8 = 0x800,
    FIRST_DAY = 0x21,
    STORED = 0,
    DEFLATED = 8
};

/* A member that is being written. */
struct member {
    const char *name;
    uint64_t unpacked, packed, place;
    uint32_t crc;
    bool deflated, large; /* 64-bit sizes */
};

static void put(struct text *t, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) text_add_bytes(t, &(uint8_t){(uint8_t)(value >> 8 * i)}, 1);
}

static bool is_ascii(const char *name) {
    while (*name)
        if (*name++ & 0x80) return false;
    return true;
}

/* Append the fields of m that local header and directory entry share, from the version to the lengths of
   name and extra field (`extra` bytes). If `known` is false, the checksum is written as 0. */
static void put_common(struct text *t, const struct member *m, bool known, uint64_t packed, uint64_t unpacked,
                       int extra) {
    put(t, m->large ? VERSION_64 : VERSION, 2);
    put(t, (uint64_t)((m->deflated ? DESCRIPTOR : 0) | (is_ascii(m->name) ? 0 : UTF8)), 2);
    put(t, m->deflated ? DEFLATED : STORED, 2);
    put(t, 0, 2);
    put(t, FIRST_DAY, 2);
    put(t, known ? m->crc : 0, 4);
    put(t, packed, 4);
    put(t, unpacked, 4);
    put(t, strlen(m->name), 2);
    put(t, (uint64_t)extra, 2);
}

/* Append the local header of m to t. Large members have both sizes in the extra field; for a deflated
   member, whose sizes are not known yet, sizes and checksum are 0. */
static void put_local(struct text *t, const struct member *m) {
    bool known = !m->deflated;
    uint64_t size = known ? m->unpacked : 0, field = m->large ? ZIP_LARGE : size;
    put(t, 0x04034b50, 4);
    put_common(t, m, known, field, field, m->large ? 20 : 0);
    text_add(t, "%s", m->name);
    if (!m->large) return;
    put(t, 1, 2);
    put(t, 16, 2);
    put(t, size, 8);
    put(t, size, 8);
}

/* Append the directory entry of m to z's directory, with a zip64 field if its sizes or its offset are
   large. */
static void put_entry(struct zip_writer *z, const struct member *m) {
    struct text *t = &z->directory;
    bool far = m->place >= z->large;
    int extra = (m->large ? 16 : 0) + (far ? 8 : 0);
    put(t, 0x02014b50, 4);
    put(t, m->large || far ? VERSION_64 : VERSION, 2);
    put_common(t, m, true, m->large ? ZIP_LARGE : m->packed, m->large ? ZIP_LARGE : m->unpacked,
               extra ? extra + 4 : 0);
    text_pad(t, 0, 2 + 2 + 2 + 4); /* comment, disk, attributes */
    put(t, far ? ZIP_LARGE : m->place, 4);
    text_add(t, "%s", m->name);
    if (!extra) return;
    put(t, 1, 2);
    put(t, (uint64_t)extra, 2);
    if (m->large) put(t, m->unpacked, 8);
    if (m->large) put(t, m->packed, 8);
    if (far) put(t, m->place, 8);
}

/* Write the bytes, then the elements, of a member to `out`, deflated if requested; false sets the output's
   fault. */
static bool write_packed(struct output *out, const struct zip_content *content, bool deflate) {
    struct output deflater, *to = deflate ? &deflater : out;
    if (deflate && !output_deflate(&deflater, out, false)) return false;
    bool ok = output_write(to, content->bytes, content->count) &&
              (!content->elements || elements_write(to, content->elements, false));
    if (deflate && !output_deflate_end(&deflater)) ok = false;
    return ok;
}

/* Write a member: local header, content, and for a deflated one a descriptor of its sizes. Sets m->place
   and m->packed. False sets the fault. */
static bool write_member(struct zip_writer *z, struct member *m, const struct zip_content *content) {
    struct text t = {0};
    m->place = z->out->position;
    put_local(&t, m);
    bool ok = output_text(z->out, &t);
    uint64_t begin = z->out->position;
    ok = ok && write_packed(z->out, content, m->deflated);
    m->packed = z->out->position - begin;
    if (m->deflated) {
        put(&t, 0x08074b50, 4);
        put(&t, m->crc, 4);
        put(&t, m->packed, m->large ? 8 : 4);
        put(&t, m->unpacked, m->large ? 8 : 4);
    }
    ok = ok && output_text(z->out, &t);
    text_drop(&t);
    return ok;
}

void zip_start(struct zip_writer *z, struct output *out, uint64_t large) {
    *z = (struct zip_writer){.out = out, .large = large};
}

bool zip_add(struct zip_writer *z, const char *name, const struct zip_content *content, bool deflate) {
    struct crc crc;
    struct member m = {.name = name, .deflated = deflate, .unpacked = content->count};
    const ty_tensor *x = content->elements;
    if (strlen(name) > UINT16_MAX)
        return fault_set(z->out->fault, E_LIMIT, "save: \"%.100s...\" is longer than a zip allows", name);
    crc_start(&crc, CRC_ZIP);
    crc_add(&crc, content->bytes, content->count);
    if (x) {
        m.unpacked += tensor_bytes(x);
        if (!elements_checksum(&crc, x, false, z->out)) return false;
    }
    m.crc = crc_value(&crc);
    m.large = m.unpacked + m.unpacked / 1024 >= z->large; /* incompressible data grows a little */
    if (!write_member(z, &m, content)) return false;
    put_entry(z, &m);
    z->count++;
    return true;
}

bool zip_end(struct zip_writer *z) {
    struct text *t = &z->directory;
    uint64_t begin = z->out->position, size = t->length, n = (uint64_t)z->count;
    bool large = begin >= z->large || size >= z->large || n >= 0xffff;
    if (large) {
        put(t, 0x06064b50, 4);
        put(t, 44, 8);
        put(t, VERSION_64, 2);
        put(t, VERSION_64, 2);
        put(t, 0, 8); /* disk numbers */
        put(t, n, 8);
        put(t, n, 8);
        put(t, size, 8);
        put(t, begin, 8);
        put(t, 0x07064b50, 4);
        put(t, 0, 4);
        put(t, begin + size, 8);
        put(t, 1, 4);
    }
    put(t, 0x06054b50, 4);
    put(t, 0, 4);
    put(t, large ? 0xffff : n, 2);
    put(t, large ? 0xffff : n, 2);
    put(t, large ? ZIP_LARGE : size, 4);
    put(t, large ? ZIP_LARGE : begin, 4);
    put(t, 0, 2);
    return output_text(z->out, t);
}

void zip_drop(struct zip_writer *z) { text_drop(&z->directory); }
