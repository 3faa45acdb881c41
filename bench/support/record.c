#define _GNU_SOURCE
#include "bench/support/record.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "bench/support/processor.h"
#include <tyto/tyto.h>

enum { NAME = 64, LINE = 512 };

struct record {
    char benchmark[NAME], command[LINE], path[LINE];
    bool least;
    FILE *peers, *roofs, *rows;
    char *peers_text, *roofs_text, *rows_text;
    size_t sizes[3];
    char known[RECORD_PEERS][NAME];
};

/* Write a JSON string, or null. */
static void put_text(FILE *f, const char *text) {
    if (!text) {
        fputs("null", f);
        return;
    }
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', f);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
    }
    fputc('"', f);
}

static void put_pair(FILE *f, const char *before, const char *name, const char *text) {
    fprintf(f, "%s\"%s\": ", before, name);
    put_text(f, text);
}

/* ---- opening ---- */

/* Set the benchmark's name ("bench_gemm": gemm) and its command without the --json option. */
static void name_run(struct record *r, int argc, char **argv) {
    const char *slash = strrchr(argv[0], '/'), *base = slash ? slash + 1 : argv[0];
    snprintf(r->benchmark, sizeof r->benchmark, "%s", !strncmp(base, "bench_", 6) ? base + 6 : base);
    int n = snprintf(r->command, sizeof r->command, "./dev bench %s", r->benchmark);
    for (int i = 1; i < argc && n < LINE; i++) {
        bool plain = !argv[i][strcspn(argv[i], " >*?'\"")];
        n += snprintf(r->command + n, (size_t)(LINE - n), plain ? " %s" : " '%s'", argv[i]);
    }
}

static bool find_place(struct record *r, const char *file) {
    char folder[LINE];
    if (file) return snprintf(r->path, sizeof r->path, "%s", file) < LINE;
    snprintf(folder, sizeof folder, "bench/results/%s", processor_folder());
    if (mkdir(folder, 0777) && errno != EEXIST) {
        printf("%s: cannot be made (%s); --json FILE writes elsewhere\n", folder, strerror(errno));
        return false;
    }
    return snprintf(r->path, sizeof r->path, "%.400s/%s.json", folder, r->benchmark) < LINE;
}

bool record_open(struct record **record, int *argc, char **argv) {
    const char *file = NULL;
    bool asked = false;
    int kept = 1;
    *record = NULL;
    for (int i = 1; i < *argc; i++)
        if (strcmp(argv[i], "--json") != 0)
            argv[kept++] = argv[i];
        else {
            asked = true;
            if (i + 1 < *argc && strncmp(argv[i + 1], "--", 2) != 0) file = argv[++i];
        }
    argv[ *argc = kept] = NULL;
    struct record *r = asked ? calloc(1, sizeof *r) : NULL;
    if (!r) return !asked;
    name_run(r, *argc, argv);
    r->peers = open_memstream(&r->peers_text, &r->sizes[0]);
    r->roofs = open_memstream(&r->roofs_text, &r->sizes[1]);
    r->rows = open_memstream(&r->rows_text, &r->sizes[2]);
    *record = r;
    return r->peers && r->roofs && r->rows && find_place(r, file);
}

void record_least(struct record *r) {
    if (r) r->least = true;
}

void record_peer(struct record *r, const char *name, const char *version, const char *threads) {
    for (int i = 0; r && i < RECORD_PEERS; i++) {
        if (!strcmp(r->known[i], name)) return;
        if (*r->known[i]) continue;
        snprintf(r->known[i], NAME, "%s", name);
        put_pair(r->peers, i ? ",\n    {" : "\n    {", "name", name);
        put_pair(r->peers, ", ", "version", version);
        put_pair(r->peers, ", ", "threads", threads);
        fputc('}', r->peers);
        return;
    }
}

void record_roof(struct record *r, int threads, double read, double stream, double f32, double f64) {
    if (!r) return;
    fprintf(r->roofs, "%s\n    {\"threads\": %d, \"read_bytes_per_s\": %.4g, \"stream_bytes_per_s\": %.4g, ",
            ftell(r->roofs) ? "," : "", threads, read, stream);
    fprintf(r->roofs, "\"f32_flops_per_s\": %.4g, \"f64_flops_per_s\": %.4g}", f32, f64);
}

/* ---- a row ---- */

static void put_time(FILE *f, const struct record_time *t) {
    if (t->median > 0) fprintf(f, "\"median_s\": %.4g, ", t->median);
    if (t->least > 0) fprintf(f, "\"min_s\": %.4g, ", t->least);
}

static double ratio_of(const struct record *r, const struct record_row *row, int p) {
    const struct record_time *theirs = &row->peers[p].time, *ours = &row->ours;
    if (!row->peers[p].name) return NAN;
    if (row->peers[p].ratio > 0) return row->peers[p].ratio;
    return r->least ? theirs->least / ours->least : theirs->median / ours->median;
}

static void put_peers(const struct record *r, const struct record_row *row) {
    double best = INFINITY;
    const char *who = NULL;
    for (int p = 0; p < row->npeers; p++) {
        double ratio = ratio_of(r, row, p);
        if (!isfinite(ratio)) continue;
        fprintf(r->rows, "%s\"%s\": {", who ? ", " : ", \"peers\": {", row->peers[p].name);
        put_time(r->rows, &row->peers[p].time);
        fprintf(r->rows, "\"ratio\": %.4g}", ratio);
        if (ratio < best) best = ratio, who = row->peers[p].name;
    }
    if (who) fprintf(r->rows, "}, \"best\": \"%s\", \"ratio\": %.4g", who, best);
}

void record_row(struct record *r, const struct record_row *row) {
    if (!r) return;
    FILE *f = r->rows;
    put_pair(f, ftell(f) ? ",\n    {" : "\n    {", "name", row->name);
    put_pair(f, ", ", "dtype", row->dtype);
    fprintf(f, ", \"threads\": %d", row->threads);
    double ours = r->least ? row->ours.least : row->ours.median;
    if (ours > 0)
        fprintf(f, ", \"ours\": {\"median_s\": %.4g, \"min_s\": %.4g}", row->ours.median, row->ours.least);
    put_peers(r, row);
    if (row->bytes > 0 && ours > 0) fprintf(f, ", \"bytes_per_s\": %.4g", row->bytes / ours);
    if (row->flops > 0 && ours > 0) fprintf(f, ", \"flops_per_s\": %.4g", row->flops / ours);
    if (row->share > 0) fprintf(f, ", \"share_of_roof\": %.3f", row->share);
    for (int i = 0; i < RECORD_NUMBERS && row->numbers[i].name; i++)
        if (isfinite(row->numbers[i].value))
            fprintf(f, ", \"%s\": %.6g", row->numbers[i].name, row->numbers[i].value);
    fputc('}', f);
}

/* ---- the document ---- */

/* Write the current commit, with "+" if tracked files differ from it. */
static void put_commit(FILE *f) {
    char commit[NAME] = "", change[LINE] = "";
    FILE *git =
        popen("git rev-parse --short=12 HEAD 2>/dev/null && git status --porcelain -uno 2>/dev/null", "r");
    if (git) {
        if (fscanf(git, "%63s", commit) == 1 && fscanf(git, "%511s", change) == 1) strcat(commit, "+");
        pclose(git);
    }
    put_pair(f, ",\n  ", "commit", *commit ? commit : NULL);
}

static void put_document(struct record *r, FILE *f) {
    char date[NAME];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%MZ", gmtime(&now));
    put_pair(f, "{\n  ", "benchmark", r->benchmark);
    put_pair(f, ",\n  ", "command", r->command);
    put_pair(f, ",\n  ", "date", date);
    put_pair(f, ",\n  ", "version", ty_version());
    put_commit(f);
    fputs(",\n  \"machine\": ", f);
    processor_put(f);
    put_pair(f, ",\n  ", "isa", ty_isa());
    put_pair(f, ",\n  ", "ratios_of", r->least ? "least" : "median");
    fprintf(f, ",\n  \"roofs\": [%s\n  ],\n  \"peers\": [%s\n  ],\n  \"rows\": [%s\n  ]\n}\n", r->roofs_text,
            r->peers_text, r->rows_text);
}

bool record_close(struct record *r) {
    if (!r) return true;
    bool well = !fclose(r->peers);
    well = !fclose(r->roofs) && well;
    well = !fclose(r->rows) && well;
    FILE *f = well ? fopen(r->path, "w") : NULL;
    if (f) {
        put_document(r, f);
        well = !ferror(f);
        well = !fclose(f) && well;
    }
    if (f && well)
        printf("written: %s\n", r->path);
    else
        printf("%s: cannot be written (%s)\n", r->path, strerror(errno));
    free(r->peers_text), free(r->roofs_text), free(r->rows_text), free(r);
    return f && well;
}
