/*
 * Reading of delimited text into tables: numbers, integers, words of which many are equal, distinct words, a mixture.
 * The peer is pandas' C engine, if the Python of TY_PYTHON (or Debian's) has it; its real numbers may be off by some units
 * in the last place.  Each read runs in its own process, on one thread unless --threads says otherwise, and reads
 * alternate.  The peak of a process shows the memory beside the columns.
 *
 *   ./dev bench table [--json [FILE]] [--rounds N] [--rows N] [--threads N]
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/table.h>
#include <tyto/tyto.h>
#include <unistd.h>
#include "bench/support/child.h"
#include "bench/support/peer_python.h"
#include "bench/support/record.h"

enum { COLUMNS = 20, OURS = 0, PANDAS, READERS };
static const char *const reader_names[READERS] = {"tyto", "pandas"};
static const char script[] = "bench/support/table_pandas.py";
static struct { int rounds, rows, threads; } settings = {5, 1000000, 1};
static char version[64], path[] = "/tmp/tyto-bench-XXXXXX";
static struct record *document;

static uint64_t state = 1;
static uint64_t draw(void) {
    return (state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407)) >> 11;
}
static double draw_number(void) { return (double)draw() / 0x1p53; }

/* ---- files ---- */

static void put_number(FILE *f, int row, int column) {
    (void)row;
    fprintf(f, column % 2 ? "%.6f" : "%.17g", 1000 * draw_number());
}
static void put_whole(FILE *f, int row, int column) {
    (void)row, (void)column;
    fprintf(f, "%d", (int)(draw() % 1000000));
}
static void put_word(FILE *f, int row, int column) {
    (void)row;
    fprintf(f, "word%d", (int)(draw() % 1000) * (column + 1));
}
static void put_distinct(FILE *f, int row, int column) {
    fprintf(f, "w%08x%d", (uint32_t)row * 2654435761u, column);
}
static void put_mixed(FILE *f, int row, int column) {
    void (*const kinds[])(FILE * f, int row, int column) = {put_number, put_whole, put_word, put_distinct};
    if (draw() % 50) kinds[column % 4](f, row, column);
}

static const struct {
    const char *name;
    void (*put)(FILE *f, int row, int column);
} files[] = {{"numbers", put_number},
             {"integers", put_whole},
             {"words, 1000 of a column", put_word},
             {"distinct words", put_distinct},
             {"mixed, gaps", put_mixed}};

/* Write the file; return its bytes, 0 on failure. */
static long write_file(void (*put)(FILE *f, int row, int column)) {
    FILE *f = fopen(path, "w");
    if (!f) return 0;
    for (int row = -1; row < settings.rows; row++)
        for (int column = 0; column < COLUMNS; column++) {
            if (row < 0)
                fprintf(f, "c%d", column);
            else
                put(f, row, column);
            putc(column < COLUMNS - 1 ? ',' : '\n', f);
        }
    long bytes = ftell(f);
    return fclose(f) ? 0 : bytes;
}

/* ---- in the child ---- */

static int read_ours(FILE *out, const void *context) {
    struct timespec begin, end;
    (void)context;
    ty_set_threads(settings.threads);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    ty_table *t = ty_table_read(path, (ty_table_options){0});
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (*ty_table_error(t)) fprintf(stderr, "bench: %s\n", ty_table_error(t));
    fprintf(out, "%.3f\n",
            1e3 * (double)(end.tv_sec - begin.tv_sec) + 1e-6 * (double)(end.tv_nsec - begin.tv_nsec));
    return ty_table_rows(t) != settings.rows;
}

static int read_peer(FILE *out, const void *context) {
    (void)context;
    if (dup2(fileno(out), STDOUT_FILENO) < 0) return 1;
    execlp(python_path(), python_path(), script, path, (char *)NULL);
    return 127;
}

/* ---- in the parent ---- */

static void find_pandas(void) {
    char command[8192];
    snprintf(command, sizeof command, "'%s' '%s' --probe 2>/dev/null", python_path(), script);
    FILE *f = access(script, R_OK) ? NULL : popen(command, "r");
    if (!f) return;
    if (fscanf(f, "%63s", version) != 1) *version = 0;
    pclose(f);
}

static struct record_time time_of(struct sample *s) {
    double median = child_median(s);
    return s->count ? (struct record_time){median / 1e3, s->ms[0] / 1e3} : (struct record_time){0};
}

static void run_row(int i) {
    static struct sample samples[READERS];
    memset(samples, 0, sizeof samples);
    long bytes = write_file(files[i].put);
    int readers = *version ? READERS : 1;
    for (int round = 0; round < settings.rounds && bytes; round++)
        for (int k = 0; k < readers; k++) child_measure(&samples[k], k == OURS ? read_ours : read_peer, NULL);
    struct record_row row = {.name = files[i].name,
                             .dtype = "",
                             .threads = settings.threads,
                             .npeers = readers - 1,
                             .bytes = (double)bytes};
    row.ours = time_of(&samples[OURS]);
    printf("%-24s %7.1f MB %7.0f MB", row.name, (double)bytes / 1e6, samples[OURS].peak_mb);
    for (int k = 0; k < readers; k++) {
        struct record_time t = time_of(&samples[k]);
        printf(" %9.3f s", t.median);
        if (k) row.peers[k - 1].name = reader_names[k], row.peers[k - 1].time = t;
        if (k) printf(" (%4.2f)", row.ours.median > 0 ? t.median / row.ours.median : 0);
    }
    printf("\n");
    fflush(stdout);
    record_row(document, &row);
}

int main(int argc, char **argv) {
    if (!record_open(&document, &argc, argv)) return 2;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--rounds")) settings.rounds = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--rows")) settings.rows = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--threads")) settings.threads = atoi(argv[i + 1]);
    }
    int file = mkstemp(path);
    if (settings.rounds < 1 || settings.rows < 1 || settings.threads < 1 || file < 0) {
        fprintf(stderr, "bench: --rounds, --rows and --threads are 1 or more; a file is written to /tmp\n");
        return 2;
    }
    close(file);
    find_pandas();
    for (int k = 1; k < READERS && *version; k++) record_peer(document, reader_names[k], version, "1");
    printf("%d rows of %d columns; how many times as fast ours is\n", settings.rows, COLUMNS);
    printf("%-24s %10s %10s %11s %18s\n", "", "file", "peak", "tyto", *version ? reader_names[PANDAS] : "");
    for (int i = 0; i < (int)(sizeof files / sizeof *files); i++) run_row(i);
    unlink(path);
    return record_close(document) ? 0 : 1;
}
