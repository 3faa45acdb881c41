/* Constants of the vector mathematics, printed by bench/fit.py (which says how they are found). */
#ifndef ENGINE_CPU_MATH_MATH_CONSTANTS_F32_H
#define ENGINE_CPU_MATH_MATH_CONSTANTS_F32_H
/* clang-format off */
#define DIGITS_f32 24 /* of the significand */
#define BIAS_f32 127 /* of the exponent */
#define SMALLEST_f32 0x1p-126f /* normal number */
#define TO_NORMAL_f32 0x1p24f /* makes subnormal numbers normal */
#define NORMAL_BITS_f32 24 /* its exponent */
#define EXP_FAR_f32 110 /* exp is 0 or infinite from here on */
#define EXPM1_FAR_f32 22 /* expm1 is -1 to the left of minus this, and tanh 1 to the right of half of it */
#define SINH_FAR_f32 0x1.65a9f8p6f /* sinh is finite up to here */
#define NEAR_ASINH_f32 0x1p-12f /* asinh x rounds to x - x^3/6 */
#define FAR_ASINH_f32 0x1p32f /* asinh x rounds to log 2x */
#define MOST_f32 0x1.fffffep127f /* finite number */
#define ATAN2_FAR_f32 0x1p100f /* no product of atan2 leaves the normal numbers below */
#define POW_FAR_f32 0x1p40f /* exponents from here on are as good as infinite */
#define ERF_FAR_f32 0x1.ffff8p1f /* erf is 1; a little less than the end of the last interval */
#define ERF_PIECES_f32 4 /* on the unit of length */
#define ERFC_FAR_f32 11 /* erfc is 0 */
#define LGAMMA_FAR_f32 1e36f /* the vector library is right up to here */
#define GAMMA_FAR_f32 -33.0f /* the vector library is right down to here: then gamma is subnormal */
#define TRIG_FAR_f32 0x1p18f /* angles that the reduction can take, with FMA */
#define TRIG_FAR_SHORT_f32 0x1p9f /* and without */
#define EXP2_16_HIGH_f32 \
    0x1p+0f, 0x1.0b5586p+0f, 0x1.172b84p+0f, 0x1.2387a6p+0f, 0x1.306fep+0f, 0x1.3dea64p+0f, \
    0x1.4bfdaep+0f, 0x1.5ab07ep+0f, 0x1.6a09e6p+0f, 0x1.7a1148p+0f, 0x1.8ace54p+0f, 0x1.9c4918p+0f, \
    0x1.ae89fap+0f, 0x1.c199bep+0f, 0x1.d5818ep+0f, 0x1.ea4afap+0f
#define EXP2_16_LOW_f32 \
    0x0p+0f, 0x1.9f3122p-25f, -0x1.c15742p-27f, 0x1.ceac48p-25f, 0x1.4636e2p-25f, 0x1.824684p-25f, \
    -0x1.593abcp-25f, -0x1.5bd5ecp-27f, 0x1.9fcef4p-26f, -0x1.829fdp-25f, 0x1.15506ep-27f, \
    0x1.51f848p-27f, -0x1.a94b14p-26f, -0x1.3d56b2p-27f, -0x1.822dbcp-27f, 0x1.52486cp-27f
#define LN2_16_f32 \
    0x1.62ep-5f, 0x1.0bfbe8p-19f
#define EXP_TAIL_f32 \
    0x1p-1f, 0x1.5556e6p-3f, 0x1.555662p-5f
#define SINH_TAIL_f32 \
    0x1.555662p-3f
#define COSH_TAIL_f32 \
    0x1p-1f, 0x1.5556bap-5f
#define LOG_INVERSE_f32 \
    0x1p+0f, 0x1.dp-1f, 0x1.cp-1f, 0x1.ap-1f, 0x1.9p-1f, 0x1.8p-1f, 0x1.7p-1f, 0x1.6p-1f, 0x1.5p-1f, \
    0x1.4p-1f, 0x1.3p-1f, 0x1.3p-1f, 0x1.2p-1f, 0x1.1p-1f, 0x1.1p-1f, 0x1p-1f
#define LOG_TABLE_HIGH_f32 \
    0x0p+0f, 0x1.934p-4f, 0x1.118p-3f, 0x1.a94p-3f, 0x1.f9ap-3f, 0x1.269p-2f, 0x1.523p-2f, 0x1.7fbp-2f, \
    0x1.af5p-2f, 0x1.e15p-2f, 0x1.0ae8p-1f, 0x1.0ae8p-1f, 0x1.2698p-1f, 0x1.43d8p-1f, 0x1.43d8p-1f, \
    0x1.62e8p-1f
#define LOG_TABLE_LOW_f32 \
    0x0p+0f, -0x1.43454ep-17f, -0x1.c5f76p-17f, -0x1.2c3752p-19f, -0x1.c72698p-16f, 0x1.8844d4p-16f, \
    -0x1.47e31ep-16f, -0x1.7109fap-20f, 0x1.4a9246p-17f, -0x1.d79764p-16f, -0x1.23a5f6p-18f, \
    -0x1.23a5f6p-18f, -0x1.deecb2p-17f, 0x1.ff2f92p-17f, 0x1.ff2f92p-17f, -0x1.e8082ep-16f
#define LOG_TWO_f32 \
    0x1.62e8p-1f, -0x1.e8082ep-16f
#define LOG_SCALE_f32 \
    0x1p+0f, 0x0p+0f
#define LOG2_TABLE_HIGH_f32 \
    0x0p+0f, 0x1.22ep-3f, 0x1.8a8p-3f, 0x1.32cp-2f, 0x1.6cbp-2f, 0x1.a9p-2f, 0x1.e7ep-2f, 0x1.14c8p-1f, \
    0x1.372p-1f, 0x1.5b3p-1f, 0x1.811p-1f, 0x1.811p-1f, 0x1.a9p-1f, 0x1.d338p-1f, 0x1.d338p-1f, 0x1p+0f
#define LOG2_TABLE_LOW_f32 \
    0x0p+0f, -0x1.48f554p-17f, 0x1.30158p-16f, -0x1.1c8f12p-22f, 0x1.ed0cbap-19f, -0x1.a39fbep-20f, \
    -0x1.40358ep-19f, -0x1.4f80ccp-16f, 0x1.15db84p-16f, -0x1.e12f34p-16f, -0x1.6b9026p-19f, \
    -0x1.6b9026p-19f, -0x1.a39fbep-19f, 0x1.20a6dep-21f, 0x1.20a6dep-21f, 0x0p+0f
#define LOG2_TWO_f32 \
    0x1p+0f, 0x0p+0f
#define LOG2_SCALE_f32 \
    0x1.715476p+0f, 0x1.4ae0cp-26f
#define LOG10_TABLE_HIGH_f32 \
    0x0p+0f, 0x1.5ep-5f, 0x1.dbp-5f, 0x1.714p-4f, 0x1.b74p-4f, 0x1.ffcp-4f, 0x1.25cp-3f, 0x1.4d4p-3f, \
    0x1.76ap-3f, 0x1.a2p-3f, 0x1.cfap-3f, 0x1.cfap-3f, 0x1.ffcp-3f, 0x1.195p-2f, 0x1.195p-2f, \
    0x1.344p-2f
#define LOG10_TABLE_LOW_f32 \
    0x0p+0f, 0x1.cb35cp-16f, 0x1.1ed766p-17f, 0x1.d0ce36p-16f, -0x1.e32e8ep-16f, -0x1.ea21c4p-23f, \
    -0x1.5f7a94p-17f, 0x1.fc13aep-18f, 0x1.172eep-17f, 0x1.3509f8p-16f, 0x1.1cecbap-16f, \
    0x1.1cecbap-16f, -0x1.ea21c4p-22f, -0x1.310842p-16f, -0x1.310842p-16f, 0x1.3509f8p-18f
#define LOG10_TWO_f32 \
    0x1.344p-2f, 0x1.3509f8p-18f
#define LOG10_SCALE_f32 \
    0x1.bcb7b2p-2f, -0x1.5b235ep-27f
#define LOG_TAIL_f32 \
    -0x1p-1f, 0x1.555554p-2f, -0x1.fffffcp-3f, 0x1.99a2aep-3f, -0x1.55ad7ap-3f, 0x1.1297f8p-3f
/* m / c - 1 lies in [-0.037109, 0.0625] */
#define SIN_16_HIGH_f32 \
    0x0p+0f, 0x1.8f8b84p-3f, 0x1.87de2ap-2f, 0x1.1c73b4p-1f, 0x1.6a09e6p-1f, 0x1.a9b662p-1f, \
    0x1.d906bcp-1f, 0x1.f6297cp-1f, -0x1p+0f, -0x1.f6297cp-1f, -0x1.d906bcp-1f, -0x1.a9b662p-1f, \
    -0x1.6a09e6p-1f, -0x1.1c73b4p-1f, -0x1.87de2ap-2f, -0x1.8f8b84p-3f
#define SIN_16_LOW_f32 \
    0x0p+0f, -0x1.cb2cfap-30f, 0x1.abaa58p-28f, -0x1.9465cep-27f, 0x1.9fcef4p-27f, 0x1.21d434p-26f, \
    0x1.e651a8p-26f, 0x1.feeb96p-26f, 0x0p+0f, -0x1.feeb96p-26f, -0x1.e651a8p-26f, -0x1.21d434p-26f, \
    -0x1.9fcef4p-27f, 0x1.9465cep-27f, -0x1.abaa58p-28f, 0x1.cb2cfap-30f
#define COS_16_HIGH_f32 \
    0x1p+0f, 0x1.f6297cp-1f, 0x1.d906bcp-1f, 0x1.a9b662p-1f, 0x1.6a09e6p-1f, 0x1.1c73b4p-1f, \
    0x1.87de2ap-2f, 0x1.8f8b84p-3f, 0x0p+0f, 0x1.8f8b84p-3f, 0x1.87de2ap-2f, 0x1.1c73b4p-1f, \
    0x1.6a09e6p-1f, 0x1.a9b662p-1f, 0x1.d906bcp-1f, 0x1.f6297cp-1f
#define COS_16_LOW_f32 \
    0x0p+0f, 0x1.feeb96p-26f, 0x1.e651a8p-26f, 0x1.21d434p-26f, 0x1.9fcef4p-27f, -0x1.9465cep-27f, \
    0x1.abaa58p-28f, -0x1.cb2cfap-30f, 0x0p+0f, -0x1.cb2cfap-30f, 0x1.abaa58p-28f, -0x1.9465cep-27f, \
    0x1.9fcef4p-27f, 0x1.21d434p-26f, 0x1.e651a8p-26f, 0x1.feeb96p-26f
#define COS_16_LESS_f32 \
    0x0p+0f, -0x1.3ad06p-6f, -0x1.37ca18p-4f, -0x1.592676p-3f, -0x1.2bec34p-2f, -0x1.c71898p-2f, \
    -0x1.3c10eap-1f, -0x1.9c1d2p-1f, -0x1p+0f, -0x1.9c1d2p-1f, -0x1.3c10eap-1f, -0x1.c71898p-2f, \
    -0x1.2bec34p-2f, -0x1.592676p-3f, -0x1.37ca18p-4f, -0x1.3ad06p-6f
#define PI_16_f32 \
    0x1.921fb6p-3f, -0x1.777a5cp-28f, -0x1.ee59dap-53f
#define PI_16_SHORT_f32 \
    0x1.92p-3f, 0x1.fb4p-15f, 0x1.444p-27f, 0x1.68c234p-42f
#define SIN_TAIL_f32 \
    -0x1.555556p-3f, 0x1.1100b4p-7f
#define TAN_TAIL_f32 \
    0x1.555556p-2f, 0x1.11107p-3f, 0x1.bcc314p-5f
#define COS_TAIL_f32 \
    -0x1.fffffep-2f, 0x1.5538b4p-5f
#define ATAN_NEAR_f32 \
    0x0p+0f, 0x1.4p-3f, 0x1.cp-3f, 0x1.4p-2f, 0x1.cp-2f, 0x1.4p-1f, 0x1.cp-1f, 0x1.4p+0f, 0x1.cp+0f, \
    0x1.4p+1f, 0x1.cp+1f, 0x1.4p+2f, 0x1.cp+2f, 0x1p+0f, 0x1p+0f, 0x1p+0f
#define ATAN_WEIGHT_f32 \
    0x1p+0f, 0x1p+0f, 0x1p+0f, 0x1p+0f, 0x1p+0f, 0x1p+0f, 0x1p+0f, 0x1p+0f, 0x1p+0f, 0x1p+0f, 0x1p+0f, \
    0x1p+0f, 0x1p+0f, 0x0p+0f, 0x0p+0f, 0x0p+0f
#define ATAN_HIGH_f32 \
    0x0p+0f, 0x1.3d6eeep-3f, 0x1.b90d76p-3f, 0x1.362774p-2f, 0x1.a64eecp-2f, 0x1.1e00bap-1f, \
    0x1.700a7cp-1f, 0x1.cac7c6p-1f, 0x1.0d38f2p+0f, 0x1.30b6d8p+0f, 0x1.4ae11p+0f, 0x1.5f9732p+0f, \
    0x1.6dcc58p+0f, 0x1.921fb6p+0f, 0x1.921fb6p+0f, 0x1.921fb6p+0f
#define ATAN_LOW_f32 \
    0x0p+0f, 0x1.18cc4ep-28f, -0x1.adb3ecp-28f, -0x1.1f0286p-27f, 0x1.e611fep-29f, 0x1.7bdfd6p-26f, \
    0x1.5e118cp-27f, -0x1.0f720cp-26f, 0x1.8b7414p-25f, -0x1.a56c96p-26f, -0x1.cd3b2ep-27f, \
    -0x1.5b56f6p-25f, -0x1.12a68p-26f, -0x1.777a5cp-25f, -0x1.777a5cp-25f, -0x1.777a5cp-25f
#define ATAN_TAIL_f32 \
    -0x1.555556p-2f, 0x1.99995cp-3f, -0x1.246634p-3f, 0x1.b31304p-4f
#define ASIN_TAIL_f32 \
    0x1.555554p-3f, 0x1.33343p-4f, 0x1.6d5bbap-5f, 0x1.fd8da2p-6f, 0x1.18f91ep-6f, 0x1.13fed4p-5f
#define PI_PARTS_f32 \
    0x1.921fb6p+1f, -0x1.777a5cp-24f
#define POW_TAIL_f32 \
    -0x1.fffffap-3f, 0x1.999d04p-3f, -0x1.55b764p-3f, 0x1.18754ap-3f
#define THIRD_f32 \
    0x1.555556p-2f, -0x1.555556p-27f
#define CBRT_GUESS_f32 \
    0x1p+0f, 0x1.088a2p+0f, 0x1.0ba6eep+0f, 0x1.12589cp+0f, 0x1.15f4d4p+0f, 0x1.19c3b4p+0f, \
    0x1.1dca4cp+0f, 0x1.220e6ep+0f, 0x1.2696d8p+0f, 0x1.2b6b5ep+0f, 0x1.309534p+0f, 0x1.309534p+0f, \
    0x1.361f36p+0f, 0x1.3c1656p+0f, 0x1.3c1656p+0f, 0x1.428a3p+0f
#define CBRT_SLOPE_f32 \
    0x1.555556p-2f, 0x1.3fa6e8p-2f, 0x1.3842cp-2f, 0x1.293554p-2f, 0x1.2189b2p-2f, 0x1.19c3b4p-2f, \
    0x1.11e1dep-2f, 0x1.09e29p-2f, 0x1.01c3fcp-2f, 0x1.f30848p-3f, 0x1.e24194p-3f, 0x1.e24194p-3f, \
    0x1.d12edp-3f, 0x1.bfca5p-3f, 0x1.bfca5p-3f, 0x1.ae0d94p-3f
#define CBRT_TWO_HIGH_f32 \
    0x1p+0f, 0x1.428a3p+0f, 0x1.965feap+0f, 0x1p+0f, 0x1.428a3p+0f, 0x1.965feap+0f, 0x1p+0f, \
    0x1.428a3p+0f, 0x1.965feap+0f, 0x1p+0f, 0x1.428a3p+0f, 0x1.965feap+0f, 0x1p+0f, 0x1.428a3p+0f, \
    0x1.965feap+0f, 0x1p+0f
#define CBRT_TWO_LOW_f32 \
    0x0p+0f, -0x1.9ca35ep-26f, 0x1.4f5b9p-26f, 0x0p+0f, -0x1.9ca35ep-26f, 0x1.4f5b9p-26f, 0x0p+0f, \
    -0x1.9ca35ep-26f, 0x1.4f5b9p-26f, 0x0p+0f, -0x1.9ca35ep-26f, 0x1.4f5b9p-26f, 0x0p+0f, \
    -0x1.9ca35ep-26f, 0x1.4f5b9p-26f, 0x0p+0f
#define CBRT_TAIL_f32 \
    0x1.555554p-2f, -0x1.c71e1ap-4f, 0x1.fa0ca4p-5f, -0x1.45516cp-5f
#define ERF_MIDDLE_f32 \
    0x0p+0f, 0x1.8p-2f, 0x1.4p-1f, 0x1.cp-1f, 0x1.2p+0f, 0x1.6p+0f, 0x1.ap+0f, 0x1.ep+0f, 0x1.1p+1f, \
    0x1.3p+1f, 0x1.5p+1f, 0x1.7p+1f, 0x1.9p+1f, 0x1.bp+1f, 0x1.dp+1f, 0x1.fp+1f
#define ERF_HIGH_f32 \
    0x0p+0f, 0x1.9dd0d2p-2f, 0x1.3f196ep-1f, 0x1.91724ap-1f, 0x1.c6dad2p-1f, 0x1.e5768cp-1f, \
    0x1.f4f694p-1f, 0x1.fbe61ep-1f, 0x1.fea422p-1f, 0x1.ff996p-1f, 0x1.ffe514p-1f, 0x1.fff9bap-1f, \
    0x1.fffeb4p-1f, 0x1.ffffc4p-1f, 0x1.fffff6p-1f, 0x1.fffffep-1f
#define ERF_LOW_f32 \
    0x0p+0f, 0x1.6e43e8p-27f, -0x1.978766p-28f, -0x1.5c8e08p-26f, 0x1.053d8cp-26f, 0x1.da51fep-28f, \
    -0x1.2610a2p-27f, 0x1.de99eep-26f, -0x1.ca69aep-27f, 0x1.e7d664p-26f, 0x1.77b832p-26f, \
    0x1.083a0ep-27f, -0x1.44d984p-29f, -0x1.d24c26p-26f, 0x1.8c3da6p-29f, 0x1.259db2p-26f
#define ERF_SLOPE_HIGH_f32 \
    0x1.20dd76p+0f, 0x1.f5f0cep-1f, 0x1.86e96ap-1f, 0x1.0cab62p-1f, 0x1.45e99cp-2f, 0x1.5ce596p-3f, \
    0x1.499d48p-4f, 0x1.12ceb4p-5f, 0x1.94624ep-7f, 0x1.06918cp-8f, 0x1.2ce898p-10f, 0x1.30539p-12f, \
    0x1.0f9e1cp-14f, 0x1.abe09ep-17f, 0x1.296a7p-19f, 0x1.6ce1aap-22f
#define ERF_SLOPE_LOW_f32 \
    -0x1.f7ac92p-25f, -0x1.43ab3cp-27f, -0x1.7d968cp-26f, -0x1.ef68dap-30f, -0x1.a24376p-29f, \
    -0x1.dd527ap-30f, -0x1.d0d632p-30f, -0x1.000c88p-30f, 0x1.e383ecp-33f, -0x1.39553cp-33f, \
    0x1.01248ap-35f, -0x1.12204cp-38f, -0x1.645924p-39f, 0x1.22896cp-42f, 0x1.e8280ap-44f, \
    0x1.febdeep-49f
#define ERF_TAIL_f32 \
    -0x1.f2df08p-32f, -0x1.78749ap-2f, -0x1.e8a3c4p-2f, -0x1.d62becp-2f, -0x1.6ea6dp-2f, \
    -0x1.dfbbaep-3f, -0x1.0bcfcap-3f, -0x1.01a1c8p-4f, -0x1.ada874p-6f, -0x1.37ccd6p-7f, \
    -0x1.8af148p-9f, -0x1.b5782p-11f, -0x1.a8670cp-13f, -0x1.69058ap-15f, -0x1.0d887cp-17f, \
    -0x1.617aaap-20f, -0x1.81273ep-2f, -0x1.e106c6p-3f, -0x1.c8105p-5f, 0x1.7c9d76p-4f, 0x1.4cb3dp-3f, \
    0x1.4374d8p-3f, 0x1.d6631ep-4f, 0x1.143d1cp-4f, 0x1.0ea476p-5f, 0x1.c1ec1p-7f, 0x1.407fbep-8f, \
    0x1.89e17cp-10f, 0x1.a3737ep-12f, 0x1.84523p-14f, 0x1.394b2p-16f, 0x1.b95fa8p-19f, -0x1.8dde96p-18f, \
    0x1.5528dep-3f, 0x1.69634ep-3f, 0x1.cc609ap-4f, 0x1.ca53f8p-6f, -0x1.f3b662p-6f, -0x1.974bd8p-5f, \
    -0x1.5a31cep-5f, -0x1.afe62p-6f, -0x1.ae5a1p-7f, -0x1.62d4dcp-8f, -0x1.ed498ap-10f, \
    -0x1.245242p-11f, -0x1.298b8p-13f, -0x1.057018p-15f, -0x1.8e11ep-18f, 0x1.ce93f4p-4f, 0x1.7488bp-5f, \
    -0x1.c12218p-6f, -0x1.13507cp-4f, -0x1.f65cfcp-5f, -0x1.f573acp-6f, -0x1.17daaep-9f, 0x1.779ab4p-7f, \
    0x1.99740ap-7f, 0x1.11db48p-7f, 0x1.146ca6p-8f, 0x1.c11f4ep-10f, 0x1.2e7dfep-11f, 0x1.5773e6p-13f, \
    0x1.4c1cecp-15f, 0x1.136d54p-17f, -0x1.5dc0eap-11f, -0x1.98521ap-5f, -0x1.516a66p-5f, \
    -0x1.55232ap-7f, 0x1.f87e9cp-7f, 0x1.6974a4p-6f, 0x1.d7e56p-7f, 0x1.0f396ap-8f, -0x1.d4fc84p-10f, \
    -0x1.96572cp-9f, -0x1.2662f8p-9f, -0x1.2bb17cp-10f, -0x1.dd0502p-12f, -0x1.35bddp-13f, \
    -0x1.4f8e88p-15f, -0x1.3351fcp-17f, -0x1.9ab2dap-6f, -0x1.658f78p-8f, 0x1.c5059ap-7f, \
    0x1.2f6ca4p-6f, 0x1.3a850cp-7f, -0x1.6a572ep-10f, -0x1.9320dcp-8f, -0x1.426dc6p-8f, \
    -0x1.ebc8e6p-10f, 0x1.e3e798p-14f, 0x1.6317f6p-11f, 0x1.14ebe2p-11f, 0x1.180c62p-12f, \
    0x1.aeb074p-14f, 0x1.0a56dep-15f, 0x1.1049dcp-17f
#define ERFC_MIDDLE_f32 \
    0x1p-2f, 0x1.4p-1f, 0x1.cp-1f, 0x1.4p+0f, 0x1.cp+0f, 0x1.4p+1f, 0x1.cp+1f, 0x1.4p+2f, 0x1.cp+2f, \
    0x1.4p+3f, 0x1.4p+3f, 0x1.4p+3f, 0x1.4p+3f, 0x1.4p+3f, 0x1.4p+3f, 0x1.4p+3f
#define ERFC_HIGH_f32 \
    0x1.8a6adcp-1f, 0x1.1d16b6p-1f, 0x1.db747ep-2f, 0x1.78a692p-2f, 0x1.23cfc2p-2f, 0x1.afbb4p-3f, \
    0x1.3e0a9ap-3f, 0x1.c5723ap-4f, 0x1.46dc6cp-4f, 0x1.cbe832p-5f, 0x1.cbe832p-5f, 0x1.cbe832p-5f, \
    0x1.cbe832p-5f, 0x1.cbe832p-5f, 0x1.cbe832p-5f, 0x1.cbe832p-5f
#define ERFC_LOW_f32 \
    0x1.b45d52p-26f, -0x1.fd8542p-27f, 0x1.c81358p-27f, 0x1.38767ap-30f, 0x1.e3b8fcp-27f, \
    -0x1.891978p-28f, -0x1.7c45bcp-29f, -0x1.6bc2e6p-32f, -0x1.bfc26p-34f, -0x1.9a3b7p-35f, \
    -0x1.9a3b7p-35f, -0x1.9a3b7p-35f, -0x1.9a3b7p-35f, -0x1.9a3b7p-35f, -0x1.9a3b7p-35f, \
    -0x1.9a3b7p-35f
#define ERFC_TAIL_f32 \
    -0x1.7c857cp-1f, -0x1.babd0ep-2f, -0x1.4369f6p-2f, -0x1.abaacep-3f, -0x1.0c3d54p-3f, \
    -0x1.3086d8p-4f, -0x1.5285d2p-5f, -0x1.5d8434p-6f, -0x1.6e4b46p-7f, -0x1.6c55c8p-8f, \
    -0x1.6c55c8p-8f, -0x1.6c55c8p-8f, -0x1.6c55c8p-8f, -0x1.6c55c8p-8f, -0x1.6c55c8p-8f, \
    -0x1.6c55c8p-8f, 0x1.2b498cp-1f, 0x1.257742p-2f, 0x1.80ef9p-3f, 0x1.b56f4ap-4f, 0x1.c8d0dp-5f, \
    0x1.9895a8p-6f, 0x1.5d5818p-7f, 0x1.08cfc6p-8f, 0x1.96a3fp-10f, 0x1.1f3e66p-11f, 0x1.1f3e66p-11f, \
    0x1.1f3e66p-11f, 0x1.1f3e66p-11f, 0x1.1f3e66p-11f, 0x1.1f3e66p-11f, 0x1.1f3e66p-11f, \
    -0x1.979986p-2f, -0x1.59c35cp-3f, -0x1.9d5868p-4f, -0x1.9b635ep-5f, -0x1.6cb53p-6f, -0x1.063218p-7f, \
    -0x1.5e5d84p-9f, -0x1.8abc74p-11f, -0x1.bf5084p-13f, -0x1.c2c9bap-15f, -0x1.c2c9bap-15f, \
    -0x1.c2c9bap-15f, -0x1.c2c9bap-15f, -0x1.c2c9bap-15f, -0x1.c2c9bap-15f, -0x1.c2c9bap-15f, \
    0x1.f090b2p-3f, 0x1.72d39p-4f, 0x1.98310cp-5f, 0x1.689b7ap-6f, 0x1.13615ep-7f, 0x1.433de8p-9f, \
    0x1.562454p-11f, 0x1.215c88p-13f, 0x1.e78bd8p-16f, 0x1.5f9ecep-18f, 0x1.5f9ecep-18f, \
    0x1.5f9ecep-18f, 0x1.5f9ecep-18f, 0x1.5f9ecep-18f, 0x1.5f9ecep-18f, 0x1.5f9ecep-18f, \
    -0x1.145d78p-3f, -0x1.6fcdb2p-5f, -0x1.779d4ap-6f, -0x1.29917ep-7f, -0x1.8bf32ep-9f, \
    -0x1.807d26p-11f, -0x1.45febap-13f, -0x1.a24dp-16f, -0x1.077964p-18f, -0x1.115e84p-21f, \
    -0x1.115e84p-21f, -0x1.115e84p-21f, -0x1.115e84p-21f, -0x1.115e84p-21f, -0x1.115e84p-21f, \
    -0x1.115e84p-21f, 0x1.23ff6ap-4f, 0x1.56e304p-6f, 0x1.46941p-7f, 0x1.d891acp-9f, 0x1.13956cp-10f, \
    0x1.c98092p-13f, 0x1.365b52p-15f, 0x1.3abc38p-18f, 0x1.23467ep-21f, 0x1.c457bep-25f, \
    0x1.c457bep-25f, 0x1.c457bep-25f, 0x1.c457bep-25f, 0x1.c457bep-25f, 0x1.c457bep-25f, \
    0x1.c457bep-25f, -0x1.192e82p-5f, -0x1.2bd81p-7f, -0x1.0bc52cp-8f, -0x1.6041eep-10f, \
    -0x1.6c1e58p-12f, -0x1.fd9d08p-15f, -0x1.1a6724p-17f, -0x1.b9a2eap-21f, -0x1.356bfap-24f, \
    -0x1.5c4e48p-28f, -0x1.5c4e48p-28f, -0x1.5c4e48p-28f, -0x1.5c4e48p-28f, -0x1.5c4e48p-28f, \
    -0x1.5c4e48p-28f, -0x1.5c4e48p-28f
/* clang-format on */
#endif
