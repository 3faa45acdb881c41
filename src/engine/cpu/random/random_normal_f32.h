/* Normal numbers in f32, which programs for devices contain as text, too. Logarithm: the float version of fdlibm; sine
   and cosine: Moshier's Cephes. */
#define T float
#define U uint32_t
#define I int32_t
#define NAME(verb) verb##_f32
#define BITS_OF(x) bits_of_f32(x)
#define OF_BITS(bits) f32_of_bits(bits)
#define MANTISSA 23
#define ONE 0x3F800000u
#define ROOT 0x3F3504F3u
#define LN2_HIGH 6.9313812256e-01f
#define LN2_LOW 9.0580006145e-06f
#define UNIT(word) (((word) == 0 ? 0.5f : (float)(word)) * 0x1p-32f)
#define TURN(word) (word)
#define TURN_BITS 32
#define SQRT sqrtf
#define LOG 0.66666662693f, 0.40000972152f, 0.28498786688f, 0.24279078841f
#define SINE -1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f
#define COSINE 4.166664568298827e-2f, -1.388731625493765e-3f, 2.443315711809948e-5f
#include "engine/cpu/random/random_normal.kernel.c"
