/*
 * A loader over a folder of JPEGs of 500 x 375 pixels: decode, random resized crop to 224 x 224, flip, normalise,
 * batches of 32; and the same with colour jitter. Peers are torchvision's ImageFolder and DataLoader, on Pillow's
 * images and on tensors, if the Python of TY_PYTHON (or Debian's) has them. Each measurement runs in its own process,
 * measurements alternate, and the first epoch is not timed. With one thread the caller does all the work. With n
 * threads Tyto uses the caller and loader threads, the peers n worker processes.
 *
 *   ./dev bench data [--json [FILE]] [--rounds N] [--images N]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <tyto/data.h>
#include <tyto/tyto.h>
#include <unistd.h>
#include "bench/support/peer_python.h"
#include "bench/support/record.h"

enum { OURS, PILLOW, TENSORS, KINDS, MOST = 64, EPOCHS = 2, BATCH = 32, ROWS = 375, COLUMNS = 500 };
static const char *const kind_names[KINDS] = {"tyto", "torchvision, Pillow", "torchvision, tensors"};
static struct { int rounds, images; } settings = {3, 256};
static struct record *document;
static char version[64], folder[64] = "/tmp/tyto-bench-XXXXXX";
static const char script[] = "bench/support/data_torch.py";

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- images ---- */

/* Paint smooth hills of colour with grain, as hard to decode as a photograph: about 2 bits per pixel. */
static void paint(uint8_t *pixels, unsigned seed) {
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++)
            for (int c = 0; c < 3; c++) {
                seed = seed * 1664525u + 1013904223u;
                int hill = (x * (3 + c) / 5 + y * (4 - c) / 5 + (x / 40 % 2) * 40 + (y / 25 % 3) * 20) % 512;
                *pixels++ = (uint8_t)((hill < 256 ? hill : 511 - hill) * 7 / 8 + (int)(seed >> 27));
            }
}

#ifdef BENCH_JPEG
#include <jpeglib.h>
static bool write_image(const char *path, const uint8_t *pixels) {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = COLUMNS, jpeg.image_height = ROWS;
    jpeg.input_components = 3, jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 85, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = (JSAMPROW)(uintptr_t)(pixels + (size_t)jpeg.next_scanline * COLUMNS * 3);
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return fclose(file) == 0;
}
static const char ending[] = "jpg";
#else
static bool write_image(const char *path, const uint8_t *pixels) {
    return ty_save(path, ty_from(TY_U8, TY_SHAPE(ROWS, COLUMNS, 3), pixels), NULL);
}
static const char ending[] = "ppm"; /* without libjpeg the files are PPM, which measures something else */
#endif

static bool make_folder(void) {
    static uint8_t pixels[ROWS * COLUMNS * 3];
    char path[128];
    if (!mkdtemp(folder)) return false;
    for (int i = 0; i < settings.images; i++) {
        snprintf(path, sizeof path, "%s/%c", folder, 'a' + i % 4);
        if (mkdir(path, 0700) && errno != EEXIST) return false;
        snprintf(path, sizeof path, "%s/%c/%d.%s", folder, 'a' + i % 4, i, ending);
        paint(pixels, (unsigned)i);
        if (!write_image(path, pixels)) return false;
    }
    return true;
}

static int drop(const char *path, const struct stat *status, int type, struct FTW *at) {
    (void)status, (void)type, (void)at;
    return remove(path);
}

/* ---- in the child ---- */

static int measure_ours(FILE *out, int threads, bool jitter) {
    ty_image_step steps[4] = {{.apply = ty_step_resized_crop, .size = {224, 224}}, {.apply = ty_step_flip}};
    int n = 2;
    if (jitter)
        steps[n++] = (ty_image_step){
            .apply = ty_step_jitter, .brightness = 0.4, .contrast = 0.4, .saturation = 0.4, .hue = 0.1};
    steps[n++] = (ty_image_step){.apply = ty_step_normalise};
    ty_dataset *set = ty_dataset_folder(folder, (ty_folder_options){0});
    ty_loader *loader = ty_loader_new(
        set, (ty_loader_options){
                 .batch = BATCH, .threads = threads > 1 ? threads - 1 : -1, .steps = steps, .nsteps = n});
    ty_tensor *batch[2];
    if (*ty_loader_error(loader)) fprintf(stderr, "bench: %s\n", ty_loader_error(loader));
    for (int epoch = -1; epoch < EPOCHS; epoch++) {
        double begin = now();
        for (bool more = true; more;) {
            ty_scope *scope = ty_open();
            more = ty_loader_next(loader, 2, batch);
            if (more && !ty_ok(batch[0])) fprintf(stderr, "bench: %s\n", ty_error(batch[0]));
            ty_close(scope);
        }
        if (epoch >= 0) fprintf(out, "%.6f\n", now() - begin);
    }
    ty_loader_free(loader);
    ty_dataset_free(set);
    return 0;
}

static int measure_torch(FILE *out, int kind, int threads, bool jitter) {
    char count[16], epochs[16], batch[16];
    snprintf(count, sizeof count, "%d", threads);
    snprintf(epochs, sizeof epochs, "%d", EPOCHS);
    snprintf(batch, sizeof batch, "%d", BATCH);
    if (dup2(fileno(out), STDOUT_FILENO) < 0) return 1;
    unsetenv("OMP_PROC_BIND");
    unsetenv("OMP_PLACES");
    execlp(python_path(), python_path(), script, "--folder", folder, "--threads", count, "--epochs", epochs,
           "--batch", batch, "--jitter", jitter ? "1" : "0", kind == TENSORS ? "--tensors" : (char *)NULL,
           (char *)NULL);
    return 127;
}

/* ---- in the parent ---- */

struct sample {
    int count;
    double seconds[MOST];
};

static void measure(struct sample *s, int kind, int threads, bool jitter) {
    int ends[2];
    double seconds;
    if (pipe(ends)) return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        FILE *out = fdopen(ends[1], "w");
        int status =
            kind == OURS ? measure_ours(out, threads, jitter) : measure_torch(out, kind, threads, jitter);
        fflush(NULL);
        _exit(status);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    while (in && s->count < MOST && fscanf(in, "%lf", &seconds) == 1) s->seconds[s->count++] = seconds;
    if (in) fclose(in);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct record_time time_of(struct sample *s) {
    if (!s->count) return (struct record_time){0};
    qsort(s->seconds, (size_t)s->count, sizeof *s->seconds, by_size);
    return (struct record_time){s->seconds[s->count / 2] / settings.images, s->seconds[0] / settings.images};
}

static void find_torch(void) {
    char command[8192];
    snprintf(command, sizeof command, "'%s' '%s' --probe 2>/dev/null", python_path(), script);
    FILE *f = access(script, R_OK) ? NULL : popen(command, "r");
    if (!f) return;
    if (fscanf(f, "%63s", version) != 1) *version = 0;
    pclose(f);
}

static void run_row(int threads, bool jitter) {
    struct sample samples[KINDS] = {0};
    int kinds = *version ? KINDS : 1;
    for (int round = 0; round < settings.rounds; round++)
        for (int kind = 0; kind < kinds; kind++) measure(&samples[kind], kind, threads, jitter);
    struct record_row row = {.name = jitter ? "decode, crop, flip, jitter, normalise"
                                            : "decode, crop, flip, normalise",
                             .dtype = "u8",
                             .threads = threads,
                             .npeers = kinds - 1};
    row.ours = time_of(&samples[OURS]);
    printf("%-38s %7d", row.name, threads);
    for (int kind = 0; kind < kinds; kind++) {
        struct record_time t = time_of(&samples[kind]);
        if (kind) row.peers[kind - 1].name = kind_names[kind], row.peers[kind - 1].time = t;
        printf(" %12.1f", t.median > 0 ? 1 / t.median : 0);
        if (kind) printf(" (%4.2f)", row.ours.median > 0 ? t.median / row.ours.median : 0);
    }
    printf("\n");
    record_row(document, &row);
}

int main(int argc, char **argv) {
    if (!record_open(&document, &argc, argv)) return 2;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--rounds")) settings.rounds = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--images")) settings.images = atoi(argv[i + 1]);
    }
    if (settings.rounds < 1 || settings.rounds * EPOCHS > MOST || settings.images < BATCH || !make_folder()) {
        fprintf(stderr, "bench: --rounds is 1 to %d, --images %d at least; images are written to %s\n",
                MOST / EPOCHS, BATCH, folder);
        return 2;
    }
    find_torch();
    if (*version) record_peer(document, kind_names[PILLOW], version, "as many processes");
    if (*version) record_peer(document, kind_names[TENSORS], version, "as many processes");
    printf("%d images of %d x %d (%s), batches of %d; images a second, and how many times as fast ours is\n",
           settings.images, COLUMNS, ROWS, ending, BATCH);
    printf("%-38s %7s %12s %19s %19s\n", "", "threads", "tyto", *version ? "Pillow" : "",
           *version ? "tensors" : "");
    for (int jitter = 0; jitter < 2; jitter++)
        for (int threads = 1; threads <= 2; threads++) run_row(threads, jitter);
    nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS);
    return record_close(document) ? 0 : 1;
}
