/* Constants of the vector mathematics, printed by bench/support/fit.py (which says how they are found). */
#ifndef ENGINE_CPU_MATH_MATH_CONSTANTS_F64_H
#define ENGINE_CPU_MATH_MATH_CONSTANTS_F64_H
/* clang-format off */
#define DIGITS_f64 53 /* of the significand */
#define BIAS_f64 1023 /* of the exponent */
#define SMALLEST_f64 0x1p-1022 /* normal number */
#define TO_NORMAL_f64 0x1p54 /* makes subnormal numbers normal */
#define NORMAL_BITS_f64 54 /* its exponent */
#define EXP_FAR_f64 760 /* exp is 0 or infinite from here on */
#define EXPM1_FAR_f64 44 /* expm1 is -1 to the left of minus this, and tanh 1 to the right of half of it */
#define SINH_FAR_f64 0x1.633ce8fb9f87dp9 /* sinh is finite up to here */
#define NEAR_ASINH_f64 0x1p-27 /* asinh x rounds to x - x^3/6 */
#define FAR_ASINH_f64 0x1p64 /* asinh x rounds to log 2x */
#define MOST_f64 0x1.fffffffffffffp1023 /* finite number */
#define ATAN2_FAR_f64 0x1p900 /* no product of atan2 leaves the normal numbers below */
#define POW_FAR_f64 0x1p70 /* exponents from here on are as good as infinite */
#define ERF_FAR_f64 0x1.7ffffp2 /* erf is 1; a little less than the end of the last interval */
#define ERF_PIECES_f64 (16.0 / 6) /* on the unit of length */
#define ERFC_FAR_f64 28 /* erfc is 0 */
#define EXP10_FAR_f64 340 /* exp10 is 0 or infinite from here on */
#define GAMMA_FAR_f64 200 /* gamma is 0 or infinite from here on */
#define GAMMA_TINY_f64 0x1p-60 /* gamma x rounds to 1/x, and lgamma to -log |x| */
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
#define LN2_f64 \
    0x1.62e42fefap-1, 0x1.cf79abc9e3b3ap-40
#define LG2_f64 \
    0x1.34413509f8p-2, -0x1.80433b83b532ap-44
#define EXP_TAIL_f64 \
    0x1.0000000000001p-1, 0x1.5555555555556p-3, 0x1.55555554e4e34p-5, 0x1.11111110df174p-7, \
    0x1.6c17f353d3ca1p-10, 0x1.a01b118a75c35p-13
#define EXP2_4_HIGH_f64 \
    0x1p+0, 0x1.306fe0a31b715p+0, 0x1.6a09e667f3bcdp+0, 0x1.ae89f995ad3adp+0
#define EXP2_4_LOW_f64 \
    0x0p+0, 0x1.6f46ad23182e4p-55, -0x1.bdd3413b26456p-54, 0x1.7a1cd345dcc81p-54
#define EXP_4_TAIL_f64 \
    0x1p-1, 0x1.5555555555555p-3, 0x1.55555555566c1p-5, 0x1.1111111111767p-7, 0x1.6c16c1133bff6p-10, \
    0x1.a01a015f7b2cep-13, 0x1.a02c22a9d7ce2p-16, 0x1.71eb6997b8dc8p-19
#define SINH_TAIL_f64 \
    0x1.5555555555555p-3, 0x1.1111111111111p-7, 0x1.a01a019fd9643p-13, 0x1.71df0d462666ep-19
#define COSH_TAIL_f64 \
    0x1p-1, 0x1.5555555555556p-5, 0x1.6c16c16bbde8ep-10, 0x1.a01b23ab28451p-16
#define LOG_INVERSE_f64 \
    0x1p+0, 0x1.dp-1, 0x1.cp-1, 0x1.ap-1, 0x1.9p-1, 0x1.8p-1, 0x1.7p-1, 0x1.6p-1, 0x1.5p-1, 0x1.4p-1, \
    0x1.3p-1, 0x1.3p-1, 0x1.2p-1, 0x1.1p-1, 0x1.1p-1, 0x1p-1
#define LOG_TABLE_HIGH_f64 \
    0x0p+0, 0x1.9335e5d594p-4, 0x1.1178e8227ep-3, 0x1.a93ed3c8aep-3, 0x1.f991c6cb3cp-3, \
    0x1.269621134ep-2, 0x1.522ae0738ap-2, 0x1.7fafa3bd81p-2, 0x1.af5295248dp-2, 0x1.e148a1a272p-2, \
    0x1.0ae76e2d058p-1, 0x1.0ae76e2d058p-1, 0x1.269621134d8p-1, 0x1.43d9ff2f92p-1, 0x1.43d9ff2f92p-1, \
    0x1.62e42fefa38p-1
#define LOG_TABLE_LOW_f64 \
    0x0p+0, 0x1.3115c3abd47dap-45, 0x1.1ef78ce2d07f2p-45, -0x1.8724350562169p-45, \
    -0x1.90d04cd7cc834p-44, -0x1.1b61f10522625p-44, 0x1.ebe708164c759p-45, 0x1.46fb79bf6d4cbp-44, \
    -0x1.17cc552774458p-45, 0x1.b36537e3375b2p-44, -0x1.82de51de06076p-44, -0x1.82de51de06076p-44, \
    0x1.c93c1df5bb3b6p-44, 0x1.e267b0b7efae1p-44, 0x1.e267b0b7efae1p-44, 0x1.ef35793c7673p-45
#define LOG_TWO_f64 \
    0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45
#define LOG_SCALE_f64 \
    0x1p+0, 0x0p+0
#define LOG2_TABLE_HIGH_f64 \
    0x0p+0, 0x1.22dadc2ab4p-3, 0x1.8a8980abfcp-3, 0x1.32bfee370fp-2, 0x1.6cb0f6865dp-2, \
    0x1.a8ff971811p-2, 0x1.e7df5fe539p-2, 0x1.14c560fe688p-1, 0x1.37222bb7078p-1, 0x1.5b2c3da197p-1, \
    0x1.810fa51bf68p-1, 0x1.810fa51bf68p-1, 0x1.a8ff9718108p-1, 0x1.d338120a6ep-1, 0x1.d338120a6ep-1, \
    0x1p+0
#define LOG2_TABLE_LOW_f64 \
    0x0p+0, -0x1.6d25a5b8a19b2p-44, -0x1.66cccab240e9p-46, -0x1.979a5db68721dp-46, \
    -0x1.c57f2495fb7fap-44, -0x1.6879fa00b120ap-44, -0x1.532c412ba94dbp-44, 0x1.7c407050799bfp-44, \
    -0x1.c22d2cad415aep-44, 0x1.1d406db502403p-44, -0x1.0144751b3314fp-44, -0x1.0144751b3314fp-44, \
    0x1.2f0c0bfe9dbecp-44, -0x1.3167ccc538261p-44, -0x1.3167ccc538261p-44, 0x0p+0
#define LOG2_TWO_f64 \
    0x1p+0, 0x0p+0
#define LOG2_SCALE_f64 \
    0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56
#define LOG10_TABLE_HIGH_f64 \
    0x0p+0, 0x1.5e3966b7e8p-5, 0x1.db11ed7668p-5, 0x1.715d0ce368p-4, 0x1.b721cd1714p-4, \
    0x1.ffbfc2bbc8p-4, 0x1.25ba8215bp-3, 0x1.4d43f8275ap-3, 0x1.76a45cbb7ep-3, 0x1.a209a84fbcp-3, \
    0x1.cfa8e765ccp-3, 0x1.cfa8e765ccp-3, 0x1.ffbfc2bbc8p-3, 0x1.194b3bdef7p-2, 0x1.194b3bdef7p-2, \
    0x1.34413509f8p-2
#define LOG10_TABLE_LOW_f64 \
    0x0p+0, 0x1.2951bb9cd2fb7p-45, 0x1.5fa196e1e0ddap-44, -0x1.41149840eaa65p-46, 0x1.7e295f660b9dap-44, \
    -0x1.ff229f20ed3d2p-46, -0x1.007bf2d8bf07ap-44, 0x1.20ca9a2bcc728p-45, 0x1.bfb1de334b1cbp-45, \
    0x1.fef311f12b358p-44, -0x1.2386ad8b819b8p-45, -0x1.2386ad8b819b8p-45, -0x1.ff229f20ed3d2p-45, \
    -0x1.1881d6fbdee94p-44, -0x1.1881d6fbdee94p-44, -0x1.80433b83b532ap-44
#define LOG10_TWO_f64 \
    0x1.34413509f8p-2, -0x1.80433b83b532ap-44
#define LOG10_SCALE_f64 \
    0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57
#define LOG_TAIL_f64 \
    -0x1p-1, 0x1.5555555555555p-2, -0x1.ffffffffffff8p-3, 0x1.9999999999947p-3, -0x1.555555555eeadp-3, \
    0x1.249249251a3e6p-3, -0x1.ffffff7f20d02p-4, 0x1.c71c6835a50b3p-4, -0x1.999ae58d8a7a8p-4, \
    0x1.747eaacb08d0fp-4, -0x1.54a3844f49e78p-4, 0x1.137c16b199894p-4
/* m / c - 1 lies in [-0.037109, 0.0625] */
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
#define OVER_TAU \
    0, UINT64_C(0x28be60db9391054a), UINT64_C(0x7f09d5f47d4d3770), \
    UINT64_C(0x36d8a5664f10e410), UINT64_C(0x7f9458eaf7aef158), UINT64_C(0x6dc91b8e909374b8), \
    UINT64_C(0x01924bba82746487), UINT64_C(0x3f877ac72c4a69cf), UINT64_C(0xba208d7d4baed121), \
    UINT64_C(0x3a671c09ad17df90), UINT64_C(0x4e64758e60d4ce7d), UINT64_C(0x272117e2ef7e4a0e), \
    UINT64_C(0xc7fe25fff7816603), UINT64_C(0xfbcbc462d6829b47), UINT64_C(0xdb4d9fb3c9f2c26d), \
    UINT64_C(0xd3d18fd9a797fa8b), UINT64_C(0x5d49eeb1faf97c5e), UINT64_C(0xcf41ce7de294a4ba), \
    UINT64_C(0x9afed7ec47e35742), UINT64_C(0x1580cc11bf1edaea), UINT64_C(0xfc33ef0826bd0d87)
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
    0x1.5555555555555p-3, 0x1.3333333333388p-4, 0x1.6db6db6dac1ep-5, 0x1.f1c71c7a52ba3p-6, \
    0x1.6e8ba123e494cp-6, 0x1.1c4efce23019fp-6, 0x1.c990ad3d8fdcap-7, 0x1.7b027ee1dd585p-7, \
    0x1.3b49de7121487p-7, 0x1.31622469ce5adp-7, 0x1.8f193743418ffp-9, 0x1.406192d124629p-6, \
    -0x1.3b416bb7d9257p-6, 0x1.e529c6fce9bb4p-6
#define PI_PARTS_f64 \
    0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53
#define POW_TAIL_f64 \
    -0x1p-2, 0x1.999999999996ap-3, -0x1.55555555572adp-3, 0x1.24924924ef6e4p-3, -0x1.ffffffd3dae7ap-4, \
    0x1.c71c6acd1789fp-4, -0x1.999a2e826c02p-4, 0x1.74775aa1cde16p-4, -0x1.55277662fba4fp-4, \
    0x1.19b7d76c784c3p-4
#define THIRD_f64 \
    0x1.5555555555555p-2, 0x1.5555555555555p-56
#define CBRT_GUESS_f64 \
    0x1p+0, 0x1.088a208c3fe28p+0, 0x1.0ba6ee5f9aad4p+0, 0x1.12589c21fb842p+0, 0x1.15f4d44462724p+0, \
    0x1.19c3b38e975a8p+0, 0x1.1dca4b237a4f7p+0, 0x1.220e6dd67518p+0, 0x1.2696d789511e2p+0, \
    0x1.2b6b5edf6b54ap+0, 0x1.309534a9ad7cep+0, 0x1.309534a9ad7cep+0, 0x1.361f35ca116ffp+0, \
    0x1.3c1656500d20ap+0, 0x1.3c1656500d20ap+0, 0x1.428a2f98d728bp+0
#define CBRT_SLOPE_f64 \
    0x1.5555555555555p-2, 0x1.3fa6e75422871p-2, 0x1.3842c0c4df1f8p-2, 0x1.293553cf7b247p-2, \
    0x1.2189b271e68c6p-2, 0x1.19c3b38e975a8p-2, 0x1.11e1dd575536dp-2, 0x1.09e28f59eb56p-2, \
    0x1.01c3fc9826fa6p-2, 0x1.f30848c9b2e25p-3, 0x1.e2419361fd5bp-3, 0x1.e2419361fd5bp-3, \
    0x1.d12ed0af1a27fp-3, 0x1.bfca4f9c1298ep-3, 0x1.bfca4f9c1298ep-3, 0x1.ae0d94cbc98b9p-3
#define CBRT_TWO_HIGH_f64 \
    0x1p+0, 0x1.428a2f98d728bp+0, 0x1.965fea53d6e3dp+0, 0x1p+0, 0x1.428a2f98d728bp+0, \
    0x1.965fea53d6e3dp+0, 0x1p+0, 0x1.428a2f98d728bp+0, 0x1.965fea53d6e3dp+0, 0x1p+0, \
    0x1.428a2f98d728bp+0, 0x1.965fea53d6e3dp+0, 0x1p+0, 0x1.428a2f98d728bp+0, 0x1.965fea53d6e3dp+0, \
    0x1p+0
#define CBRT_TWO_LOW_f64 \
    0x0p+0, -0x1.ddc22548ea41ep-56, -0x1.f53e999952f09p-54, 0x0p+0, -0x1.ddc22548ea41ep-56, \
    -0x1.f53e999952f09p-54, 0x0p+0, -0x1.ddc22548ea41ep-56, -0x1.f53e999952f09p-54, 0x0p+0, \
    -0x1.ddc22548ea41ep-56, -0x1.f53e999952f09p-54, 0x0p+0, -0x1.ddc22548ea41ep-56, \
    -0x1.f53e999952f09p-54, 0x0p+0
#define CBRT_TAIL_f64 \
    0x1.5555555555575p-2, -0x1.c71c71c725eccp-4, 0x1.f9add3bdc669p-5, -0x1.511e8bc95bc1p-5, \
    0x1.ee713201b6fe7p-6, -0x1.809ea3acc3a86p-6, 0x1.3773f28b2e4f4p-6, -0x1.ddd110fbccda2p-7
#define ERF_MIDDLE_f64 \
    0x0p+0, 0x1.2p-1, 0x1.ep-1, 0x1.5p+0, 0x1.bp+0, 0x1.08p+1, 0x1.38p+1, 0x1.68p+1, 0x1.98p+1, \
    0x1.c8p+1, 0x1.f8p+1, 0x1.14p+2, 0x1.2cp+2, 0x1.44p+2, 0x1.5cp+2, 0x1.74p+2
#define ERF_HIGH_f64 \
    0x0p+0, 0x1.25b8a88b6dd7fp-1, 0x1.a1551a16aaeafp-1, 0x1.df85ea8db188ep-1, 0x1.f74a6d9a38383p-1, \
    0x1.fe307f2b503dp-1, 0x1.ffb5bdf67fe6fp-1, 0x1.fff6dee89352ep-1, 0x1.ffff2436a21dcp-1, \
    0x1.fffff039f9e8fp-1, 0x1.ffffff233ee1dp-1, 0x1.fffffff6d1e56p-1, 0x1.ffffffffb5be5p-1, \
    0x1.fffffffffe38p-1, 0x1.fffffffffff7bp-1, 0x1.ffffffffffffep-1
#define ERF_LOW_f64 \
    0x0p+0, 0x1.9534a3b5bd215p-55, 0x1.a558a46df5f67p-57, -0x1.f71e8254d11a9p-55, 0x1.c33a329423946p-55, \
    -0x1.8a555000387f8p-57, 0x1.4e830346f6e7fp-62, 0x1.b96c0ba13851dp-55, -0x1.3607959a29d36p-55, \
    -0x1.9d1bcd6174e99p-55, 0x1.db123ed17221dp-55, -0x1.64d969b4be4c4p-55, -0x1.729d6819c7f34p-56, \
    0x1.7ce07114e4fep-55, 0x1.00fa07f7fb612p-55, 0x1.59ab24e589a3p-56
#define ERF_SLOPE_HIGH_f64 \
    0x1.20dd750429b6dp+0, 0x1.a5074e215762p-1, 0x1.dfca26f5bbf88p-2, 0x1.9cb5bd549b111p-3, \
    0x1.0bf97e95f2a64p-4, 0x1.06ae13b0d3255p-6, 0x1.84ba3004a50dp-9, 0x1.b23a5a23e421p-12, \
    0x1.6e2367dc27f95p-15, 0x1.d21397ead99cbp-19, 0x1.bfd7555a3bd68p-23, 0x1.44d26de513197p-27, \
    0x1.63ac6b4edc88ep-32, 0x1.25f9ee0b923dcp-37, 0x1.6ed2f2515e933p-43, 0x1.5982008db1304p-49
#define ERF_SLOPE_LOW_f64 \
    0x1.1ae3a914fed8p-56, 0x1.fad8c0ef6faecp-56, -0x1.ddcbaf85587b9p-57, -0x1.973e73caa1edep-59, \
    -0x1.446051f6fef83p-58, -0x1.88abd7f4be982p-60, -0x1.90b93d46321efp-64, 0x1.727bce1bdfffep-67, \
    0x1.d96e6f01510e8p-73, -0x1.6abd9c029cf89p-75, 0x1.0151cf177a911p-77, 0x1.76fc20fc4c506p-81, \
    -0x1.c45991834a34fp-88, -0x1.174c43a738d83p-91, 0x1.2bc1802866176p-98, -0x1.1cf9bdada0bfep-103
#define ERF_TAIL_f64 \
    -0x1.f91fedf3325f7p-61, -0x1.d9a837e5824e4p-2, -0x1.c1cd84866038fp-2, -0x1.0ed7443f85c33p-2, \
    -0x1.c435059d09788p-4, -0x1.0ee3844e59be7p-5, -0x1.d9c2ea85a927dp-8, -0x1.315107613c673p-10, \
    -0x1.23c436c36fdabp-13, -0x1.9f19734d29cf9p-17, -0x1.b8d7f804d2e73p-21, -0x1.5e32de7af8977p-25, \
    -0x1.a0ce0dc06a706p-30, -0x1.74105146a5162p-35, -0x1.f2a6c1669c902p-41, -0x1.f610e8cde57a1p-47, \
    -0x1.812746b0379d9p-2, -0x1.9c41d1d5fae5ap-4, 0x1.e4c9975da0988p-4, 0x1.5066cda84bbaap-3, \
    0x1.a3687c1eaf1acp-4, 0x1.48b127f8ed8a5p-5, 0x1.60898536e104dp-7, 0x1.0c243329a9cap-9, \
    0x1.26bf00867a82ap-12, 0x1.d982bd41d8969p-16, 0x1.17f93e51492f2p-19, 0x1.e9e05b3c8f37fp-24, \
    0x1.3e380dd758a76p-28, 0x1.33cde4f35a42dp-33, 0x1.bc42ba388e643p-39, 0x1.df2dac2eecb1p-45, \
    -0x1.03f8d7748d024p-43, 0x1.75bebc1b18d1cp-3, 0x1.747e31bf47af4p-4, -0x1.419fa10b6ed8p-6, \
    -0x1.9647a30b16825p-5, -0x1.f155b4e7d8c3ap-6, -0x1.5eb1c899f0b7p-7, -0x1.4630116262085p-9, \
    -0x1.a51fb50b15f1fp-12, -0x1.8320fc4836be1p-15, -0x1.013b0457d090ap-18, -0x1.f2f6fa7db5b6cp-23, \
    -0x1.638bc4fb02bd3p-27, -0x1.760fe7b665a31p-32, -0x1.2391e135ad8fp-37, -0x1.51b17f95f453fp-43, \
    0x1.ce2f21a0ba546p-4, -0x1.6410ad9329fb9p-7, -0x1.1d1f00109e81p-4, -0x1.3f41761d5b626p-5, \
    0x1.6981061e04552p-9, 0x1.aa2c0753d59f5p-7, 0x1.d854f73e73b52p-8, 0x1.1e84d1022ec82p-9, \
    0x1.c0825378ffabcp-12, 0x1.e0a1cb1d051eep-15, 0x1.6b245d7e1342bp-18, 0x1.899dcace48efap-22, \
    0x1.35753ad537c7p-26, 0x1.63a70fd901bb8p-31, 0x1.2c6c245c64467p-36, 0x1.76996df5b3a1p-42, \
    -0x1.ca1179b0bfb1bp-33, -0x1.7df8890b11f76p-5, -0x1.47654175d6638p-9, 0x1.6d1d724bab43bp-6, \
    0x1.7e8755da47299p-7, -0x1.bbf7e2795eaf6p-11, -0x1.897719a9d1f66p-9, -0x1.6b41872715d22p-10, \
    -0x1.6c3dbfe0cc84fp-12, -0x1.d384223048806p-15, -0x1.98077548c3795p-18, -0x1.f34b7eef34deep-22, \
    -0x1.b41f33cb1347dp-26, -0x1.1324f6fbe2a4cp-30, -0x1.f9a3c1b429e28p-36, -0x1.546155ae8aa73p-41, \
    -0x1.b82cdefc4bf39p-6, 0x1.4a548165b9f92p-7, 0x1.1a817c5a29a27p-6, 0x1.e377f59e1cb06p-11, \
    -0x1.9be7320183561p-8, -0x1.5478d7859109cp-9, 0x1.88cdc8c75412cp-12, 0x1.36edde575777cp-11, \
    0x1.c1dd14349556dp-13, 0x1.696daf65ea888p-15, 0x1.74920493cfe2ep-18, 0x1.04be030230fcdp-21, \
    0x1.fe694dd18c5b5p-26, 0x1.63a3191147344p-30, 0x1.65025128fde26p-35, 0x1.0456e7f6600c9p-40, \
    -0x1.8061c15f8b1eep-25, 0x1.18f36eb184889p-7, -0x1.cb8acd62c7926p-9, -0x1.4cc916af771e5p-8, \
    0x1.3a95ae021e4fap-13, 0x1.8eae08d0d9541p-10, 0x1.b325a11969501p-12, -0x1.f7870ec190e7ep-14, \
    -0x1.94c36a9b41f84p-14, -0x1.bb6e2d2fb9a8ep-16, -0x1.17506c7dfd4a6p-18, -0x1.c73bd22c50d19p-22, \
    -0x1.f8af010da8659p-26, -0x1.8724ca21ee303p-30, -0x1.af222ff8a5c16p-35, -0x1.55d629a549b63p-40, \
    0x1.5661bbd86b86p-8, -0x1.8d66109972ad1p-9, -0x1.57b72e9e28024p-9, 0x1.553ee81405f2ap-10, \
    0x1.319f7deab945dp-10, -0x1.929460cebe7bdp-13, -0x1.38154ecb029a6p-12, -0x1.51ecf8b65c3acp-15, \
    0x1.bf0ab6244982p-16, 0x1.a4fcae32e0f11p-17, 0x1.57e9435bdde4fp-19, 0x1.4edda86c71b08p-22, \
    0x1.aa774dfdc6a75p-26, 0x1.72e30041ca488p-30, 0x1.c38a1a5dfb76bp-35, 0x1.86ecf894a81ecp-40, \
    -0x1.01d366017ce38p-19, -0x1.3628edc1d468bp-10, 0x1.244938952ba2p-10, 0x1.262415aa2cb35p-11, \
    -0x1.b88dd3843568cp-12, -0x1.90f283a9f0947p-13, 0x1.2b1fd478063f2p-14, 0x1.711d859010adcp-15, \
    0x1.6bda205e05023p-23, -0x1.1c940e6c53b4fp-18, -0x1.57096ce8e26bep-20, -0x1.9fc85b7918ffep-23, \
    -0x1.36170638b626cp-26, -0x1.31fc2a7639ed6p-30, -0x1.9e666d45504a1p-35, -0x1.89acc2a230bbbp-40, \
    -0x1.bc66140a3fa21p-11, 0x1.43863bf2d725cp-11, 0x1.f55e5412484fdp-13, -0x1.6bb895e3c484dp-12, \
    -0x1.0390795c66b09p-14, 0x1.b0750bd6bd86p-14, 0x1.1ee465b999201p-16, -0x1.0aeaee337435cp-16, \
    -0x1.2b3b1c9dcf922p-18, 0x1.7471a4850912ep-21, 0x1.0a14b8e812828p-21, 0x1.b0d65d35aae05p-24, \
    0x1.84ef8b0d2c40bp-27, 0x1.b9bf5b948ba12p-31, 0x1.4f928301f4b2dp-35, 0x1.5fad992349933p-40, \
    -0x1.358178f5e01d2p-16, 0x1.fd3bb5083811fp-14, -0x1.b0970cab10736p-13, -0x1.3258176a2b50ap-17, \
    0x1.53fb327cbf0ffp-14, -0x1.b25c7515d69aap-18, -0x1.29d26b1dbf168p-16, 0x1.a82ae5a3baa7dp-21, \
    0x1.3a790b9426e85p-19, 0x1.ef57bdb952825p-23, -0x1.1aa1c47baba89p-23, -0x1.723aee3c79aecp-25, \
    -0x1.a3d81e50231cfp-28, -0x1.1814bccbf4999p-31, -0x1.e2dc08cfa789bp-36, -0x1.19371a03564ecp-40, \
    0x1.3dc1ab23d6c4ep-13, -0x1.9312d198cfbe4p-14, -0x1.20370150ebdcbp-18, 0x1.a537f4f0e389dp-15, \
    -0x1.90f5f6ab74c5cp-17, -0x1.a1c8cc8a52549p-17, 0x1.16c32d12874b5p-18, 0x1.0092b282c3621p-19, \
    -0x1.116c15d3bd8d4p-21, -0x1.e46d591fd5144p-23, 0x1.3489494dbf086p-27, 0x1.ee4b8da703268p-27, \
    0x1.873d77d4d7b07p-29, 0x1.3f0f2e66c290ep-32, 0x1.3fc5c5ac1ca2cp-36, 0x1.a5bc44a4daa9ep-41, \
    -0x1.05f22bcc8cbe7p-15, -0x1.11f5e20cbea05p-17, 0x1.cbc92d11b684fp-16, -0x1.1051167bd42b2p-17, \
    -0x1.02303c32c5939p-17, 0x1.2b913290448c5p-18, 0x1.d7c4851928511p-21, -0x1.cddc7356175c8p-21, \
    -0x1.43fedb0a7b6b1p-24, 0x1.654fedd8f4e56p-24, 0x1.9f2e2dbf78be8p-27, -0x1.af299884b35e2p-29, \
    -0x1.29b47ea2c3cd3p-30, -0x1.3451d54aa70bp-33, -0x1.6a931551d3cc5p-37, -0x1.0e8df1e495274p-41
#define ERFC_MIDDLE_f64 \
    0x1p-2, 0x1.4p-1, 0x1.cp-1, 0x1.4p+0, 0x1.cp+0, 0x1.4p+1, 0x1.cp+1, 0x1.4p+2, 0x1.cp+2, 0x1.4p+3, \
    0x1.cp+3, 0x1.4p+4, 0x1.cp+4, 0x1.cp+4, 0x1.cp+4, 0x1.cp+4
#define ERFC_HIGH_f64 \
    0x1.8a6adcda2ea92p-1, 0x1.1d16b5809eaf6p-1, 0x1.db747ee409ac5p-2, 0x1.78a692138767ap-2, \
    0x1.23cfc2f1dc7ep-2, 0x1.afbb3f3b7343bp-3, 0x1.3e0a99a0ee914p-3, 0x1.c57239e943d1ap-4, \
    0x1.46dc6bf900f68p-4, 0x1.cbe831f997124p-5, 0x1.494bb2ce2924fp-5, 0x1.cd9bc89b73548p-6, \
    0x1.49ebde7878139p-6, 0x1.49ebde7878139p-6, 0x1.49ebde7878139p-6, 0x1.49ebde7878139p-6
#define ERFC_LOW_f64 \
    -0x1.b3e5e8f69dcbfp-57, 0x1.043e5f49b4044p-55, -0x1.55a083acba9f3p-56, 0x1.4797400f19192p-63, \
    0x1.3b1040eb318c2p-57, -0x1.9f40bca142466p-58, -0x1.902cb7976c65ep-60, -0x1.0e682190858dbp-59, \
    -0x1.9c3bae12ae446p-59, -0x1.ed815e254e295p-60, 0x1.5741133d175cep-59, -0x1.c826601a2f019p-65, \
    -0x1.d95a8796b0b9fp-62, -0x1.d95a8796b0b9fp-62, -0x1.d95a8796b0b9fp-62, -0x1.d95a8796b0b9fp-62
#define ERFC_TAIL_f64 \
    -0x1.7c857b9b3c191p-1, -0x1.babd0e4f1a24dp-2, -0x1.4369f60195edcp-2, -0x1.abaacdbfa8b07p-3, \
    -0x1.0c3d538446447p-3, -0x1.3086d7f01ac85p-4, -0x1.5285d2eb1ef74p-5, -0x1.5d843497d4f3ap-6, \
    -0x1.6e4b45246f91fp-7, -0x1.6c55c82b4b6b8p-8, -0x1.76711f8b6cf4dp-9, -0x1.705e8c068804ep-10, \
    -0x1.7892d6052da5dp-11, -0x1.7892d6052da5dp-11, -0x1.7892d6052da5dp-11, -0x1.7892d6052da5dp-11, \
    0x1.2b497df35fa2ep-1, 0x1.2577420fcd07dp-2, 0x1.80ef8f454cf88p-3, 0x1.b56f45eef7e58p-4, \
    0x1.c8d0cef0f810dp-5, 0x1.98958a7a8e4a3p-6, 0x1.5d581133378edp-7, 0x1.08cf82b79a11cp-8, \
    0x1.96a3de47d5b16p-10, 0x1.1f3df0de32f5dp-11, 0x1.a8b73429cebccp-13, 0x1.259993494e471p-14, \
    0x1.ad8ccfc089fa9p-16, 0x1.ad8ccfc089fa9p-16, 0x1.ad8ccfc089fa9p-16, 0x1.ad8ccfc089fa9p-16, \
    -0x1.97997ad330408p-2, -0x1.59c35c06f7ffep-3, -0x1.9d5868de0b581p-4, -0x1.9b635ac624ad5p-5, \
    -0x1.6cb52fe48945fp-6, -0x1.0632076809e02p-7, -0x1.5e5d7e9899182p-9, -0x1.8abc198707e4ep-11, \
    -0x1.bf5070ee19221p-13, -0x1.c2c9072e93698p-15, -0x1.e08bef3ab5208p-17, -0x1.d36fe3dd914a2p-19, \
    -0x1.e9ab4c8d1c2dp-21, -0x1.e9ab4c8d1c2dp-21, -0x1.e9ab4c8d1c2dp-21, -0x1.e9ab4c8d1c2dp-21, \
    0x1.f0ac9d31f335ap-3, 0x1.72d46a9b3f0fap-4, 0x1.9831c2c85003fp-5, 0x1.68a25a6641f25p-6, \
    0x1.13648a11ffe73p-7, 0x1.435c04e207ca7p-9, 0x1.5632136d8cce3p-11, 0x1.219f2c3353514p-13, \
    0x1.e7af6eeff687ap-16, 0x1.60131845d0bbp-18, 0x1.0f30b59c108fap-20, 0x1.73a4ded43ef3p-23, \
    0x1.16ecc51155d2cp-25, 0x1.16ecc51155d2cp-25, 0x1.16ecc51155d2cp-25, 0x1.16ecc51155d2cp-25, \
    -0x1.146985bd8e31ap-3, -0x1.6fce5df0ba11ap-5, -0x1.779dd2a3da23dp-6, -0x1.299636d6c5877p-7, \
    -0x1.8bf716a8eabe1p-9, -0x1.809ce8ab511d7p-11, -0x1.460abd6b257aap-13, -0x1.a2a81d24808eap-16, \
    -0x1.078bfe34dcfccp-18, -0x1.11b748ba26c63p-21, -0x1.3156aeb801999p-24, -0x1.271eee7f6a3cfp-27, \
    -0x1.3d8fbf04c1c48p-30, -0x1.3d8fbf04c1c48p-30, -0x1.3d8fbf04c1c48p-30, -0x1.3d8fbf04c1c48p-30, \
    0x1.1d0c27d70a5f2p-4, 0x1.552fe700068d8p-6, 0x1.452648d62b706p-7, 0x1.d1b695aabbf4bp-9, \
    0x1.106bd5c043344p-10, 0x1.ba8a67cfbce4cp-13, 0x1.2f839e543ee74p-15, 0x1.2a41152e0d60dp-18, \
    0x1.1a6f6b7a01aedp-21, 0x1.a7aa39ff063dep-25, 0x1.56f43e58a9e9bp-28, 0x1.d42321f5c1bfap-32, \
    0x1.695291870913p-35, 0x1.695291870913p-35, 0x1.695291870913p-35, 0x1.695291870913p-35, \
    -0x1.132db7ba16a2ap-5, -0x1.2a7f4fb7adc29p-7, -0x1.0ab3832b9a73bp-8, -0x1.5b8bc94c695cbp-10, \
    -0x1.6838884ab9b2dp-12, -0x1.edd4239d4f7cdp-15, -0x1.146bc406f87d7p-17, -0x1.a3193d3f6e2abp-21, \
    -0x1.2c2db9e15d029p-24, -0x1.4669c94b9fd15p-28, -0x1.8046e798878a7p-32, -0x1.72d7973db6b1p-36, \
    -0x1.9adb10bfcfb6cp-40, -0x1.9adb10bfcfb6cp-40, -0x1.9adb10bfcfb6cp-40, -0x1.9adb10bfcfb6cp-40, \
    0x1.f54ce1bfd2329p-7, 0x1.efd03c2d408b7p-9, 0x1.a0ef7ee62fc18p-10, 0x1.f0fe6fb605b55p-12, \
    0x1.cb4c687e4fff4p-14, 0x1.0bcba322028cdp-16, 0x1.ed2a9674cd4cfp-20, 0x1.228a78cc58d5ep-23, \
    0x1.3c768d884cd4cp-27, 0x1.f4bff128e3822p-32, 0x1.ad8cef65cb79cp-36, 0x1.2569bcdaa2e62p-40, \
    0x1.d2e2ed37dfbabp-45, 0x1.d2e2ed37dfbabp-45, 0x1.d2e2ed37dfbabp-45, 0x1.d2e2ed37dfbabp-45, \
    -0x1.b1819efa92c02p-8, -0x1.88ef9972b05ebp-10, -0x1.37fe70bb04e83p-11, -0x1.55c07d13e294bp-13, \
    -0x1.1b2912c769908p-15, -0x1.1ad10b982ccap-18, -0x1.af5d64282a7e5p-22, -0x1.8dab96af76f32p-26, \
    -0x1.4affe036d3723p-30, -0x1.7e6c495e57253p-35, -0x1.df04df0c0b3aep-40, -0x1.cfbd0d37e7ba8p-45, \
    -0x1.091cf0899794ep-49, -0x1.091cf0899794ep-49, -0x1.091cf0899794ep-49, -0x1.091cf0899794ep-49, \
    0x1.65b08ada3e82bp-9, 0x1.2a6ab02dc94d5p-11, 0x1.c0b37c206a85p-13, 0x1.c570358a46d8cp-15, \
    0x1.5273f33e8dc4ap-17, 0x1.234fecd537fa9p-20, 0x1.724f92d728b33p-24, 0x1.0cc73861ec8d7p-28, \
    0x1.578848454248dp-33, 0x1.22cceb6c6e7a8p-38, 0x1.0a76990711a19p-43, 0x1.6e07f6b6f741dp-49, \
    0x1.2ce432761f0c5p-54, 0x1.2ce432761f0c5p-54, 0x1.2ce432761f0c5p-54, 0x1.2ce432761f0c5p-54, \
    -0x1.1ac2c429d35c2p-10, -0x1.b3e632bff8b54p-13, -0x1.370a713ba4986p-14, -0x1.22fc5054bd4fep-16, \
    -0x1.88fb3c1677823p-19, -0x1.2515bf72e2aefp-22, -0x1.384594a15adbap-26, -0x1.67013fd930195p-31, \
    -0x1.61dadad90e2ccp-36, -0x1.b87e9d7faaf2cp-42, -0x1.27c4d1da1b954p-47, -0x1.20aba142b000fp-53, \
    -0x1.554d35b244588p-59, -0x1.554d35b244588p-59, -0x1.554d35b244588p-59, -0x1.554d35b244588p-59, \
    0x1.adcb30402dc7cp-12, 0x1.3313a0e9ab26ep-14, 0x1.a0d3e41ff11e4p-16, 0x1.6a18cd33323dcp-18, \
    0x1.bc1032c5f9281p-21, 0x1.205e62c29098ep-24, 0x1.02dde3b230a34p-28, 0x1.d9e56d71756eep-34, \
    0x1.69c86aa4c1c8cp-39, 0x1.4c217594dcfe4p-45, 0x1.478576346228ep-51, 0x1.c69bdeb27c13cp-58, \
    0x1.82e1256463165p-64, 0x1.82e1256463165p-64, 0x1.82e1256463165p-64, 0x1.82e1256463165p-64, \
    -0x1.3ad837e37acf6p-13, -0x1.a260d3b2ef5fcp-16, -0x1.0e97ccc0bacd3p-17, -0x1.b5a9c12d213fap-20, \
    -0x1.e90f21a9c1e12p-23, -0x1.1577396695e75p-26, -0x1.a5f476d20075dp-31, -0x1.33d86b15ea737p-36, \
    -0x1.6e9860bf8618fp-42, -0x1.ee575bdc64849p-49, -0x1.68f1cf69bafa8p-55, -0x1.61893c2e9020bp-62, \
    -0x1.b509bd39b40dep-69, -0x1.b509bd39b40dep-69, -0x1.b509bd39b40dep-69, -0x1.b509bd39b40dep-69, \
    0x1.be1067cad668p-15, 0x1.143aad932e71ap-17, 0x1.551274fd0cb6p-19, 0x1.01739e83abc83p-21, \
    0x1.06e9ffac66263p-24, 0x1.05fd7e2a48278p-28, 0x1.52c0b1b641917p-33, 0x1.8d771452ea98ep-39, \
    0x1.71771f1858965p-45, 0x1.71b76d593c373p-52, 0x1.8dddf8b6df04bp-59, 0x1.15bc9f11123adp-66, \
    0x1.eeca211fce24ep-74, 0x1.eeca211fce24ep-74, 0x1.eeca211fce24ep-74, 0x1.eeca211fce24ep-74, \
    -0x1.3a93e6cf9edf5p-16, -0x1.644d9511eccd3p-19, -0x1.a461bd749e772p-21, -0x1.2cf6c190c7ee6p-23, \
    -0x1.18d2818030868p-26, -0x1.ff38c1d4f39eep-31, -0x1.16441025d9425p-35, -0x1.19947bec6ec28p-41, \
    -0x1.89e10e13108e2p-48, -0x1.3eff9a169bdaep-55, -0x1.d90fdb2dfcea5p-63, -0x1.01603c972c244p-70, \
    -0x1.3033b0ce15b96p-78, -0x1.3033b0ce15b96p-78, -0x1.3033b0ce15b96p-78, -0x1.3033b0ce15b96p-78, \
    0x1.a27b424931ebep-18, 0x1.bc45a2d658335p-21, 0x1.f5d2a848b703ap-23, 0x1.508c27503a67dp-25, \
    0x1.20909e3864e7fp-28, 0x1.d01500888279cp-33, 0x1.b141b595703b9p-38, 0x1.63328065502cdp-44, \
    0x1.8729b13590c7fp-51, 0x1.d8b9ed263f4cp-59, 0x1.0373560b9dae7p-66, 0x1.9343c49640df2p-75, \
    0x1.57f002bc66462p-83, 0x1.57f002bc66462p-83, 0x1.57f002bc66462p-83, 0x1.57f002bc66462p-83
#define LGAMMA_HIGH_f64 \
    0x1.cab0bfa2a2002p+0, 0x1.0ea6864c19994p+1, 0x1.3a140a3a623cbp+1, 0x1.a051c372609eep-3, 0x0p+0, \
    -0x1.92857d38caf41p-4, -0x1.eeb95b094c191p-4, -0x1.59b4fd6875a6ep-4, 0x0p+0, 0x1.ff797bba88502p-4, \
    0x1.2383e809a67e8p-2, 0x1.e69eac73eab05p-2, 0x1.62e42fefa39efp-1, 0x1.df216e434a8ecp-1, \
    0x1.3373018970a36p+0, 0x1.7c9ff21d3df69p+0
#define LGAMMA_LOW_f64 \
    0x1.9136fea076849p-55, 0x1.be57eb4b99ae7p-53, -0x1.1c5fb3c9de136p-53, -0x1.3f4a305209ee2p-58, \
    0x0p+0, -0x1.d1f2d031dc189p-58, -0x1.346863f58b075p-58, -0x1.8611cf72ebf19p-59, 0x0p+0, \
    -0x1.c3103ce9106b2p-60, -0x1.823fe323a5c09p-56, -0x1.057db2faf97ffp-58, 0x1.abc9e3b39803fp-56, \
    0x1.798367e4e8fbep-56, -0x1.1f8a93cc89ef5p-54, 0x1.d7a618f4e9a57p-54
#define LGAMMA_SLOPE_HIGH_f64 \
    0x1.4190ed71d7a49p+0, 0x1.531e707e22e4dp+0, 0x1.638d0b871453ap+0, -0x1.15fafa86b04dbp+0, \
    -0x1.2788cfc6fb619p-1, -0x1.d1d32879af85dp-3, 0x1.2aed059bd608ap-5, 0x1.fad2d675283d3p-3, \
    0x1.b0ee6072093cep-2, 0x1.2524cf7b2db82p-1, 0x1.680425af12b5ep-1, 0x1.a346fec1dc587p-1, \
    0x1.d8773039049e7p-1, 0x1.0459842f5df88p+0, 0x1.1a68793defc15p+0, 0x1.2ebac53262895p+0
#define LGAMMA_SLOPE_LOW_f64 \
    -0x1.27be347515d6p-55, 0x1.11c725ce5d5fap-54, -0x1.8d8456e21b5ep-57, -0x1.f52ee4a9905bap-59, \
    0x1.6cb90701fbfabp-58, 0x1.dc8e13c13fe24p-57, 0x1.cd3d2ca77b63ap-63, -0x1.d2a10e7fb96c4p-57, \
    0x1.6cb90701fbfabp-58, 0x1.dd89eb56b65efp-55, -0x1.46eb6bf0197a4p-58, -0x1.4057e9ed7047bp-57, \
    0x1.6cb90701fbfabp-58, 0x1.608c121d224bfp-54, 0x1.852ae2da9801fp-54, -0x1.5a5a8099a0dep-56
#define LGAMMA_TAIL_f64 \
    0x1.22a27c22fad85p-3, 0x1.0f7c989d5a3ffp-3, 0x1.fd639639f967bp-4, 0x1.455c4ff28f0bfp+0, \
    0x1.a51a6625307d3p-1, 0x1.328429d927c67p-1, 0x1.de9e64df22ef3p-2, 0x1.87385c3c034c4p-2, \
    0x1.4a34cc4a60fa6p-2, 0x1.1d5a3f376e453p-2, 0x1.f62057f7296c9p-3, 0x1.c012ae051644fp-3, \
    0x1.94699894c1f4dp-3, 0x1.706ef688253b6p-3, 0x1.52494db9b8c8cp-3, 0x1.38ab02a5e1608p-3, \
    -0x1.b51fa807f70fep-7, -0x1.7db93ef273c2dp-7, -0x1.502eac88f330bp-7, -0x1.c47dca479e2a6p-1, \
    -0x1.9a4d55beab2d7p-2, -0x1.c533afa1c090bp-3, -0x1.1ae55b180726cp-3, -0x1.7f95d3d17c5a9p-4, \
    -0x1.13e001a557607p-4, -0x1.9eb4cd8bc9996p-5, -0x1.427f4cc53f5fp-5, -0x1.01a88b861cc8p-5, \
    -0x1.a4d55beab2d6fp-6, -0x1.5df43307a7ccdp-6, -0x1.27781d4bb093ap-6, -0x1.f96d28c6319a5p-7, \
    0x1.ea0c8ce2a7476p-10, 0x1.905b3ee70c1c1p-10, 0x1.4b33e11647379p-10, 0x1.a59e099b269f5p-1, \
    0x1.151322ac7d848p-2, 0x1.dad1b9fd7bfc9p-4, 0x1.e0f840dad61dap-5, 0x1.112f9cdb80001p-5, \
    0x1.51322ac7d8483p-6, 0x1.bb1c5a5dbe4e6p-7, 0x1.31b4c4359dfe5p-7, 0x1.b696cf9da0419p-8, \
    0x1.44c8ab1f6120ep-8, 0x1.ede2fea1dad45p-9, 0x1.7ff6b372ef93bp-9, 0x1.3039996d27941p-9, \
    -0x1.47afa062b4a07p-12, -0x1.f53f5602029cbp-13, -0x1.85bbe1d4addd6p-13, -0x1.b69daccfbbbeep-1, \
    -0x1.a8b9c17aa5cf2p-3, -0x1.1de1433c2979p-4, -0x1.da59d5374a53ap-6, -0x1.c69a305c523aep-7, \
    -0x1.e404fc218f5f1p-8, -0x1.171c930caa33fp-8, -0x1.56b48947b3c37p-9, -0x1.ba7d3b200ea5ep-10, \
    -0x1.29ad8a1fd716p-10, -0x1.9e80723be7d0dp-11, -0x1.29143cf153aa7p-11, -0x1.b489d106fbe8cp-12, \
    0x1.e430b5d8add23p-15, 0x1.5ae6e7364559fp-15, 0x1.fb48a22d92b13p-16, 0x1.e2ab4674aae93p-1, \
    0x1.5b40cb100beedp-3, 0x1.71ef365f2690ap-5, 0x1.f9ca39daa9291p-7, 0x1.9aef3265ad3b8p-8, \
    0x1.7add6eadb6c3p-9, 0x1.80a7c9ffae851p-10, 0x1.a54d1cabdc3cbp-11, 0x1.ea8360b790b08p-12, \
    0x1.2c40cac30b6d4p-12, 0x1.7f549c31e0e3bp-13, 0x1.fb1924e598dcep-14, 0x1.59c9bea86362bp-14, \
    -0x1.7d39f12160b59p-17, -0x1.0000cb2c47cdap-17, -0x1.6034f0618cc98p-18, -0x1.12bd37471b6cep+0, \
    -0x1.2703a1dda5804p-3, -0x1.f39b6d9e7f51bp-6, -0x1.1a8ba4f0ed4e2p-7, -0x1.8689d067047cep-9, \
    -0x1.38ac5c2bf90d9p-10, -0x1.181e9b4111558p-11, -0x1.123653d59f583p-12, -0x1.20595481ee024p-13, \
    -0x1.41a1307669764p-14, -0x1.78e71bff7120ap-15, -0x1.cc91773747f47p-16, -0x1.23b55257e87dep-16, \
    0x1.3992b08f31c18p-19, 0x1.8aef027435406p-20, 0x1.ff6b3965c3d2fp-21, 0x1.40037d3968a1fp+0, \
    0x1.010b36b03724ep-3, 0x1.5ae76b3cf3e59p-6, 0x1.456f1ad66a5c9p-8, 0x1.7f89d0ae7c706p-10, \
    0x1.0b36af8639992p-11, 0x1.a73e8ce90dd61p-13, 0x1.72e00847c29d8p-14, 0x1.60b2b1f2d8473p-15, \
    0x1.66d5f0c72dd27p-16, 0x1.82568cae4f9dbp-17, 0x1.b471a24b9d3c8p-18, 0x1.00eeca7ea14dp-18, \
    -0x1.0a33c571842e6p-21, -0x1.3a8cb6ef83cf7p-22, -0x1.7f8b6cb4cbac3p-23, -0x1.7b04f9d3c24bfp+0, \
    -0x1.c8066eb031248p-4, -0x1.eb3c290d08bd2p-7, -0x1.7edb812153926p-9, -0x1.815ca05ab028ep-11, \
    -0x1.d3fd4c7525bdap-13, -0x1.48160112be1ep-14, -0x1.01a8f9b0b5b81p-15, -0x1.bbab5d0cb3d64p-17, \
    -0x1.9c1b55f6c366ap-18, -0x1.97f89dd71cc29p-19, -0x1.aa5f6081246e5p-20, -0x1.d2e25ec7a2ad7p-21, \
    0x1.ceccc6e98753ap-24, 0x1.00a1c5b0704f3p-24, 0x1.26c289765b20fp-25, 0x1.c6b191aeeb524p+0, \
    0x1.9a01e1e14b2a9p-4, 0x1.60db2493d544cp-7, 0x1.c9735ad824d3p-10, 0x1.89b15e1bce235p-12, \
    0x1.a127b0efe81b5p-14, 0x1.0326b7c3f4a5cp-15, 0x1.6d28afc021f79p-17, 0x1.1cde8d901938fp-18, \
    0x1.e385d5f8e17ddp-20, 0x1.b86eb696dc3dep-21, 0x1.aa163518b937p-22, 0x1.b227f2ddf9b65p-23, \
    -0x1.99b35aa00ddbap-26, -0x1.aa9ee808b8304p-27, -0x1.cdb66faa88b8ap-28, -0x1.138e7926cd6c8p+1, \
    -0x1.748d425921b7ap-4, -0x1.004ae847790a2p-7, -0x1.148a42ca31256p-10, -0x1.974f6a7d63a08p-13, \
    -0x1.78de5ff051a5cp-15, -0x1.9f4392dc014c7p-17, -0x1.06a7f679da3c6p-18, -0x1.7396f86c7e9e5p-20, \
    -0x1.205124c1c9229p-21, -0x1.e39013c891ec3p-23, -0x1.b14399be92b7dp-24, -0x1.9afc68040edc5p-25, \
    0x1.6ff24276fbc56p-28, 0x1.67dae8b4b44dap-29, 0x1.6f1362bb3236dp-30, 0x1.50c64c038d3e5p+1, \
    0x1.556bd679caa8dp-4, 0x1.77a12d98b107ap-8, 0x1.517c6fb490becp-11, 0x1.a994cfd87bfc3p-14, \
    0x1.580dd2c473016p-16, 0x1.5068dcf56fec7p-18, 0x1.7e47392bb0768p-20, 0x1.eaa87a56d5cbfp-22, \
    0x1.5c3cc8e24b3afp-23, 0x1.0cfbbe5bc513fp-24, 0x1.be9b52fa31341p-26, 0x1.8a8bc2b57337cp-27, \
    -0x1.4e48bc7fab57ap-30, -0x1.332665e783d9p-31, -0x1.2762b39b14101p-32, -0x1.9cf8d8182513cp+1, \
    -0x1.3ac53f2bd21afp-4, -0x1.1528088da78acp-8, -0x1.9ee8aff918ae7p-12, -0x1.c02b74b6c8368p-15, \
    -0x1.3cb73b4eaab32p-17, -0x1.12ee6303f9e6fp-19, -0x1.18c5e5ddfb416p-21, -0x1.471842570d714p-23, \
    -0x1.a8e39d4e4d827p-25, -0x1.2e690b0289187p-26, -0x1.d166b6d594036p-28, -0x1.7f0aa8422ed81p-29, \
    0x1.3293f69b9d09ap-32, 0x1.08b6825a3a15ep-33, 0x1.e01fe835e3574p-35, 0x1.ff42fcd21818bp+1, \
    0x1.24436ac9b16d5p-4, 0x1.9baee07dfcaffp-9, 0x1.00b5fd223c117p-12, 0x1.db1c42206de67p-16, \
    0x1.25929536f411ep-18, 0x1.c4a21c3d3c07dp-21, 0x1.9f91adb9daf41p-23, 0x1.b7920b908f7b3p-25, \
    0x1.05599a993d854p-26, 0x1.56ea14e5cd05dp-28, 0x1.e94e9f59ce53ap-30, 0x1.774b430ad45f1p-31, \
    -0x1.1c46592272d3ep-34, -0x1.cd3fc3a697934p-36, -0x1.8a68e4d9584eep-37, -0x1.5e576bd3fbdedp+2, \
    -0x1.1fa5ecae7f057p-4, -0x1.3ddf7643a212ap-9, -0x1.46def9d552f9dp-13, -0x1.01920e059602p-16, \
    -0x1.154286b500df1p-19, -0x1.7aaf3499b3425p-22, -0x1.3808da3d3b092p-24, -0x1.2b538b3901eacp-26, \
    -0x1.458f95be5ae53p-28, -0x1.8981def48ec36p-30, -0x1.0432509a35dddp-31, -0x1.73d881323fd37p-33, \
    0x1.087bdd81b55cap-36, 0x1.936ee84c4941dp-38, 0x1.456e3da88c7a8p-39, 0x1.b63a19daf4e29p+2, \
    0x1.0dc51b57a8b57p-4, 0x1.dce54cbde4bd4p-10, 0x1.9894ff9e11f52p-14, 0x1.13e377b03c4f4p-17, \
    0x1.03c1834acd5fdp-20, 0x1.3b32331bae405p-23, 0x1.d33288ba72356p-26, 0x1.971e17a1ca27bp-28, \
    0x1.958c6ae1a25e9p-30, 0x1.c40d08f9622cp-32, 0x1.1545c4ca6481ap-33, 0x1.716f22061ad22p-35
#define STIRLING_TAIL_f64 \
    0x1.5555555555555p-4, -0x1.6c16c16c10e31p-9, 0x1.a01a01781724cp-11, -0x1.3813661cb3f7dp-11, \
    0x1.b94839823ead6p-11, -0x1.f5a098f664b3fp-10, 0x1.9aabfe19a7c1cp-8, -0x1.a8a27132d1e44p-6, \
    0x1.cbf7990e9652ap-4, -0x1.a6f12de4bf6e8p-2, 0x1.0953f9f791b7ep+0, -0x1.42593c7deb40ep+0
#define HALF_LOG_TAU_f64 \
    0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55
#define LOG_PI_f64 \
    0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57
/* clang-format on */
#endif
