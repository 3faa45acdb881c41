/* Compiled kernels on disk: the limit of the folder, several processes, full disks.  test_opencl_stub.c has the rest. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/files/disk_cache.h"
#include "tests/support/child.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/starve.h"

static void forget(void *unused) {
    (void)unused;
    unsetenv("XDG_CACHE_HOME");
    disk_cache_bound(0);
}

/* Use an empty folder until the end of the test, and return its path. */
static const char *use_folder(void) {
    const char *folder = scratch_folder();
    test_own((void *)folder, forget);
    setenv("XDG_CACHE_HOME", folder, 1);
    return scratch_path(folder, "tyto");
}

/* The folder stays within its limit; entries that were used last stay. */
static void bounds_the_folder(void) {
    char program[1000] = "", text[20];
    size_t bytes;
    const char *folder = use_folder();
    if (test_starving()) return;
    disk_cache_bound(10 * 1100);
    for (int i = 0; i < 30; i++) {
        snprintf(text, sizeof text, "key %d", i);
        struct disk_key key = {text, strlen(text)}, first = {"key 0", 5};
        disk_cache_put(&key, program, sizeof program);
        CHECK(count_files(folder) <= 10, "%d files", count_files(folder));
        usleep(20000); /* clocks of files are coarse */
        void *found = disk_cache_get(&first, &bytes);
        CHECK(found && bytes == sizeof program, "entry 0, which is used all the time, is gone after %d", i);
        mem_free(found);
    }
    CHECK(count_files(folder) == 10, "%d files", count_files(folder));
    disk_cache_put(&(struct disk_key){"large", 5}, test_room(20000), 20000);
    CHECK(count_files(folder) == 10, "a program above the limit is stored, or displaces others");
}

/* Store and read one entry of two sizes again and again.  Return false if what is read was never stored. */
static bool share_entry(int process) {
    char program[2][3000];
    for (int k = 0; k < 2; k++) memset(program[k], 'a' + k, sizeof program[k]);
    for (int i = 0; i < 100; i++) {
        size_t bytes, mine = process ? 3000 : 1000;
        disk_cache_put(&(struct disk_key){"shared", 6}, program[process], mine);
        char *found = disk_cache_get(&(struct disk_key){"shared", 6}, &bytes);
        bool well =
            found && (bytes == 1000 || bytes == 3000) && !memcmp(found, program[bytes == 3000], bytes);
        mem_free(found);
        if (!well) return false;
    }
    return true;
}

static void shares_the_folder(void) {
    const char *folder = use_folder();
    if (test_starving()) return;
    fflush(NULL);
    pid_t id = fork();
    if (!id) _exit(share_entry(1) ? 0 : 1);
    bool well = share_entry(0);
    int status = child_status(id);
    CHECK(well && WIFEXITED(status) && !WEXITSTATUS(status), "an entry that nobody has stored");
    CHECK(count_files(folder) == 1, "%d files are left", count_files(folder));
}

/* A disk that is full keeps nothing, and nothing broken. */
static void survives_full_disks(void) {
    struct rlimit before, little = {0};
    size_t bytes;
    char program[5000] = "";
    const char *folder = use_folder();
    if (test_starving()) return;
    getrlimit(RLIMIT_FSIZE, &before);
    little = (struct rlimit){1000, before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &little);
    disk_cache_put(&(struct disk_key){"full", 4}, program, sizeof program);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    CHECK(!disk_cache_get(&(struct disk_key){"full", 4}, &bytes), "a part of an entry");
    CHECK(count_files(folder) == 0, "%d files are left", count_files(folder));
}

TESTS_MAIN(TEST(bounds_the_folder), TEST(shares_the_folder), TEST(survives_full_disks))
