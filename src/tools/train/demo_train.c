/* One training of the demonstration, in the calling process. */
#include "base/order.h"
#include "tools/command.h"
#include "tools/network/data.h"
#include "tools/options/file.h"
#include "tools/options/message.h"
#include "tools/train/demo.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/profile.h>

/* State of the run. */
struct session {
    struct demo_run *run;
    ty_progress progress;
    double *ms;    /* duration of every step */
    double before; /* seconds at the end of the previous step */
};

/* Record the loss and the duration of a step and draw the progress; returns true, so that training goes on,
   unless drawing says no. context is the session. */
static bool after_step(void *context, const ty_moment *now) {
    struct session *s = context;
    if (now->step <= DEMO_KEPT) s->run->losses[now->step - 1] = now->loss;
    curve_add(&s->run->curve, now->step, now->loss);
    s->run->done = now->step;
    s->run->last_loss = now->loss;
    s->run->seconds = now->seconds;
    s->ms[now->step - 1] = 1e3 * (now->seconds - s->before);
    bool more = ty_progress_draw(&s->progress, now);
    s->before = now->seconds;
    return more;
}

static void tell(struct demo_run *run, const char *sentence) {
    snprintf(run->sentence, sizeof run->sentence, "%s", sentence);
}

/* Write a text to the file folder/name and free it; false on failure, also for a NULL text. */
static bool write_text(const char *folder, const char *name, char *text) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
        return file_write_text(path, text);
    ty_free(text);
    return false;
}

/* Store the report of the compiled program in the run, check the program and write its drawings to
   `folder`; a failure becomes the run's ty_error(why). */
static void draw(struct demo_run *run, const ty_program *program, const ty_profile *profile,
                 const char *folder) {
    ty_tensor *why = NULL;
    ty_program_report(program, &run->report);
    if (!ty_program_check(program, &why)) tell(run, ty_error(why));
    if (!write_text(folder, "program.html", ty_program_html(program, profile, 0, 0)) ||
        !write_text(folder, "graph.svg", ty_program_graph_svg(program)) ||
        !write_text(folder, "memory.svg", ty_program_memory_svg(program)))
        tell(run, "the drawings could not be written");
}

/* Train for run->steps steps, and set the results of the run: times, accuracy, and the report and drawings
   of a compiled one. A failure becomes its message. */
static void train(struct demo_run *run, const struct data *data, ty_trainer *trainer, const char *folder) {
    struct session s = {
        .run = run, .progress = {.file = stderr}, .ms = calloc((size_t)run->steps, sizeof *s.ms)};
    if (!s.ms) {
        tell(run, "out of memory");
        return;
    }
    if (!run->eager) ty_profile_start();
    ty_trainer_run(trainer, run->steps, after_step, &s);
    ty_profile *profile = run->eager ? NULL : ty_profile_stop();
    ty_progress_end(&s.progress);
    qsort(s.ms, (size_t)run->done, sizeof *s.ms, order_f64);
    run->ms = s.ms[run->done / 2];
    free(s.ms);
    ty_tensor *error = NULL;
    run->accuracy = ty_trainer_accuracy(trainer, data->test_images, data->test_labels, &error);
    if (error) tell(run, ty_error(error));
    if (ty_trainer_program(trainer)) draw(run, ty_trainer_program(trainer), profile, folder);
    ty_profile_free(profile);
    if (*ty_trainer_error(trainer)) tell(run, ty_trainer_error(trainer));
}

void demo_train(struct demo_run *run, const char *folder) {
    struct data data;
    struct fault fault = {0};
    if (!engine_begin(&fault)) {
        tell(run, fault.text);
        return;
    }
    ty_scope *scope = ty_open();
    if (data_open(&data, &ty_network_lenet, &(struct data_options){0})) {
        ty_model *model = ty_network_model(&ty_network_lenet, (ty_network_options){0},
                                           (ty_model_options){.seed = 1, .lazy = !run->eager});
        ty_trainer *trainer = ty_trainer_new(model, (ty_trainer_options){.inputs = data.images,
                                                                         .targets = data.labels,
                                                                         .seed = 1,
                                                                         .optimiser = {.rule = &ty_adagrad}});
        train(run, &data, trainer, folder);
        ty_trainer_free(trainer);
        ty_model_free(model);
        data_close(&data);
    } else {
        tell(run,
             *message_last() ? message_last() : "there is no data"); /* kept messages end with the process */
    }
    ty_close(scope);
}
