/* A plot as a file and as text: the program of docs/plots.md. */
#include <tyto/plot.h>
#include <tyto/tyto.h>

int main(void) {
    ty_scope *scope = ty_open();
    int64_t n = 200;
    ty_tensor *t = ty_div(ty_iota(TY_F64, 1, &n, 0), ty_num(20));
    ty_tensor *v = ty_mul(ty_exp(ty_neg(ty_div(t, ty_num(4)))), ty_cos(ty_mul(t, ty_num(5))));
    ty_plot *p = ty_plot_new((ty_plot_options){.title = "Decay", .x = "time (s)", .y = "voltage (V)"});
    ty_plot_line(p, t, v, (ty_plot_style){.name = "measured"});
    ty_plot_line(p, t, ty_exp(ty_neg(ty_div(t, ty_num(4)))), (ty_plot_style){.name = "envelope"});
    ty_plot_write(p, "decay.svg", NULL);
    ty_plot_print(stdout, p);
    ty_plot_free(p);
    ty_close(scope);
    return remove("decay.svg");
}
