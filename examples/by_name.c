/* Values of enumerations by their names, as a program gets them from its user: the count stands for an unknown name. */
#include <stdio.h>
#include <tyto/regression.h>
#include <tyto/tyto.h>

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){0, 0, 3, 4});
    ty_distance distance = ty_distance_named("cityblock"); /* SciPy's name of manhattan */
    ty_tensor *d = ty_pdist(x, (ty_distance_options){.distance = distance});
    printf("distance %g\n", ty_item(d)); /* 7 */
    bool well = ty_item(d) == 7 && ty_distance_named("no distance") == TY_DISTANCES;

    well &= ty_fft_norm_named("ortho") == TY_FFT_ORTHO;
    well &= ty_family_named("poisson") == TY_FAMILY_POISSON && ty_robust_named("HC1") == TY_ROBUST_HC1;
    well &= ty_interp_kind_named("pchip") == TY_INTERP_PCHIP &&
            ty_extrapolation_named("wrap") == TY_EXTRAPOLATE_WRAP;
    well &= ty_spline_end_named("natural") == TY_SPLINE_NATURAL;
    well &= ty_adjustment_named("holm") == TY_ADJUST_HOLM && ty_overlap_named("same") == TY_SAME;
    well &= ty_band_named("lowpass") == TY_LOW_PASS && ty_spectrum_end_named("smallest") == TY_SMALLEST;
    if (!well) puts("a name stands for another value");
    ty_close(scope);
    return !well;
}
