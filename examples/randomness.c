/* Random numbers by keys, without hidden state: equal keys draw equal numbers on any number of threads. */
#include <math.h>
#include <tyto/tyto.h>

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *key = ty_key(2026), *again;
    ty_tensor *rates = ty_from(TY_F64, TY_SHAPE(3), (double[]){0.5, 4, 30});

    bool printed = ty_print(stdout, ty_uniform(TY_F32, TY_SHAPE(2, 3), ty_fold(key, 0)));
    printed &= ty_print(stdout, ty_randint(TY_I32, TY_SHAPE(8), ty_int(1), ty_int(7), ty_fold(key, 1)));
    printed &= ty_print(stdout, ty_poisson(TY_I64, TY_SHAPE(4, 3), rates, ty_fold(key, 2)));
    printed &= ty_print(stdout, ty_permutation(6, ty_fold(key, 3)));
    printed &= ty_print(stdout, ty_choice(10, 4, false, NULL, ty_fold(key, 4)));

    ty_tensor *gamma = ty_random_gamma(TY_F64, TY_SHAPE(100000), ty_num(2.5), ty_fold(key, 5));
    ty_set_threads(1);
    again = ty_random_gamma(TY_F64, TY_SHAPE(100000), ty_num(2.5), ty_fold(key, 5));
    bool right = ty_item(ty_all(ty_eq(gamma, again), TY_ALL)) == 1 &&
                 fabs(ty_item(ty_mean(gamma, TY_ALL)) - 2.5) < 0.05;
    ty_close(scope);
    return !(printed && right);
}
