/*
 * Every public function computes in the library's floating-point modes, with its own arguments converted there, too.
 * NaN, 1e308 or INT64_MIN raise no flag and no trap of the caller, and results equal those of the usual modes. The
 * calls are generated from the public headers (tests/support/calls).
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/alloc.h"
#include "tests/support/calls/each.h"
#include "tests/support/harness.h"

enum { MOST_BYTES = 48, LARGEST = 1 << 22 };

/* Functions whose results contain measured times. */
static const char timed[] = " ty_program_html ty_profile_table ";

/* Make the call that the bytes choose in one mode and report errors; returns the hash of its results. */
static uint64_t call_in(const struct mode *mode, struct calls c, struct said *said, int function) {
    snprintf(said->now, sizeof said->now, "%s, %s, mould %d, %d bytes", calls_name(function), mode->name,
             c.mould, (int)c.size);
    ty_trim(); /* kernels prepared in other modes would be reused */
    c.mode = mode;
    calls_make(&c, function);
    if (!calls_kept_modes(&c) && !*said->wrong)
        snprintf(said->wrong, sizeof said->wrong, "%s: registers %llx %llx %llx are now %llx %llx %llx",
                 said->now, (unsigned long long)c.before.words[0], (unsigned long long)c.before.words[1],
                 (unsigned long long)c.before.words[2], (unsigned long long)c.after.words[0],
                 (unsigned long long)c.after.words[1], (unsigned long long)c.after.words[2]);
    return c.value;
}

static void call_in_modes(struct said *said, int function) {
    char path[64];
    uint8_t bytes[MOST_BYTES];
    snprintf(path, sizeof path, "/tmp/tyto_floating_%d.npy", (int)getpid());
    mem_limit(LARGEST);
    for (int stream = 0; stream < test_some(60, 24, 8); stream += test_some(1, 5, 1)) {
        for (int i = 0; i < MOST_BYTES; i++) bytes[i] = (uint8_t)(test_random() % (stream % 2 ? 256 : 8));
        struct calls c = {
            .data = bytes, .size = stream < CALLS_MOULDS ? 0 : MOST_BYTES, .path = path, .null_at = -1};
        c.mould = stream % CALLS_MOULDS;
        uint64_t want = call_in(&mode_table[0], c, said, function);
        for (int m = 1; m < mode_count; m++)
            if (call_in(&mode_table[m], c, said, function) != want && !*said->wrong &&
                !is_word(timed, calls_name(function), ""))
                snprintf(said->wrong, sizeof said->wrong, "%s: another result", said->now);
    }
    unlink(path);
}

static void every_function(void) {
    if (test_starving()) return;
    int wrong = each_function(call_in_modes, NULL);
    CHECK(!wrong, "%d of %d functions", wrong, calls_count());
}

TESTS_MAIN(TEST(every_function))
