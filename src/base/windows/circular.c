/* sin, cos and tan of long doubles.  mingw-w64 uses the processor's instructions, which subtract multiples of pi in 66 bits: 20
   bits of sin(1e15) are right, 6 of sin(2^63).  The reference engine calls these functions. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/math/far_turns.h"
#include "base/wide.h"

enum { WORDS = 4, FAR = 1024 }; /* bits of the angle in words; the table ends at 2^FAR */

/* Return 64 bits of that fraction, from bit `first` on. */
static uint64_t window(int first) {
    int word = first / 64, shift = first % 64;
    return far_turns[word] << shift | far_turns[word + 1] >> 1 >> (63 - shift);
}

/* Set word to the first bits of |x| / (2 pi) modulo 1, for 1/2 <= |x| < 2^FAR. */
static void turns_of(long double x, uint64_t word[WORDS]) {
    int exponent;
    uint64_t digits = (uint64_t)ldexpl(frexpl(fabsl(x), &exponent), 64), carry = 0;
    for (int k = WORDS - 1; k >= 0; k--) {
        uint64_t part = window(exponent + 64 * k);
        word[k] = digits * part + carry;
        carry = product_high(digits, part) + (word[k] < carry);
    }
}

/* Return n and set *rest so that |x| is n quarters of a turn and the rest, at most an eighth on either side; x is finite. */
static unsigned quarters_of(long double x, long double *rest) {
    const long double tau = 6.28318530717958647692528676655900577L;
    *rest = fabsl(x);
    if (*rest < 0.75L) return 0;
    /* Beyond the table the last digit of x counts many turns.  Any angle is right then. */
    if (*rest >= ldexpl(1, FAR)) *rest = fmodl(*rest, tau) + tau;
    uint64_t word[WORDS];
    turns_of(*rest, word);
    unsigned n = (unsigned)((word[0] + ((uint64_t)1 << 61)) >> 62);
    word[0] -= (uint64_t)n << 62;
    bool minus = word[0] >> 63; /* two's complement */
    uint64_t mask = 0 - (uint64_t)minus, carry = minus;
    for (int k = WORDS - 1; k >= 0; k--) word[k] = (word[k] ^ mask) + carry, carry = carry && !word[k];
    long double sum = 0;
    for (int k = WORDS - 1; k >= 0; k--) sum += ldexpl((long double)word[k], -64 * (k + 1));
    *rest = (minus ? -sum : sum) * tau;
    return n;
}

/* Set the sine and cosine of x by the instruction, which is right near 0.  GCC makes a call of sinl of one of sincosl whose
   cosine is not used, so the functions call this one. */
static void both(long double x, long double *sine, long double *cosine) {
    if (!isfinite(x)) {
        *sine = *cosine = x - x;
        return;
    }
    long double rest, s, c;
    unsigned n = quarters_of(x, &rest);
    __asm__("fsincos" : "=t"(c), "=u"(s) : "0"(rest));
    long double turned = n & 1 ? c : s;
    turned = n & 2 ? -turned : turned;
    *sine = signbit(x) ? -turned : turned;
    *cosine = n & 1 ? (n & 2 ? s : -s) : (n & 2 ? -c : c);
}
long double sinl(long double x) {
    long double sine, cosine;
    both(x, &sine, &cosine);
    return sine;
}
long double cosl(long double x) {
    long double sine, cosine;
    both(x, &sine, &cosine);
    return cosine;
}
long double tanl(long double x) {
    long double sine, cosine;
    both(x, &sine, &cosine);
    return sine / cosine;
}
void sincosl(long double x, long double *sine, long double *cosine) { both(x, sine, cosine); }
