/*
 * The functions behind the page digits.html: a network that learns drawn digits, and says which digit a reader draws.
 * The page calls them as WebAssembly (./dev wasm page); they are plain C over the public headers.
 */
#include "examples/web/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/data.h>
#include <tyto/nn.h>
#include <tyto/plot.h>
#include <tyto/tyto.h>

enum { SIDE = 28, PIXELS = SIDE * SIDE, CLASSES = 10, EXAMPLES = 6000, UNSEEN = 500, BATCH = 32 };

/* Size of a drawing as the network sees it, in pixels: the middle of what the generator of digits draws. */
static const double height = 19, width = 14, radius = 1.25;

static struct {
    ty_scope *scope;
    ty_model *model;
    ty_trainer *trainer;
    ty_tensor *images, *labels, *drawing, *scores;
    ty_program *infer;
    float *points, *losses, probabilities[CLASSES];
    uint8_t pixels[PIXELS];
    char *svg, error[512];
    size_t svg_bytes, svg_room;
    int room, steps, planned;
} page;

static bool failed(const char *why) {
    snprintf(page.error, sizeof page.error, "%s", why);
    return false;
}

/* ---- the network ---- */

static ty_model *network(uint64_t seed) {
    const ty_layer_value layers[] = {
        TY_LAYER(scale, .factor = 1.0 / 256),
        TY_LAYER(conv2d, .size = {5, 5}, .channels = 8, .activation = ty_relu, .same = true),
        TY_LAYER(max_pool2d, .size = {2, 2}),
        TY_LAYER(conv2d, .size = {3, 3}, .channels = 16, .activation = ty_relu, .same = true),
        TY_LAYER(max_pool2d, .size = {2, 2}),
        TY_LAYER(dropout, .p = 0.2),
        TY_LAYER(fully_connected, .units = 64, .activation = ty_relu),
        TY_LAYER(linear, .units = CLASSES)};
    return ty_model_sequence(sizeof layers / sizeof *layers, layers,
                             (ty_model_options){.seed = seed, .lazy = true});
}

/* Draw n examples from number `first` on as images and labels, two tensors.  False on failure. */
static bool draw_examples(uint64_t seed, int64_t first, int64_t n, ty_tensor **parts) {
    ty_dataset *set = ty_dataset_digits(seed, first, n);
    bool well = ty_dataset_get_all(set, 2, parts);
    ty_dataset_free(set);
    return well || failed(ty_error(parts[0]));
}

/* Compile the program that gives the probabilities of the drawing in the variable page.drawing. */
static bool prepare_guess(void) {
    page.drawing = ty_var(ty_zeros(TY_U8, TY_SHAPE(1, SIDE, SIDE, 1)), "drawing");
    ty_tensor *y = ty_softmax(ty_model_forward(page.model, page.drawing, NULL), -1);
    page.infer = ty_compile(1, &y, (ty_compile_options){0});
    return !*ty_program_error(page.infer) || failed(ty_program_error(page.infer));
}

const char *digits_begin(int seed, int steps) {
    ty_tensor *parts[2], *unseen[2];
    digits_end();
    page.planned = steps;
    page.losses = calloc((size_t)(steps > 0 ? steps : 1), sizeof *page.losses);
    page.scope = ty_open();
    if (!page.losses) return failed("out of memory"), page.error;
    uint64_t random = (uint64_t)(uint32_t)seed;
    if (!draw_examples(random, 0, EXAMPLES, parts)) return page.error;
    if (!draw_examples(random, EXAMPLES, UNSEEN, unseen)) return page.error;
    page.images = unseen[0];
    page.labels = unseen[1];
    page.model = network(random);
    ty_schedule schedule = {.at = ty_schedule_cosine, .steps = (double)steps, .warmup = 10};
    page.trainer =
        ty_trainer_new(page.model, (ty_trainer_options){.inputs = parts[0],
                                                        .targets = parts[1],
                                                        .batch = BATCH,
                                                        .seed = random,
                                                        .schedule = &schedule,
                                                        .optimiser = {.rule = &ty_adam, .rate = 3e-3}});
    ty_model_build(page.model, 1, &page.images, NULL);
    if (*ty_model_error(page.model)) return failed(ty_model_error(page.model)), page.error;
    if (*ty_trainer_error(page.trainer)) return failed(ty_trainer_error(page.trainer)), page.error;
    prepare_guess();
    return page.error;
}

void digits_end(void) {
    ty_program_free(page.infer);
    ty_trainer_free(page.trainer);
    ty_model_free(page.model);
    if (page.scope) ty_close(page.scope);
    free(page.points);
    free(page.losses);
    free(page.svg);
    memset(&page, 0, sizeof page);
}

const char *digits_error(void) { return page.error; }

double digits_train(int steps) {
    double loss = NAN;
    for (int i = 0; i < steps && page.steps < page.planned; i++) {
        loss = ty_trainer_step(page.trainer);
        if (*ty_trainer_error(page.trainer)) {
            failed(ty_trainer_error(page.trainer));
            return NAN;
        }
        page.losses[page.steps++] = (float)loss;
    }
    return loss;
}

int digits_steps(void) { return page.steps; }

double digits_accuracy(void) {
    ty_tensor *error = NULL;
    ty_scope *scope = ty_open();
    double share = ty_trainer_accuracy(page.trainer, page.images, page.labels, &error);
    if (error) failed(ty_error(error));
    ty_close(scope);
    return share;
}

/* ---- the drawing ---- */

float *digits_points(int n) {
    if (n > page.room) {
        bool fits = (size_t)n <= SIZE_MAX / (2 * sizeof *page.points);
        float *points = fits ? realloc(page.points, 2 * sizeof *points * (size_t)n) : NULL;
        if (!points) return failed("out of memory"), NULL;
        page.points = points;
        page.room = n;
    }
    return page.points;
}

/* Scale and move the points so that the drawing fills the middle of the image.  False if there are none. */
static bool centre(int n) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 2 * n; i++) {
        if (!isfinite(page.points[i])) continue;
        low[i % 2] = fmin(low[i % 2], page.points[i]);
        high[i % 2] = fmax(high[i % 2], page.points[i]);
    }
    if (!(high[1] >= low[1]) || !(high[0] >= low[0])) return false;
    double wide = high[0] - low[0], tall = high[1] - low[1], largest = fmax(fmax(wide, tall), 1e-6);
    double down = height / largest, across = fmin(down, width / fmax(wide, 1e-6));
    for (int i = 0; i < 2 * n; i++) {
        double middle = (low[i % 2] + high[i % 2]) / 2, scale = i % 2 ? down : across;
        page.points[i] = (float)(SIDE / 2.0 + ((double)page.points[i] - middle) * scale);
    }
    return true;
}

/* Draw the line from point a to point b, each x and y, with a round pen.  A pixel keeps its darkest value. */
static void draw_line(const float *a, const float *b) {
    double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
    for (int i = 0; i < PIXELS; i++) {
        double x = i % SIDE - a[0], y = i / SIDE - a[1];
        double t = square > 0 ? fmin(fmax((x * dx + y * dy) / square, 0), 1) : 0;
        double cover = radius + 0.5 - hypot(x - t * dx, y - t * dy);
        double ink = 255 * fmin(fmax(cover, 0), 1);
        if (ink > page.pixels[i]) page.pixels[i] = (uint8_t)ink;
    }
}

/* Draw the first n points into page.pixels. */
static void draw(int n) {
    memset(page.pixels, 0, sizeof page.pixels);
    for (int i = 0; i < n; i++) {
        const float *b = page.points + 2 * i, *a = i && isfinite(b[-2]) ? b - 2 : b;
        if (isfinite(b[0])) draw_line(a, b);
    }
}

int digits_guess(int n) {
    if (n < 1 || n > page.room || !centre(n)) return -1;
    draw(n);
    ty_scope *scope = ty_open();
    ty_tensor *error = NULL;
    ty_tensor *image = ty_from(TY_U8, TY_SHAPE(1, SIDE, SIDE, 1), page.pixels);
    int best = -1;
    if (!ty_assign(page.drawing, image, &error)) {
        failed(ty_error(error));
    } else if (!ty_run(page.infer)) {
        failed(ty_program_error(page.infer));
    } else if (ty_read(ty_output(page.infer, 0), TY_F32, page.probabilities)) {
        best = 0;
        for (int k = 1; k < CLASSES; k++)
            if (page.probabilities[k] > page.probabilities[best]) best = k;
    } else {
        failed("the probabilities could not be read");
    }
    ty_close(scope);
    return best;
}

const float *digits_probabilities(void) { return page.probabilities; }
const uint8_t *digits_pixels(void) { return page.pixels; }

/* ---- the curve ---- */

/* Append to the text of page.svg. */
static bool append(void *context, const void *bytes, size_t n) {
    (void)context;
    if (page.svg_bytes + n + 1 > page.svg_room) {
        size_t room = 2 * (page.svg_bytes + n + 1);
        char *svg = realloc(page.svg, room);
        if (!svg) return false;
        page.svg = svg;
        page.svg_room = room;
    }
    memcpy(page.svg + page.svg_bytes, bytes, n);
    page.svg_bytes += n;
    page.svg[page.svg_bytes] = 0;
    return true;
}

const char *digits_curve(double wide, double tall, bool dark) {
    if (!page.steps) return "";
    ty_scope *scope = ty_open();
    ty_tensor *losses = ty_from(TY_F32, TY_SHAPE(page.steps), page.losses), *error = NULL;
    ty_plot *plot = ty_plot_new((ty_plot_options){.x = "step",
                                                  .y = "loss",
                                                  .width = wide,
                                                  .height = tall,
                                                  .x_high = page.planned,
                                                  .y_high = 2.5,
                                                  .dark = dark,
                                                  .legendless = true});
    ty_plot_line(plot, NULL, losses, (ty_plot_style){.size = 1});
    page.svg_bytes = 0;
    bool well = ty_plot_send(plot, (ty_sink){NULL, append}, "svg", &error);
    if (!well) failed(ty_error(error));
    ty_plot_free(plot);
    ty_close(scope);
    return well ? page.svg : "";
}
