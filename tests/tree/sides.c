/* For the build of ./dev thresholds: the bytes of sides.h lie in a file named after the program, below the folder that
   TY_SIDES names.  Processes of one program share it. */
#define _GNU_SOURCE
#include "base/sides.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 1 << 20 }; /* 64 for each of 2^14 files: thresholds.awk */

static unsigned char without_file[ROOM];
unsigned char *ty_sides = without_file;

__attribute__((constructor(101))) static void open_sides(void) {
    const char *folder = getenv("TY_SIDES");
    char name[4096];
    if (!folder) return;
    snprintf(name, sizeof name, "%s/%s", folder, program_invocation_short_name);
    int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return;
    void *at =
        ftruncate(file, ROOM) ? MAP_FAILED : mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (at != MAP_FAILED) ty_sides = at;
}
