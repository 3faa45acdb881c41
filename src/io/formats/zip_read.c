/* Reader of the central directory of a zip file, and of its members. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/order.h"
#include "io/formats/zip.h"

enum {
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    MOST_COMMENT = 65535,
    ZIP64_FIELD = 1,
    STORED = 0,
    DEFLATED = 8,
    ENCRYPTED = 1,
};
enum {
    END_MARK = 0x06054b50,
    END64_MARK = 0x06064b50,
    LOCATOR_MARK = 0x07064b50,
    ENTRY_MARK = 0x02014b50,
    LOCAL_MARK = 0x04034b50
};

static uint64_t field(const uint8_t *bytes, int n) {
    uint64_t value = 0;
    for (int i = 0; i < n; i++) value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

/* State of reading the central directory. */
struct directory {
    struct ty_archive *archive;
    struct input *in;
    struct fault *fault;
    uint64_t count, size, begin;
    uint8_t *bytes;
};

static bool damaged(struct directory *d, const char *what) {
    return fault_set(d->fault, E_FORMAT, "%s: is damaged: %s", d->in->name, what);
}

/* ---- the end of the file ---- */

/* Read the zip64 record, whose locator ends at offset `end` (excluded), and set count, size and begin of d;
   false sets the fault. */
static bool read_end64(struct directory *d, uint64_t end) {
    uint8_t locator[LOCATOR_SIZE], record[END64_SIZE];
    if (end < LOCATOR_SIZE) return damaged(d, "the zip's directory cannot be found");
    if (!input_exactly(d->in, end - LOCATOR_SIZE, locator, sizeof locator, "zip64 locator", d->fault))
        return false;
    if (field(locator, 4) != LOCATOR_MARK) return damaged(d, "the zip64 locator is missing");
    uint64_t at = field(locator + 8, 8);
    if (at > end) return damaged(d, "the zip64 record lies outside the file");
    if (!input_exactly(d->in, at, record, sizeof record, "zip64 record", d->fault)) return false;
    if (field(record, 4) != END64_MARK) return damaged(d, "the zip64 record is missing");
    d->count = field(record + 32, 8);
    d->size = field(record + 40, 8);
    d->begin = field(record + 48, 8);
    return true;
}

/* Find the end record and set d's count, size in bytes and begin (offset) of the directory; false sets the
   fault. Searches backwards, as a comment of up to 65,535 bytes may follow. */
static bool find_end(struct directory *d) {
    uint64_t most = END_SIZE + MOST_COMMENT, n = d->in->size < most ? d->in->size : most;
    if (n < END_SIZE)
        return fault_set(d->fault, E_FORMAT, "%s: is truncated: it is shorter than any zip", d->in->name);
    uint8_t *tail = mem_alloc((size_t)n);
    if (!tail) return fault_memory(d->fault, (size_t)n);
    bool ok = input_exactly(d->in, d->in->size - n, tail, (size_t)n, "zip directory", d->fault),
         found = false;
    uint64_t i = n - END_SIZE;
    for (; ok; i--) {
        found = field(tail + i, 4) == END_MARK && i + END_SIZE + field(tail + i + 20, 2) == n;
        if (found || i == 0) break;
    }
    if (ok && !found)
        ok = fault_set(d->fault, E_FORMAT, "%s: is truncated, or not a zip: its directory is not at the end",
                       d->in->name);
    if (ok && (field(tail + i + 4, 2) || field(tail + i + 6, 2)))
        ok = damaged(d, "it is one part of several");
    if (ok) {
        d->count = field(tail + i + 10, 2);
        d->size = field(tail + i + 12, 4);
        d->begin = field(tail + i + 16, 4);
        if (d->count == 0xffff || d->size == ZIP_LARGE || d->begin == ZIP_LARGE)
            ok = read_end64(d, d->in->size - n + i);
    }
    mem_free(tail);
    return ok;
}

/* ---- entries ---- */

/* Set *values[0..count), the fields whose 32 bits overflowed, in the fixed order of the format, from the
   zip64 field among the n bytes of extra fields. False sets the fault, also if count > 0 and the field
   is missing. */
static bool read_large(struct directory *d, const uint8_t *extra, uint64_t n, int count, uint64_t **values) {
    uint64_t at = 0;
    while (at + 4 <= n) {
        uint64_t id = field(extra + at, 2), size = field(extra + at + 2, 2);
        if (size > n - at - 4) break;
        for (int i = 0; id == ZIP64_FIELD && i < count; i++) {
            if (size < 8 * (uint64_t)(i + 1)) return damaged(d, "a zip64 field is too short");
            *values[i] = field(extra + at + 4 + 8 * i, 8);
        }
        if (id == ZIP64_FIELD) return true;
        at += 4 + size;
    }
    return count == 0 || damaged(d, "a zip64 field is missing");
}

/* Return true if member e, `packed` bytes whose header is at offset `place`, lies before the directory and
   its sizes are possible; else set the fault. */
static bool check_sizes(struct directory *d, struct archive_entry *e, uint64_t packed, uint64_t place) {
    if (place > d->begin || packed > d->begin - place)
        return fault_set(d->fault, E_FORMAT, "%s: member \"%.100s\" lies outside the file", d->in->name,
                         e->name);
    if (!e->deflated && packed != e->unpacked)
        return fault_set(d->fault, E_FORMAT, "%s: member \"%.100s\" is stored but its two sizes differ",
                         d->in->name, e->name);
    if (e->deflated && e->unpacked > inflate_most(packed))
        return fault_set(d->fault, E_FORMAT,
                         "%s: member \"%.100s\" claims to unpack from %" PRIu64 " bytes to %" PRIu64
                         ", more than deflate can",
                         d->in->name, e->name, packed, e->unpacked);
    return true;
}

/* Parse the directory entry at the address `at`, behind which `left` bytes exist, into *e; *used receives
   its length in bytes. e->begin is then the offset of the member's header, e->end its packed size. False
   sets the fault. */
static bool read_entry(struct directory *d, const uint8_t *at, uint64_t left, struct archive_entry *e,
                       uint64_t *used) {
    if (left < ENTRY_SIZE || field(at, 4) != ENTRY_MARK) return damaged(d, "the zip's directory ends early");
    uint64_t name = field(at + 28, 2), extra = field(at + 30, 2), comment = field(at + 32, 2);
    *used = ENTRY_SIZE + name + extra + comment;
    if (*used > left) return damaged(d, "the zip's directory ends early");
    e->name = archive_text(d->archive, (const char *)at + ENTRY_SIZE, (size_t)name);
    if (!e->name) return false;
    if (strlen(e->name) != name) return damaged(d, "the name of a member has a zero byte");
    uint64_t method = field(at + 10, 2), packed = field(at + 20, 4), place = field(at + 42, 4);
    if (field(at + 8, 2) & ENCRYPTED)
        return fault_set(d->fault, E_UNSUPPORTED, "%s: member \"%.100s\" is encrypted", d->in->name, e->name);
    if (method != STORED && method != DEFLATED)
        return fault_set(d->fault, E_UNSUPPORTED,
                         "%s: member \"%.100s\" has compression method %" PRIu64
                         "; expected 0 (stored) or 8 (deflated)",
                         d->in->name, e->name, method);
    e->deflated = method == DEFLATED;
    e->unread = true;
    e->crc = (uint32_t)field(at + 16, 4);
    e->unpacked = field(at + 24, 4);
    uint64_t *large[3];
    int n = 0;
    if (e->unpacked == ZIP_LARGE) large[n++] = &e->unpacked;
    if (packed == ZIP_LARGE) large[n++] = &packed;
    if (place == ZIP_LARGE) large[n++] = &place;
    if (!read_large(d, at + ENTRY_SIZE + name, extra, n, large) || !check_sizes(d, e, packed, place))
        return false;
    e->begin = place;
    e->end = packed; /* packed size, until read_local adds the offset */
    return true;
}

/* Set e->begin and e->end (excluded) to the packed bytes behind the member's own header. On entry they are
   that header's offset and the packed size. False sets the fault. */
static bool read_local(struct directory *d, struct archive_entry *e) {
    uint8_t local[LOCAL_SIZE];
    uint64_t packed = e->end;
    if (!input_exactly(d->in, e->begin, local, sizeof local, "member header", d->fault)) return false;
    if (field(local, 4) != LOCAL_MARK) return damaged(d, "a member's header is missing");
    e->begin += LOCAL_SIZE + field(local + 26, 2) + field(local + 28, 2);
    e->end = e->begin + packed;
    return e->end <= d->begin ||
           fault_set(d->fault, E_FORMAT, "%s: member \"%.100s\" lies outside the file", d->in->name, e->name);
}

/* Range of bytes of a member, its own header included. */
struct zip_place {
    uint64_t begin, end;
    const char *name;
};

static int by_begin(const void *left, const void *right) {
    const struct zip_place *a = left, *b = right;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Sort places[0..d->count) by offset, and return true if no members overlap; else set the fault: shared
   bytes let a small file unpack without bound (Fifield, "A better zip bomb", WOOT 2019). */
static bool check_overlaps(struct directory *d, struct zip_place *places) {
    qsort(places, (size_t)d->count, sizeof *places, by_begin);
    for (uint64_t i = 1; i < d->count; i++)
        if (places[i].begin < places[i - 1].end)
            return fault_set(d->fault, E_FORMAT, "%s: members \"%.100s\" and \"%.100s\" overlap", d->in->name,
                             places[i - 1].name, places[i].name);
    return true;
}

/* Read all d->count entries of the directory and the members' headers into the index, and set places[] to
   their byte ranges and names. False sets the fault. */
static bool read_each(struct directory *d, struct zip_place *places) {
    struct archive_index *index = &d->archive->index;
    uint64_t at = 0, used = 0;
    for (uint64_t i = 0; i < d->count; i++, at += used) {
        struct archive_entry *e = &index->entries[i];
        if (!read_entry(d, d->bytes + at, d->size - at, e, &used)) return false;
        places[i].begin = e->begin;
        if (!read_local(d, e)) return false;
        places[i].end = e->end;
        places[i].name = e->name;
        uint64_t *sum = &d->archive->unpacked;
        if (e->deflated && __builtin_add_overflow(*sum, e->unpacked, sum)) *sum = UINT64_MAX;
    }
    index->count = (int)d->count;
    return at == d->size || damaged(d, "the zip's directory continues after its last member");
}

/* Read all entries of the directory into the archive's index and check that they do not overlap; false sets
   the fault. */
static bool read_entries(struct directory *d) {
    struct archive_index *index = &d->archive->index;
    size_t n = (size_t)d->count + 1;
    struct zip_place *places = mem_array(n, sizeof *places);
    index->entries = arena_array(&d->archive->arena, n, sizeof *index->entries);
    bool ok = places && index->entries ? read_each(d, places) && check_overlaps(d, places)
                                       : fault_memory(d->fault, n * sizeof *index->entries);
    mem_free(places);
    return ok;
}

/* Return true if the names of all members differ, else set the fault: duplicates let a file show different
   contents to different readers. */
static bool check_names(struct directory *d) {
    const struct archive_index *index = &d->archive->index;
    size_t n = (size_t)index->count;
    const char **names = mem_array(n + 1, sizeof *names);
    if (!names) return fault_memory(d->fault, n * sizeof *names);
    for (size_t i = 0; i < n; i++) names[i] = index->entries[i].name;
    qsort(names, n, sizeof *names, order_texts);
    bool ok = true;
    for (size_t i = 1; ok && i < n; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            ok = fault_set(d->fault, E_FORMAT, "%s: has two members \"%.100s\"", d->in->name, names[i]);
    mem_free(names);
    return ok;
}

bool zip_open(struct ty_archive *a) {
    struct directory d = {.archive = a, .in = a->input, .fault = &a->fault};
    if (!find_end(&d)) return false;
    if (d.begin > d.in->size || d.size > d.in->size - d.begin || d.count > d.size / ENTRY_SIZE ||
        d.count > INT32_MAX)
        return damaged(&d, "the zip's directory lies outside the file");
    d.bytes = mem_alloc((size_t)d.size);
    if (!d.bytes) return fault_memory(&a->fault, (size_t)d.size);
    bool ok = input_exactly(d.in, d.begin, d.bytes, (size_t)d.size, "zip directory", &a->fault) &&
              read_entries(&d) && check_names(&d);
    mem_free(d.bytes);
    return ok;
}

struct input *zip_member(struct input *in, const struct archive_entry *e, struct fault *fault) {
    struct input *member = input_part(in, e->begin, e->end - e->begin, fault);
    if (member && e->deflated && e->unpacked) member = input_inflate(member, INFLATE_RAW, e->unpacked, fault);
    if (member && input_check(member, e->crc, fault)) return member;
    input_close(member);
    return NULL;
}
