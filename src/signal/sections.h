/* Recursive filters: an analogue prototype, moved to a band, as sections of second order. */
#ifndef SIGNAL_SECTIONS_H
#define SIGNAL_SECTIONS_H
#include <tyto/signal.h>

enum { ORDER_MOST = 64 };

/* An analogue low-pass filter with its edge at 1.  Both poles of each conjugate pair are listed. */
struct prototype {
    int order;
    double gain; /* at frequency 0 */
    double _Complex pole[ORDER_MOST];
    /* frequency of the two zeros that belong to a pole and its conjugate; 0: they are infinite */
    double zero[ORDER_MOST];
};

/* Return NULL if order and band of the design `name` are valid, else poison. */
ty_tensor *refuse_band(const char *name, int order, ty_band band, double low, double high);
/* Return p moved to the band, f64[sections, 6], for the design `name`; poison if rounding would move a pole too far.  low
   and high are valid. */
ty_tensor *sections_of(const char *name, const struct prototype *p, ty_band band, double low, double high);
#endif
