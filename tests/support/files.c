/* Scratch folders and files; gzip (RFC 1952) of stored blocks of deflate (RFC 1951, section 3.2.4). */
#include "tests/support/files.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/support/harness.h"
#include "tests/support/starve.h"

static void remove_folder(void *path) {
    bool starving = starve_others(false);
    DIR *list = opendir(path);
    char name[1024];
    for (struct dirent *entry; list && (entry = readdir(list));) {
        snprintf(name, sizeof name, "%s/%s", (const char *)path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && remove(name) != 0)
            remove_folder(strdup(name));
    }
    if (list) closedir(list);
    if (rmdir(path) != 0) perror(path);
    free(path);
    starve_others(starving);
}

const char *scratch_folder(void) {
    const char *base = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/tyto-test-XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(path), "no scratch folder %s", path);
    bool starving = starve_others(false);
    char *own = strdup(path);
    starve_others(starving);
    CHECK(own, "no memory of the test's own");
    return test_own(own, remove_folder);
}

const char *scratch_path(const char *folder, const char *name) {
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = test_room(n);
    snprintf(path, n, "%s/%s", folder, name);
    return path;
}

void write_file(const char *path, const void *bytes, size_t n) {
    bool starving = starve_others(false);
    FILE *file = fopen(path, "wb");
    CHECK(file, "%s cannot be made", path);
    size_t written = fwrite(bytes, 1, n, file);
    int closed = fclose(file);
    starve_others(starving);
    CHECK(written == n && closed == 0, "%s cannot be written", path);
}

uint8_t *read_file(const char *path, size_t *n) {
    bool starving = starve_others(false);
    FILE *file = fopen(path, "rb");
    CHECK(file, "%s cannot be opened", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = test_room((size_t)size + 1);
    *n = fread(bytes, 1, (size_t)size, file);
    fclose(file);
    starve_others(starving);
    return bytes;
}

int count_files(const char *folder) {
    int n = 0;
    bool starving = starve_others(false);
    DIR *list = opendir(folder);
    CHECK(list, "%s cannot be listed", folder);
    while (readdir(list)) n++;
    closedir(list);
    starve_others(starving);
    return n - 2;
}

uint32_t crc32_of(const uint8_t *bytes, size_t n) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static uint8_t *put_little(uint8_t *out, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) *out++ = (uint8_t)(value >> 8 * i);
    return out;
}

uint8_t *make_gzip(const void *bytes, size_t n, size_t *size) {
    static const uint8_t head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    uint8_t *gzip = test_room(sizeof head + n + 5 * (n / 65535 + 1) + 9), *out = gzip + sizeof head;
    memcpy(gzip, head, sizeof head);
    for (size_t done = 0, last = 0; !last;) {
        uint32_t block = n - done < 65535 ? (uint32_t)(n - done) : 65535;
        last = done + block == n;
        *out++ = (uint8_t)last;
        out = put_little(put_little(out, block, 2), ~block & 0xffff, 2);
        memcpy(out, (const uint8_t *)bytes + done, block);
        out += block;
        done += block;
    }
    out = put_little(put_little(out, crc32_of(bytes, n), 4), (uint32_t)n, 4);
    *size = (size_t)(out - gzip);
    return gzip;
}

/* ---- archives ---- */

static void release_archive(void *archive) { ty_archive_free(archive); }

ty_archive *own_archive(ty_archive *archive) { return test_own(archive, release_archive); }

ty_archive *parse_well(const void *bytes, size_t n, ty_file_options options) {
    ty_archive *a = own_archive(ty_archive_parse(bytes, n, options));
    CHECK(!*ty_archive_error(a), "%s", ty_archive_error(a));
    return a;
}

ty_tensor *parse_first(const void *bytes, size_t n, ty_file_options options) {
    ty_archive *a = ty_archive_parse(bytes, n, options);
    ty_tensor *x = ty_archive_at(a, 0);
    ty_archive_free(a);
    return x;
}

uint8_t *write_bytes(int n, const char *const *names, ty_tensor *const *tensors, ty_file_options options,
                     size_t *size) {
    ty_tensor *error = NULL;
    uint8_t *bytes = test_own(ty_archive_bytes(n, names, tensors, options, size, &error), ty_free);
    if (!bytes) CHECK_OK(error);
    return bytes;
}

uint8_t *write_one(ty_tensor *x, ty_file_options options, size_t *size) {
    return write_bytes(1, (const char *const[]){""}, &x, options, size);
}

void check_same(ty_tensor *got, ty_tensor *want, const char *what) {
    CHECK_OK(got);
    ty_tensor *a = CHECK_OK(ty_contiguous(got)), *b = CHECK_OK(ty_contiguous(ty_eval(want)));
    int rank = ty_rank(b);
    CHECK(ty_dtype_of(a) == ty_dtype_of(b) && ty_rank(a) == rank, "%s: %s of %d axes, want %s of %d", what,
          ty_dtype_name(ty_dtype_of(a)), ty_rank(a), ty_dtype_name(ty_dtype_of(b)), rank);
    for (int i = 0; i < rank; i++) CHECK(ty_shape(a)[i] == ty_shape(b)[i], "%s: another shape", what);
    size_t bytes = (size_t)ty_size(b) * ty_dtype_size(ty_dtype_of(b));
    CHECK(bytes == 0 || memcmp(ty_data(a), ty_data(b), bytes) == 0, "%s: other elements", what);
}

void read_anything(const void *bytes, size_t n, ty_file_options options) {
    ty_archive *a = ty_archive_parse(bytes, n, options);
    int count = ty_archive_count(a);
    bool told = true;
    for (int i = 0; i < count; i++) {
        ty_tensor *x = ty_archive_at(a, i);
        told &= ty_ok(x) || *ty_error(x);
    }
    ty_archive_free(a);
    CHECK(told, "fails without a sentence");
}

void check_damaged(const uint8_t *bytes, size_t n, ty_file_options options, int many) {
    uint8_t *room = test_room(n);
    for (size_t i = 0; i < n; i++) {
        struct test_round round = test_round();
        CHECK(!ty_ok(parse_first(bytes, i, options)), "cut off at byte %zu of %zu it is well", i, n);
        for (int bit = 0; bit < 8; bit++) {
            memcpy(room, bytes, n);
            room[i] ^= (uint8_t)(1 << bit);
            read_anything(room, n, options);
        }
        test_round_end(round);
    }
    for (int i = 0; i < many; i++) {
        struct test_round round = test_round();
        memcpy(room, bytes, n);
        for (int k = (int)test_between(1, 8); k > 0; k--)
            room[test_between(0, (int64_t)n - 1)] = (uint8_t)test_random();
        read_anything(room, n, options);
        test_round_end(round);
    }
}
