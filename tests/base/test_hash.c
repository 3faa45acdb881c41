/* Hashes: published values of splitmix64 and FNV-1a, values that files hold, and sequences that must differ. */
#include <string.h>
#include "base/hash.h"
#include "base/map.h"
#include "tests/support/harness.h"

/* The generator's first values for the seed 1234567, as its authors' program prints them. */
static void numbers_are_splitmix64(void) {
    static const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                        UINT64_C(16408922859458223821)};
    uint64_t state = 1234567;
    for (int i = 0; i < 5; i++) {
        uint64_t x = hash_number(state += HASH_STEP);
        CHECK(x == expected[i], "number %d is %llu", i, (unsigned long long)x);
    }
}

/* Texts below 8 bytes have the published hashes of FNV-1a.  The longer ones come from Python's integers: files of
   trainers hold such values, so they must never change. */
static void bytes_keep_their_hash(void) {
    static const struct {
        const char *text;
        uint64_t hash;
    } rows[] = {{"", UINT64_C(0xcbf29ce484222325)},
                {"a", UINT64_C(0xaf63dc4c8601ec8c)},
                {"foobar", UINT64_C(0x85944171f73967e8)},
                {"tytoalba", UINT64_C(0x2aa3048fb6a353d4)},
                {"an owl of the barns", UINT64_C(0xda7d9c5f755121df)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t shift = 0; shift < 8; shift++) { /* alignment does not count */
            char room[64];
            size_t n = strlen(rows[i].text);
            memcpy(room + shift, rows[i].text, n);
            CHECK(hash_bytes(room + shift, n) == rows[i].hash, "\"%s\" at %zu has another hash", rows[i].text,
                  shift);
        }
}

/* Sequences of up to three small words, as ids and sizes are, have different upper halves, which tables use. */
static void sequences_differ(void) {
    enum { SIDE = 16 };
    struct map seen = {0};
    bool is_new = true;
    for (uint64_t n = 1; n <= 3; n++)
        for (uint64_t i = 0; i < (n == 1 ? SIDE : n == 2 ? SIDE * SIDE : SIDE * SIDE * SIDE); i++) {
            const uint64_t words[] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
            if (!map_put(&seen, hash_words(words, n) >> 32, 0, &is_new)) break;
            CHECK(is_new, "two sequences, the second %llu %llu %llu (%llu words), have the same hash",
                  (unsigned long long)words[0], (unsigned long long)words[1], (unsigned long long)words[2],
                  (unsigned long long)n);
        }
    map_drop(&seen);
    const uint64_t words[] = {3, 5};
    CHECK(hash_words(words, 2) == hash_join(hash_join(3 * HASH_STEP, 3), 5), "words are joined otherwise");
}

TESTS_MAIN(TEST(numbers_are_splitmix64), TEST(bytes_keep_their_hash), TEST(sequences_differ))
