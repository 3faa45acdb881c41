/* Spectra and filters: the program of docs/fft.md, whose lines of code are taken from it. */
#include <math.h>
#include <tyto/tyto.h>

static bool all_well = true;

static void expect(const char *what, double got, double want, double within) {
    if (fabs(got - want) <= within) return;
    printf("%s is %g and not %g\n", what, got, want);
    all_well = false;
}
#define EXPECT(got, want, within) expect(#got, got, want, within)

/* Return two tones, of 50 and 120 Hz, sampled at 1,000 Hz for 2 seconds. */
static ty_tensor *two_tones(void) {
    ty_tensor *t = ty_steps(TY_F64, 0, 0.001, 2000);
    ty_tensor *low = ty_sin(ty_mul(t, ty_num(2 * M_PI * 50)));
    ty_tensor *high = ty_mul(ty_num(0.5), ty_sin(ty_mul(t, ty_num(2 * M_PI * 120))));
    return ty_add(low, high);
}

static void spectrum(void) {
    ty_tensor *x = two_tones();
    ty_tensor *y = ty_rfft(x, TY_FFT_WHOLE, -1, TY_FFT_FORWARD); /* 1,001 amplitudes, halved */
    ty_tensor *f = ty_rfftfreq(TY_F64, 2000, 0.001);             /* and their frequencies: 0, 0.5, ..., 500 */
    ty_tensor *loudest = ty_gather(f, ty_argmax(ty_abs(y), TY_ALL), 0);
    EXPECT(ty_item(loudest), 50, 1e-9);
    ty_tensor *again = ty_irfft(y, 2000, -1, TY_FFT_FORWARD);
    EXPECT(ty_item(ty_amax(ty_abs(ty_sub(again, x)), TY_ALL)), 0, 1e-12);
}

static void filtered(void) {
    ty_tensor *x = two_tones();
    ty_tensor *sections = ty_butterworth(6, TY_LOW_PASS, 80 / 500.0, 0); /* of half the rate */
    ty_tensor *smooth = ty_filter_sections_both(sections, x, -1);
    ty_tensor *middle = ty_slice(smooth, 0, 500, 1500, 1);
    EXPECT(ty_item(ty_amax(middle, TY_ALL)), 1, 0.01); /* the lower tone alone */
    ty_tensor *envelope = ty_abs(ty_analytic_signal(middle, -1));
    EXPECT(ty_item(ty_mean(envelope, TY_ALL)), 1, 0.01);
}

static void in_blocks(void) {
    ty_tensor *x = two_tones(), *parts[8];
    ty_tensor *sections = ty_butterworth(6, TY_LOW_PASS, 80 / 500.0, 0);
    ty_tensor *state = ty_mul(ty_filter_sections_steady(sections), ty_at(x, "0"));
    for (int64_t i = 0; i < 2000; i += 250) {
        ty_filtered_parts f = ty_filter_sections_from(sections, ty_slice(x, 0, i, i + 250, 1), state, 0);
        state = f.state; /* f.y is the filtered block */
        parts[i / 250] = f.y;
    }
    ty_peaks p = ty_find_peaks(ty_concat(8, parts, 0), (ty_peaks_options){.prominence = 1});
    EXPECT((double)ty_size(p.at), 99, 0); /* of the lower tone, without the one at the end */
}

static void over_time(void) {
    ty_tensor *x = two_tones();
    ty_stft_options options = {.size = 256, .step = 64}; /* a periodic Hann window, zeros at the ends */
    ty_tensor *s = ty_stft(x, options);                  /* c128[129,33]: frequency, time */
    ty_tensor *back = ty_istft(s, options, true);
    EXPECT(ty_item(ty_amax(ty_abs(ty_sub(ty_slice(back, 0, 0, 2000, 1), x)), TY_ALL)), 0, 1e-12);
    EXPECT((double)ty_shape(s)[0], 129, 0);
}

/* Recover a filter of 5 weights from its input x and output, by gradients, which are transforms themselves. */
static void found(void) {
    ty_tensor *x = ty_normal(TY_F64, TY_SHAPE(500), ty_key(1)), *truth = ty_hann(TY_F64, 5, false);
    ty_tensor *target = ty_convolve(x, truth, TY_SAME);
    ty_tensor *w = ty_track(ty_zeros(TY_F64, TY_SHAPE(5)), "w"), *g;
    for (int i = 0; i < 200; i++) {
        ty_scope *scope = ty_open();
        ty_tensor *error = ty_sub(ty_fft_convolve(x, w, TY_SAME, 0, NULL), target);
        ty_grad(ty_sum(ty_square(error), TY_ALL), 1, &w, &g);
        ty_assign(w, ty_sub(w, ty_mul(g, ty_num(0.0004))), NULL);
        ty_close(scope);
    }
    EXPECT(ty_item(ty_amax(ty_abs(ty_sub(w, truth)), TY_ALL)), 0, 1e-6);
}

int main(void) {
    ty_scope *scope = ty_open();
    spectrum();
    filtered();
    in_blocks();
    over_time();
    found();
    ty_close(scope);
    puts(all_well ? "all as expected" : "something is wrong");
    return !all_well;
}
