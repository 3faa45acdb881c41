/*
 * Constants of the vector mathematics, printed by bench/fit.py (which says how they are found).
 */
#ifndef ENGINE_CPU_MATH_CONSTANTS_H
#define ENGINE_CPU_MATH_CONSTANTS_H
/* clang-format off */
#define DIGITS_f32 24 /* of the significand */
#define BIAS_f32 127 /* of the exponent */
#define SMALLEST_f32 0x1p-126f /* normal number */
#define TO_NORMAL_f32 0x1p24f /* makes subnormal numbers normal */
#define NORMAL_BITS_f32 24 /* its exponent */
#define EXP_FAR_f32 110 /* exp is 0 or infinite from here on */
#define EXPM1_FAR_f32 22 /* expm1 is -1 to the left of minus this, and tanh 1 to the right of half of it */
#define SINH_FAR_f32 89.5f /* sinh overflows */
#define NEAR_ASINH_f32 0x1p-12f /* asinh x rounds to x - x^3/6 */
#define FAR_ASINH_f32 0x1p32f /* asinh x rounds to log 2x */
#define MOST_f32 0x1.fffffep127f /* finite number */
#define ATAN2_FAR_f32 0x1p100f /* no product of atan2 leaves the normal numbers below */
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
    0x1p+0f, 0x1.d8p-1f, 0x1.b8p-1f, 0x1.a8p-1f, 0x1.9p-1f, 0x1.8p-1f, 0x1.7p-1f, 0x1.6p-1f, 0x1.5p-1f, \
    0x1.4p-1f, 0x1.38p-1f, 0x1.28p-1f, 0x1.2p-1f, 0x1.18p-1f, 0x1.1p-1f, 0x1p-1f
#define LOG_TABLE_HIGH_f32 \
    0x0p+0f, 0x1.4d4p-4f, 0x1.366p-3f, 0x1.824p-3f, 0x1.f9ap-3f, 0x1.269p-2f, 0x1.523p-2f, 0x1.7fbp-2f, \
    0x1.af5p-2f, 0x1.e15p-2f, 0x1.fb3p-2f, 0x1.189p-1f, 0x1.2698p-1f, 0x1.35p-1f, 0x1.43d8p-1f, \
    0x1.62e8p-1f
#define LOG_TABLE_LOW_f32 \
    0x0p+0f, -0x1.dd45cp-17f, -0x1.a7f538p-22f, -0x1.f4d572p-18f, -0x1.c72698p-16f, 0x1.8844d4p-16f, \
    -0x1.47e31ep-16f, -0x1.7109fap-20f, 0x1.4a9246p-17f, -0x1.d79764p-16f, 0x1.62bdeap-16f, \
    -0x1.1bf0dcp-17f, -0x1.deecb2p-17f, 0x1.456cecp-16f, 0x1.ff2f92p-17f, -0x1.e8082ep-16f
#define LOG_TWO_f32 \
    0x1.62e8p-1f, -0x1.e8082ep-16f
#define LOG_SCALE_f32 \
    0x1p+0f, 0x0p+0f
#define LOG2_TABLE_HIGH_f32 \
    0x0p+0f, 0x1.e0cp-4f, 0x1.bfcp-3f, 0x1.16ap-2f, 0x1.6cbp-2f, 0x1.a9p-2f, 0x1.e7ep-2f, 0x1.14c8p-1f, \
    0x1.372p-1f, 0x1.5b3p-1f, 0x1.6dep-1f, 0x1.94cp-1f, 0x1.a9p-1f, 0x1.bddp-1f, 0x1.d338p-1f, 0x1p+0f
#define LOG2_TABLE_LOW_f32 \
    0x0p+0f, -0x1.ca2e1ap-17f, 0x1.9eap-17f, -0x1.fd64ep-17f, 0x1.ed0cbap-19f, -0x1.a39fbep-20f, \
    -0x1.40358ep-19f, -0x1.4f80ccp-16f, 0x1.15db84p-16f, -0x1.e12f34p-16f, -0x1.eac382p-20f, \
    0x1.43a496p-16f, -0x1.a39fbep-19f, -0x1.62336ap-17f, 0x1.20a6dep-21f, 0x0p+0f
#define LOG2_TWO_f32 \
    0x1p+0f, 0x0p+0f
#define LOG2_SCALE_f32 \
    0x1.715476p+0f, 0x1.4ae0cp-26f
#define LOG10_TABLE_HIGH_f32 \
    0x0p+0f, 0x1.218p-5f, 0x1.0d8p-4f, 0x1.4f8p-4f, 0x1.b74p-4f, 0x1.ffcp-4f, 0x1.25cp-3f, 0x1.4d4p-3f, \
    0x1.76ap-3f, 0x1.a2p-3f, 0x1.b88p-3f, 0x1.e76p-3f, 0x1.ffcp-3f, 0x1.0c6p-2f, 0x1.195p-2f, \
    0x1.344p-2f
#define LOG10_TABLE_LOW_f32 \
    0x0p+0f, -0x1.7e4a38p-17f, 0x1.66cc66p-16f, -0x1.54991p-18f, -0x1.e32e8ep-16f, -0x1.ea21c4p-23f, \
    -0x1.5f7a94p-17f, 0x1.fc13aep-18f, 0x1.172eep-17f, 0x1.3509f8p-16f, 0x1.ccf9f2p-16f, \
    0x1.24046cp-19f, -0x1.ea21c4p-22f, 0x1.c475aap-16f, -0x1.310842p-16f, 0x1.3509f8p-18f
#define LOG10_TWO_f32 \
    0x1.344p-2f, 0x1.3509f8p-18f
#define LOG10_SCALE_f32 \
    0x1.bcb7b2p-2f, -0x1.5b235ep-27f
#define LOG_TAIL_f32 \
    -0x1p-1f, 0x1.555554p-2f, -0x1.000352p-2f, 0x1.99d1dep-3f, -0x1.415ff8p-3f
/* m / c - 1 lies in [-0.033203, 0.0625] */
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
    0x1.55555ep-3f, 0x1.332732p-4f, 0x1.70a6bcp-5f, 0x1.b311d2p-6f, 0x1.37fe16p-5f
#define PI_PARTS_f32 \
    0x1.921fb6p+1f, -0x1.777a5cp-24f
#define DIGITS_f64 53 /* of the significand */
#define BIAS_f64 1023 /* of the exponent */
#define SMALLEST_f64 0x1p-1022 /* normal number */
#define TO_NORMAL_f64 0x1p54 /* makes subnormal numbers normal */
#define NORMAL_BITS_f64 54 /* its exponent */
#define EXP_FAR_f64 760 /* exp is 0 or infinite from here on */
#define EXPM1_FAR_f64 44 /* expm1 is -1 to the left of minus this, and tanh 1 to the right of half of it */
#define SINH_FAR_f64 710.5 /* sinh overflows */
#define NEAR_ASINH_f64 0x1p-27 /* asinh x rounds to x - x^3/6 */
#define FAR_ASINH_f64 0x1p64 /* asinh x rounds to log 2x */
#define MOST_f64 0x1.fffffffffffffp1023 /* finite number */
#define ATAN2_FAR_f64 0x1p900 /* no product of atan2 leaves the normal numbers below */
#define TRIG_FAR_f64 0x1p17 /* angles that the reduction can take, with FMA */
#define TRIG_FAR_SHORT_f64 0x1p17 /* and without */
#define EXP2_16_HIGH_f64 \
    0x1p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0, \
    0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0, 0x1.6a09e667f3bcdp+0, \
    0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f09p+0, 0x1.ae89f995ad3adp+0, \
    0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0
#define EXP2_16_LOW_f64 \
    0x0p+0, 0x1.8a62e4adc610bp-54, -0x1.19041b9d78a76p-55, 0x1.9b07eb6c70573p-54, 0x1.6f46ad23182e4p-55, \
    0x1.ada0911f09ebcp-55, 0x1.d4397afec42e2p-56, 0x1.6324c054647adp-54, -0x1.bdd3413b26456p-54, \
    -0x1.41577ee04992fp-55, 0x1.6e9f156864b27p-54, 0x1.c7c46b071f2bep-56, 0x1.7a1cd345dcc81p-54, \
    0x1.11065895048ddp-55, 0x1.2ed02d75b3707p-55, -0x1.e9c23179c2893p-54
#define LN2_16_f64 \
    0x1.62e42fefap-5, 0x1.cf79abc9e3b3ap-44
#define EXP_TAIL_f64 \
    0x1.0000000000001p-1, 0x1.5555555555556p-3, 0x1.55555554e4e34p-5, 0x1.11111110df174p-7, \
    0x1.6c17f353d3ca1p-10, 0x1.a01b118a75c35p-13
#define SINH_TAIL_f64 \
    0x1.5555555555555p-3, 0x1.1111111111111p-7, 0x1.a01a019fd9643p-13, 0x1.71df0d462666ep-19
#define COSH_TAIL_f64 \
    0x1p-1, 0x1.5555555555556p-5, 0x1.6c16c16bbde8ep-10, 0x1.a01b23ab28451p-16
#define LOG_INVERSE_f64 \
    0x1p+0, 0x1.d8p-1, 0x1.b8p-1, 0x1.a8p-1, 0x1.9p-1, 0x1.8p-1, 0x1.7p-1, 0x1.6p-1, 0x1.5p-1, 0x1.4p-1, \
    0x1.38p-1, 0x1.28p-1, 0x1.2p-1, 0x1.18p-1, 0x1.1p-1, 0x1p-1
#define LOG_TABLE_HIGH_f64 \
    0x0p+0, 0x1.4d3115d208p-4, 0x1.365fcb015ap-3, 0x1.823c16551ap-3, 0x1.f991c6cb3cp-3, \
    0x1.269621134ep-2, 0x1.522ae0738ap-2, 0x1.7fafa3bd81p-2, 0x1.af5295248dp-2, 0x1.e148a1a272p-2, \
    0x1.fb358af7a5p-2, 0x1.188ee40f24p-1, 0x1.269621134d8p-1, 0x1.35028ad9d9p-1, 0x1.43d9ff2f92p-1, \
    0x1.62e42fefa38p-1
#define LOG_TABLE_LOW_f64 \
    0x0p+0, -0x1.53a2582f4e1efp-48, -0x1.fd3a0afb9691bp-44, 0x1.e0ddb9a631e83p-46, \
    -0x1.90d04cd7cc834p-44, -0x1.1b61f10522625p-44, 0x1.ebe708164c759p-45, 0x1.46fb79bf6d4cbp-44, \
    -0x1.17cc552774458p-45, 0x1.b36537e3375b2p-44, -0x1.def40b87d36d9p-44, -0x1.accec41d52e6cp-44, \
    0x1.c93c1df5bb3b6p-44, -0x1.bd1f01ab60655p-44, 0x1.e267b0b7efae1p-44, 0x1.ef35793c7673p-45
#define LOG_TWO_f64 \
    0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45
#define LOG_SCALE_f64 \
    0x1p+0, 0x0p+0
#define LOG2_TABLE_HIGH_f64 \
    0x0p+0, 0x1.e0b1ae8f3p-4, 0x1.bfc67a8p-3, 0x1.169c05363fp-2, 0x1.6cb0f6865dp-2, 0x1.a8ff971811p-2, \
    0x1.e7df5fe539p-2, 0x1.14c560fe688p-1, 0x1.37222bb7078p-1, 0x1.5b2c3da197p-1, 0x1.6ddfc2a79p-1, \
    0x1.94c287492c8p-1, 0x1.a8ff9718108p-1, 0x1.bdce9dcc96p-1, 0x1.d338120a6ep-1, 0x1p+0
#define LOG2_TABLE_LOW_f64 \
    0x0p+0, -0x1.54cda62d3926ep-47, -0x1.667f21fa8423fp-44, 0x1.5872350f805d6p-46, \
    -0x1.c57f2495fb7fap-44, -0x1.6879fa00b120ap-44, -0x1.532c412ba94dbp-44, 0x1.7c407050799bfp-44, \
    -0x1.c22d2cad415aep-44, 0x1.1d406db502403p-44, -0x1.ce60916e52e91p-44, -0x1.927dfc23d978p-44, \
    0x1.2f0c0bfe9dbecp-44, 0x1.871a7610e40bdp-45, -0x1.3167ccc538261p-44, 0x0p+0
#define LOG2_TWO_f64 \
    0x1p+0, 0x0p+0
#define LOG2_SCALE_f64 \
    0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56
#define LOG10_TABLE_HIGH_f64 \
    0x0p+0, 0x1.21681b5c9p-5, 0x1.0d966cc65p-4, 0x1.4f7aad9bbcp-4, 0x1.b721cd1714p-4, 0x1.ffbfc2bbc8p-4, \
    0x1.25ba8215bp-3, 0x1.4d43f8275ap-3, 0x1.76a45cbb7ep-3, 0x1.a209a84fbcp-3, 0x1.b88e67cf98p-3, \
    0x1.e76124046cp-3, 0x1.ffbfc2bbc8p-3, 0x1.0c6711d6acp-2, 0x1.194b3bdef7p-2, 0x1.34413509f8p-2
#define LOG10_TABLE_LOW_f64 \
    0x0p+0, -0x1.ef65393de7321p-44, 0x1.f3735158d42c3p-49, 0x1.75da8a5871b9ap-45, 0x1.7e295f660b9dap-44, \
    -0x1.ff229f20ed3d2p-46, -0x1.007bf2d8bf07ap-44, 0x1.20ca9a2bcc728p-45, 0x1.bfb1de334b1cbp-45, \
    0x1.fef311f12b358p-44, -0x1.a01b9bb0ebf1bp-45, -0x1.81a1e23fe0fb6p-44, -0x1.ff229f20ed3d2p-45, \
    -0x1.42d6ae59e7d9cp-45, -0x1.1881d6fbdee94p-44, -0x1.80433b83b532ap-44
#define LOG10_TWO_f64 \
    0x1.34413509f8p-2, -0x1.80433b83b532ap-44
#define LOG10_SCALE_f64 \
    0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57
#define LOG_TAIL_f64 \
    -0x1p-1, 0x1.5555555555555p-2, -0x1.ffffffffffffbp-3, 0x1.9999999999a7bp-3, -0x1.555555555c1b3p-3, \
    0x1.249249242500ap-3, -0x1.ffffff89ac698p-4, 0x1.c71c71121ea88p-4, -0x1.999b4070736a6p-4, \
    0x1.7472c76afcdacp-4, -0x1.5396bc8a2e525p-4, 0x1.0d7eee2a1b25p-4
/* m / c - 1 lies in [-0.033203, 0.0625] */
#define SIN_16_HIGH_f64 \
    0x0p+0, 0x1.8f8b83c69a60bp-3, 0x1.87de2a6aea963p-2, 0x1.1c73b39ae68c8p-1, 0x1.6a09e667f3bcdp-1, \
    0x1.a9b66290ea1a3p-1, 0x1.d906bcf328d46p-1, 0x1.f6297cff75cbp-1, -0x1p+0, -0x1.f6297cff75cbp-1, \
    -0x1.d906bcf328d46p-1, -0x1.a9b66290ea1a3p-1, -0x1.6a09e667f3bcdp-1, -0x1.1c73b39ae68c8p-1, \
    -0x1.87de2a6aea963p-2, -0x1.8f8b83c69a60bp-3
#define SIN_16_LOW_f64 \
    0x0p+0, -0x1.26d19b9ff8d82p-57, -0x1.72cedd3d5a61p-57, 0x1.b25dd267f66p-55, -0x1.bdd3413b26456p-55, \
    0x1.9f630e8b6dac8p-60, 0x1.457e610231ac2p-56, 0x1.562172a361fd3p-56, 0x0p+0, -0x1.562172a361fd3p-56, \
    -0x1.457e610231ac2p-56, -0x1.9f630e8b6dac8p-60, 0x1.bdd3413b26456p-55, -0x1.b25dd267f66p-55, \
    0x1.72cedd3d5a61p-57, 0x1.26d19b9ff8d82p-57
#define COS_16_HIGH_f64 \
    0x1p+0, 0x1.f6297cff75cbp-1, 0x1.d906bcf328d46p-1, 0x1.a9b66290ea1a3p-1, 0x1.6a09e667f3bcdp-1, \
    0x1.1c73b39ae68c8p-1, 0x1.87de2a6aea963p-2, 0x1.8f8b83c69a60bp-3, 0x0p+0, 0x1.8f8b83c69a60bp-3, \
    0x1.87de2a6aea963p-2, 0x1.1c73b39ae68c8p-1, 0x1.6a09e667f3bcdp-1, 0x1.a9b66290ea1a3p-1, \
    0x1.d906bcf328d46p-1, 0x1.f6297cff75cbp-1
#define COS_16_LOW_f64 \
    0x0p+0, 0x1.562172a361fd3p-56, 0x1.457e610231ac2p-56, 0x1.9f630e8b6dac8p-60, -0x1.bdd3413b26456p-55, \
    0x1.b25dd267f66p-55, -0x1.72cedd3d5a61p-57, -0x1.26d19b9ff8d82p-57, 0x0p+0, -0x1.26d19b9ff8d82p-57, \
    -0x1.72cedd3d5a61p-57, 0x1.b25dd267f66p-55, -0x1.bdd3413b26456p-55, 0x1.9f630e8b6dac8p-60, \
    0x1.457e610231ac2p-56, 0x1.562172a361fd3p-56
#define COS_16_LESS_f64 \
    0x0p+0, -0x1.3ad06011469fbp-6, -0x1.37ca1866b95cfp-4, -0x1.592675bc57974p-3, -0x1.2bec333018867p-2, \
    -0x1.c71898ca32e6fp-2, -0x1.3c10eaca8ab4fp-1, -0x1.9c1d1f0e5967dp-1, -0x1p+0, -0x1.9c1d1f0e5967dp-1, \
    -0x1.3c10eaca8ab4fp-1, -0x1.c71898ca32e6fp-2, -0x1.2bec333018867p-2, -0x1.592675bc57974p-3, \
    -0x1.37ca1866b95cfp-4, -0x1.3ad06011469fbp-6
#define PI_16_f64 \
    0x1.921fb544p-3, 0x1.0b4611a6p-37, 0x1.3198a2e037073p-72
#define PI_16_SHORT_f64 \
    0x1.921fb544p-3, 0x1.0b4611a6p-37, 0x1.3198a2e037073p-72
#define SIN_TAIL_f64 \
    -0x1.5555555555555p-3, 0x1.11111111103aap-7, -0x1.a01a01359a9d9p-13, 0x1.71cd4d87bb5ep-19
#define TAN_TAIL_f64 \
    0x1.5555555555555p-2, 0x1.1111111111111p-3, 0x1.ba1ba1ba1c008p-5, 0x1.664f4880fd828p-6, \
    0x1.226e395ed25f2p-7, 0x1.d6ca8057ea671p-9, 0x1.830196df74b5p-10
#define COS_TAIL_f64 \
    -0x1p-1, 0x1.555555555307ap-5, -0x1.6c16c0d9a85ddp-10, 0x1.a002bc1d4e462p-16
#define ATAN_NEAR_f64 \
    0x0p+0, 0x1.4p-3, 0x1.cp-3, 0x1.4p-2, 0x1.cp-2, 0x1.4p-1, 0x1.cp-1, 0x1.4p+0, 0x1.cp+0, 0x1.4p+1, \
    0x1.cp+1, 0x1.4p+2, 0x1.cp+2, 0x1p+0, 0x1p+0, 0x1p+0
#define ATAN_WEIGHT_f64 \
    0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, \
    0x1p+0, 0x0p+0, 0x0p+0, 0x0p+0
#define ATAN_HIGH_f64 \
    0x0p+0, 0x1.3d6eee8c6626cp-3, 0x1.b90d7529260a2p-3, 0x1.362773707ebccp-2, 0x1.a64eec3cc23fdp-2, \
    0x1.1e00babdefeb4p-1, 0x1.700a7c5784634p-1, 0x1.cac7c57846f9ep-1, 0x1.0d38f2c5ba09fp+0, \
    0x1.30b6d796a4da8p+0, 0x1.4ae10fc6589a5p+0, 0x1.5f97315254857p+0, 0x1.6dcc57bb565fdp+0, \
    0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0, 0x1.921fb54442d18p+0
#define ATAN_LOW_f64 \
    0x0p+0, 0x1.61a3b0ce9281bp-57, 0x1.17b10d2e0e5abp-61, -0x1.963a544b672d8p-57, \
    -0x1.24dec1b50b7ffp-56, -0x1.928df287a668fp-58, -0x1.8c34d25aadef6p-56, 0x1.0dae13ad18a6bp-55, \
    -0x1.bd0dc231bfd7p-54, 0x1.6254cb03bb199p-54, -0x1.3b03e8a27f555p-54, -0x1.31151a43b51cap-55, \
    -0x1.29c86447928e7p-54, 0x1.1a62633145c07p-54, 0x1.1a62633145c07p-54, 0x1.1a62633145c07p-54
#define ATAN_TAIL_f64 \
    -0x1.5555555555555p-2, 0x1.9999999999944p-3, -0x1.2492492482794p-3, 0x1.c71c71a376f8fp-4, \
    -0x1.745d0383f8d9ep-4, 0x1.3b0dbbaef9cedp-4, -0x1.10111cb0c91b8p-4, 0x1.b4b4ffa24dee8p-5
#define ASIN_TAIL_f64 \
    0x1.555555555554fp-3, 0x1.3333333336da5p-4, 0x1.6db6db684b6a1p-5, 0x1.f1c71f95269afp-6, \
    0x1.6e8b2b3b10be4p-6, 0x1.1c593c7b1d958p-6, 0x1.c87265d47ef49p-7, 0x1.8522ddffa6208p-7, \
    0x1.ff5fc4d14c735p-8, 0x1.06b9d26d10838p-6, -0x1.603991d6060ep-7, 0x1.cd864394d2ff2p-6
#define PI_PARTS_f64 \
    0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53
/* clang-format on */
#endif
