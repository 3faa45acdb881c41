/* From files to batches, the program of docs/data.md: a table, images in folders, augmentation, a loader, resuming it. */
#define _GNU_SOURCE
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tyto/data.h>
#include <tyto/table.h>
#include <tyto/tyto.h>
#include <unistd.h>

/* Write forty digits as PGM files, a folder for each class. */
static bool write_digits(const char *directory) {
    char path[256];
    ty_dataset *digits = ty_dataset_digits(1, 0, 40);
    bool well = true;
    for (int64_t i = 0; i < ty_dataset_size(digits) && well; i++) {
        ty_tensor *x[2]; /* u8[28,28,1], u8[] */
        well = ty_dataset_get(digits, i, 2, x);
        int label = (int)ty_item(x[1]);
        snprintf(path, sizeof path, "%s/%s", directory, ty_dataset_class(digits, label));
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/%s/%02d.pgm", directory, ty_dataset_class(digits, label), (int)i);
        well = well && ty_save(path, x[0], NULL);
    }
    ty_dataset_free(digits);
    return well;
}

/* ---- tables ---- */

/* Write a table of four passengers with a gap in the working directory, and print it and the mean age. */
static bool show_table(void) {
    FILE *file = fopen("titanic.csv", "w");
    if (!file) return false;
    fputs("Name,Sex,Age,Fare\n\"Allen, Miss E.\",female,29,211.34\n\"Dooley, Mr. P.\",male,32,7.75\n"
          "\"Moran, Mr. J.\",male,,8.46\n\"Hays, Miss M.\",female,24,83.16\n",
          file);
    if (fclose(file)) return false;
    ty_table *t = ty_table_read("titanic.csv", (ty_table_options){0});
    if (*ty_table_error(t)) printf("%s\n", ty_table_error(t));
    ty_table_print(stdout, t);
    ty_tensor *age = ty_table_column(t, "Age"); /* f64, NaN where it is missing */
    printf("mean age %g\n", ty_item(ty_nanmean(age, TY_ALL)));
    ty_table_free(t);
    return ty_ok(age);
}

/* ---- steps ---- */

static ty_tensor *grain(const ty_image_step *step, ty_tensor *x, ty_draws *draws) {
    const double *strength = step->context;
    ty_tensor *noise = ty_normal(TY_F32, ty_rank(x), ty_shape(x), ty_draws_key(draws));
    return ty_add(x, ty_mul(noise, ty_num(*strength * ty_draws_number(draws, 0, 1))));
}

static const double strength = 0.05;
static const ty_image_step training[] = {
    {.apply = ty_step_random_crop, .size = {28, 28}, .pad = 2},
    {.apply = ty_step_affine, .degrees = 10, .scale = {0.9, 1.1}},
    {.apply = ty_step_normalise, .mean = {0.13}, .deviation = {0.31}},
    {.apply = grain, .context = (void *)&strength},
};
enum { STEPS = sizeof training / sizeof *training };

/* ---- loading ---- */

static double one_epoch(ty_loader *loader) {
    double sum = 0;
    ty_tensor *batch[2];
    for (bool more = true; more;) {
        ty_scope *scope = ty_open();
        more = ty_loader_next(loader, 2, batch); /* f32[8,28,28,1], i64[8] */
        if (more && !ty_ok(batch[0])) printf("%s\n", ty_error(batch[0]));
        if (more) sum += ty_item(ty_sum(batch[0], TY_ALL));
        ty_close(scope);
    }
    return sum;
}

static int show(const char *directory) {
    ty_dataset *set = ty_dataset_folder(directory, (ty_folder_options){.channels = 1}), *parts[2];
    if (*ty_dataset_error(set)) printf("%s\n", ty_dataset_error(set));
    ty_dataset_split(set, 2, (double[]){0.8, 0.2}, ty_key(7), parts);
    ty_loader *loader = ty_loader_new(
        parts[0], (ty_loader_options){.batch = 8, .seed = 1, .steps = training, .nsteps = STEPS});
    if (*ty_loader_error(loader)) printf("%s\n", ty_loader_error(loader));
    printf("%d classes, %d images to train on, %d to test\n", ty_dataset_classes(set),
           (int)ty_dataset_size(parts[0]), (int)ty_dataset_size(parts[1]));
    double first = one_epoch(loader), second;
    ty_data_place place = ty_loader_tell(loader); /* three numbers, for the checkpoint */
    second = one_epoch(loader);
    ty_loader_seek(loader, place, NULL);
    bool same = one_epoch(loader) == second && first != second;
    printf("the second epoch again, bit by bit: %s\n", same ? "yes" : "no");
    ty_loader_free(loader);
    ty_dataset_free(parts[0]);
    ty_dataset_free(parts[1]);
    ty_dataset_free(set);
    return same ? 0 : 1;
}

static int drop(const char *path, const struct stat *status, int type, struct FTW *at) {
    (void)status, (void)type, (void)at;
    return remove(path);
}

int main(void) {
    char directory[] = "/tmp/tyto-data-XXXXXX";
    ty_scope *scope = ty_open();
    bool well = mkdtemp(directory) && !chdir(directory) && show_table() && write_digits(directory);
    int status = well ? show(directory) : 1;
    nftw(directory, drop, 8, FTW_DEPTH | FTW_PHYS);
    ty_close(scope);
    return status;
}
