/* Targets that cannot be replaced are written in place: descriptors by their paths, devices, pipes. Links
   to files stay. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"

static const ty_file_options csv = {.format = "csv"};
static const char *const one_name[] = {"x"};

static bool save(const char *path, ty_tensor **error) {
    ty_tensor *x = ty_steps(TY_I64, 1, 1, 2);
    return ty_archive_save(path, 1, one_name, &x, csv, error);
}

static bool is_out_of_memory(const ty_tensor *error) {
    return test_starving() && strstr(ty_error(error), "memory");
}

/* Writing between other writes through the same descriptor loses nothing. */
static void goes_on(const char *form, bool linked) {
    const char *folder = scratch_folder(), *path = scratch_path(folder, "f");
    char words[64], found[32] = {0};
    ty_tensor *error = NULL;
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    snprintf(words, sizeof words, form, file);
    const char *target = words;
    if (linked) {
        CHECK(symlink(words, scratch_path(folder, "first")) == 0, "no link");
        CHECK(symlink("first", scratch_path(folder, "second")) == 0, "no link");
        target = scratch_path(folder, "second");
    }
    CHECK(write(file, "a\n", 2) == 2, "not written");
    bool saved = save(target, &error);
    CHECK(write(file, "b\n", 2) == 2, "not written");
    ssize_t n = pread(file, found, sizeof found - 1, 0);
    if (saved)
        CHECK(n == 8 && !strcmp(found, "a\n1\n2\nb\n"), "%s: %s", target, found);
    else
        CHECK(is_out_of_memory(error), "%s: %s", target, ty_error(error));
    CHECK(count_files(folder) == (linked ? 3 : 1), "%d files", count_files(folder));
    close(file);
}

static void descriptors(void) {
    static const char *const forms[] = {"/dev/fd/%d", "/proc/self/fd/%d", "/proc/thread-self/fd/%d"};
    for (size_t i = 0; i < 3; i++) {
        if (access(i ? "/proc/self/fd" : "/dev/fd", X_OK)) continue;
        goes_on(forms[i], false);
        goes_on(forms[i], true);
    }
}

static void closed_descriptors(void) {
    const char *path = scratch_path(scratch_folder(), "f");
    char words[64];
    ty_tensor *error = NULL;
    int file = open(path, O_RDONLY | O_CREAT, 0600);
    snprintf(words, sizeof words, "/dev/fd/%d", file);
    CHECK(!save(words, &error), "written through a descriptor for reading");
    CHECK(strstr(ty_error(error), "cannot be written") || is_out_of_memory(error), "%s", ty_error(error));
    close(file);
    CHECK(!save(words, &error), "written through a closed descriptor");
}

static void pipes(void) {
    char found[32] = {0}, words[64];
    int ends[2];
    ty_tensor *error = NULL;
    const char *path = scratch_path(scratch_folder(), "pipe");
    CHECK(mkfifo(path, 0600) == 0, "no pipe");
    int file = open(path, O_RDWR | O_NONBLOCK);
    if (save(path, &error)) CHECK(read(file, found, 8) == 4 && !strcmp(found, "1\n2\n"), "%s", found);
    close(file);
    CHECK(!error || is_out_of_memory(error), "%s", ty_error(error));
    if (pipe(ends)) return;
    close(ends[0]);
    snprintf(words, sizeof words, "/dev/fd/%d", ends[1]);
    CHECK(!save(words, &error), "written where nobody reads");
    CHECK(strstr(ty_error(error), strerror(EPIPE)) || is_out_of_memory(error), "%s", ty_error(error));
    close(ends[1]);
}

static void devices(void) {
    ty_tensor *error = NULL;
    struct stat status;
    CHECK(save("/dev/null", &error) || is_out_of_memory(error), "%s", ty_error(error));
    CHECK(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode), "it was replaced");
    if (access("/dev/full", W_OK)) return;
    CHECK(!save("/dev/full", &error), "there is room on /dev/full");
    CHECK(strstr(ty_error(error), strerror(ENOSPC)) || is_out_of_memory(error), "%s", ty_error(error));
}

/* A link to a file stays, and the file is replaced as a whole: a reader keeps the old one. */
static void links(void) {
    const char *folder = scratch_folder(), *path = scratch_path(folder, "file"),
               *link = scratch_path(folder, "link");
    char found[32] = {0};
    ty_tensor *error = NULL;
    struct stat status;
    int file = open(path, O_RDWR | O_CREAT, 0600);
    CHECK(write(file, "old", 3) == 3 && symlink("file", link) == 0, "no link");
    bool saved = save(link, &error);
    CHECK(saved || is_out_of_memory(error), "%s", ty_error(error));
    CHECK(lstat(link, &status) == 0 && S_ISLNK(status.st_mode), "the link was replaced");
    CHECK(pread(file, found, 8, 0) == 3 && !strcmp(found, "old"), "the old file was written to");
    CHECK(stat(path, &status) == 0 && status.st_size == (saved ? 4 : 3), "%lld bytes",
          (long long)status.st_size);
    close(file);
}

TESTS_MAIN(TEST(descriptors), TEST(closed_descriptors), TEST(pipes), TEST(devices), TEST(links))
