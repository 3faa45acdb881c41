/* Constants of single doubles, printed by bench/support/fit.py (which says how they are found). */
#ifndef ENGINE_CPU_MATH_MATH_CONSTANTS_SINGLE_H
#define ENGINE_CPU_MATH_MATH_CONSTANTS_SINGLE_H
/* clang-format off */
#define EXP2_128_f64 \
    0x1p+0, 0x0p+0, 0x1.0163da9fb3335p+0, 0x1.b3b4f1a88bf6dp-54, 0x1.02c9a3e778061p+0, \
    -0x1.160139cd8dc5dp-56, 0x1.04315e86e7f85p+0, -0x1.05e7a108766d1p-54, 0x1.059b0d3158574p+0, \
    0x1.cd2523567f613p-55, 0x1.0706b29ddf6dep+0, -0x1.bce8023f98efap-55, 0x1.0874518759bc8p+0, \
    0x1.0f74e61e6c861p-57, 0x1.09e3ecac6f383p+0, 0x1.0a3e45b33d398p-54, 0x1.0b5586cf9890fp+0, \
    0x1.79aa65d837b6cp-54, 0x1.0cc922b7247f7p+0, 0x1.eb51a92fdeffbp-55, 0x1.0e3ec32d3d1a2p+0, \
    0x1.ebe3d702f9cd1p-60, 0x1.0fb66affed31bp+0, -0x1.a033489906e0bp-57, 0x1.11301d0125b51p+0, \
    -0x1.556522a2fbd0ep-54, 0x1.12abdc06c31ccp+0, -0x1.080ef8c4eea55p-58, 0x1.1429aaea92dep+0, \
    -0x1.1c923b9d5f416p-54, 0x1.15a98c8a58e51p+0, 0x1.0d3e3e95c55afp-55, 0x1.172b83c7d517bp+0, \
    -0x1.01b15eaa59348p-55, 0x1.18af9388c8deap+0, -0x1.f1ff055de323dp-55, 0x1.1a35beb6fcb75p+0, \
    0x1.b898c3f1353bfp-55, 0x1.1bbe084045cd4p+0, -0x1.6d99c7611eb27p-54, 0x1.1d4873168b9aap+0, \
    0x1.aecf73e3a2f5fp-54, 0x1.1ed5022fcd91dp+0, -0x1.fe782cb86389ep-55, 0x1.2063b88628cd6p+0, \
    0x1.a6f4144a6c38cp-55, 0x1.21f49917ddc96p+0, 0x1.07a05b0e4047dp-55, 0x1.2387a6e756238p+0, \
    0x1.68efde3a8a893p-54, 0x1.251ce4fb2a63fp+0, 0x1.75e18f274487dp-55, 0x1.26b4565e27cddp+0, \
    0x1.0472b981fe7f2p-55, 0x1.284dfe1f56381p+0, -0x1.6b87b3f71085ep-54, 0x1.29e9df51fdee1p+0, \
    0x1.2f7e16d09ab31p-55, 0x1.2b87fd0dad99p+0, -0x1.d219b1a6fbffbp-60, 0x1.2d285a6e4030bp+0, \
    0x1.b3782720c0ab3p-55, 0x1.2ecafa93e2f56p+0, 0x1.e149289cecb8fp-57, 0x1.306fe0a31b715p+0, \
    0x1.34d754db0abb6p-55, 0x1.32170fc4cd831p+0, 0x1.64201e2ac744cp-55, 0x1.33c08b26416ffp+0, \
    0x1.fdd395dd3f84ap-55, 0x1.356c55f929ff1p+0, -0x1.6a3803b8e5b04p-55, 0x1.371a7373aa9cbp+0, \
    -0x1.24aedcc4b5069p-54, 0x1.38cae6d05d866p+0, -0x1.907f81b512d8fp-54, 0x1.3a7db34e59ff7p+0, \
    -0x1.1d1e83e9436d2p-56, 0x1.3c32dc313a8e5p+0, -0x1.91919b3ce1b15p-54, 0x1.3dea64c123422p+0, \
    0x1.59f48a72a4c6cp-55, 0x1.3fa4504ac801cp+0, -0x1.312607a28698ap-54, 0x1.4160a21f72e2ap+0, \
    -0x1.8a78f4817895bp-58, 0x1.431f5d950a897p+0, -0x1.c2c9b67499a1bp-56, 0x1.44e086061892dp+0, \
    0x1.363ed60c2ac11p-59, 0x1.46a41ed1d0057p+0, 0x1.666093b0664efp-54, 0x1.486a2b5c13cdp+0, \
    0x1.ecce1daa10379p-57, 0x1.4a32af0d7d3dep+0, 0x1.3ff8e3f0f123p-54, 0x1.4bfdad5362a27p+0, \
    0x1.690cebb7aafbp-56, 0x1.4dcb299fddd0dp+0, 0x1.31dbdeb54e077p-54, 0x1.4f9b2769d2ca7p+0, \
    -0x1.f94340071a38fp-55, 0x1.516daa2cf6642p+0, -0x1.7deccdc93a34ap-55, 0x1.5342b569d4f82p+0, \
    -0x1.8dec6bd0f386p-56, 0x1.551a4ca5d920fp+0, -0x1.61246ec7b5cf6p-55, 0x1.56f4736b527dap+0, \
    0x1.3350518fdd78dp-54, 0x1.58d12d497c7fdp+0, 0x1.b98b72f8a9b05p-56, 0x1.5ab07dd485429p+0, \
    0x1.063e1e21c5409p-54, 0x1.5c9268a5946b7p+0, 0x1.4c7855019c6eap-60, 0x1.5e76f15ad2148p+0, \
    0x1.432e62b64c035p-54, 0x1.605e1b976dc09p+0, -0x1.ce44a6199769fp-55, 0x1.6247eb03a5585p+0, \
    -0x1.c33c53bef4da8p-55, 0x1.6434634ccc32p+0, -0x1.45378892be9aep-55, 0x1.6623882552225p+0, \
    -0x1.3cedd78565858p-54, 0x1.68155d44ca973p+0, 0x1.710aa807e1964p-58, 0x1.6a09e667f3bcdp+0, \
    -0x1.3b3efbf5e2229p-54, 0x1.6c012750bdabfp+0, -0x1.a12ad8734b982p-57, 0x1.6dfb23c651a2fp+0, \
    -0x1.367efb86da9eep-57, 0x1.6ff7df9519484p+0, -0x1.0dc3d54e08851p-55, 0x1.71f75e8ec5f74p+0, \
    -0x1.81f647e5a3ecfp-56, 0x1.73f9a48a58174p+0, -0x1.6ee4ac08b7dbp-55, 0x1.75feb564267c9p+0, \
    -0x1.619321e55e68ap-55, 0x1.780694fde5d3fp+0, 0x1.09ccb5e09d4d2p-54, 0x1.7a11473eb0187p+0, \
    -0x1.b32dcb94da51dp-56, 0x1.7c1ed0130c132p+0, 0x1.4ecfd5467c06bp-54, 0x1.7e2f336cf4e62p+0, \
    0x1.5ebe1abd66c55p-57, 0x1.80427543e1a12p+0, -0x1.8a1c52fb3cf42p-55, 0x1.82589994cce13p+0, \
    -0x1.369b6f13b3734p-54, 0x1.8471a4623c7adp+0, -0x1.05e843a19ff1ep-55, 0x1.868d99b4492edp+0, \
    -0x1.4d450d872576ep-54, 0x1.88ac7d98a6699p+0, 0x1.0ad675b0e8ap-54, 0x1.8ace5422aa0dbp+0, \
    0x1.db72fc1f0eab4p-55, 0x1.8cf3216b5448cp+0, -0x1.5b6609cc5e7ffp-57, 0x1.8f1ae99157736p+0, \
    0x1.bf68359f35f44p-56, 0x1.9145b0b91ffc6p+0, -0x1.3091fa71e3d83p-54, 0x1.93737b0cdc5e5p+0, \
    -0x1.da9b88b6c1e29p-58, 0x1.95a44cbc8520fp+0, -0x1.c23f97c90b959p-57, 0x1.97d829fde4e5p+0, \
    -0x1.2434322f4f9aap-54, 0x1.9a0f170ca07bap+0, -0x1.5ca6cd7668e4bp-55, 0x1.9c49182a3f09p+0, \
    0x1.1affc2b91ce27p-56, 0x1.9e86319e32323p+0, 0x1.dd235e10a73bbp-57, 0x1.a0c667b5de565p+0, \
    -0x1.7c50422622263p-55, 0x1.a309bec4a2d33p+0, 0x1.b1c86e3e231d5p-55, 0x1.a5503b23e255dp+0, \
    -0x1.1bbd1d3bcbb15p-54, 0x1.a799e1330b358p+0, 0x1.0cc319cee31d2p-54, 0x1.a9e6b5579fdbfp+0, \
    0x1.469846e735ab3p-55, 0x1.ac36bbfd3f37ap+0, -0x1.2dfcd978e9db4p-55, 0x1.ae89f995ad3adp+0, \
    0x1.c1a7792cb3386p-55, 0x1.b0e07298db666p+0, -0x1.07b8f4ad1d9fap-54, 0x1.b33a2b84f15fbp+0, \
    -0x1.5c3d956dcaebap-58, 0x1.b59728de5593ap+0, -0x1.0a40e3da6f64p-54, 0x1.b7f76f2fb5e47p+0, \
    -0x1.8d6f438ad9334p-57, 0x1.ba5b030a1064ap+0, -0x1.1eee26b588a36p-54, 0x1.bcc1e904bc1d2p+0, \
    0x1.4ffd70a5fddcdp-56, 0x1.bf2c25bd71e09p+0, -0x1.1bdfbfa9298adp-54, 0x1.c199bdd85529cp+0, \
    0x1.36eae30af0cb3p-56, 0x1.c40ab5fffd07ap+0, 0x1.ee3325c9ffd93p-55, 0x1.c67f12e57d14bp+0, \
    0x1.4e08fd10959acp-55, 0x1.c8f6d9406e7b5p+0, 0x1.3cdaf384e1a67p-57, 0x1.cb720dcef9069p+0, \
    0x1.76b2c6c921968p-57, 0x1.cdf0b555dc3fap+0, -0x1.08a1883ccb5d2p-55, 0x1.d072d4a07897cp+0, \
    -0x1.fad5d3ffffa6fp-55, 0x1.d2f87080d89f2p+0, -0x1.00dae3875a949p-54, 0x1.d5818dcfba487p+0, \
    0x1.4a385a63d07a7p-56, 0x1.d80e316c98398p+0, -0x1.2919e2040220fp-55, 0x1.da9e603db3285p+0, \
    0x1.e5a50d5c192acp-55, 0x1.dd321f301b46p+0, 0x1.43a59ac016b4bp-55, 0x1.dfc97337b9b5fp+0, \
    -0x1.2d52107b43e1fp-55, 0x1.e264614f5a129p+0, -0x1.92ab93b470dc9p-55, 0x1.e502ee78b3ff6p+0, \
    0x1.4b604603a88d3p-56, 0x1.e7a51fbc74c83p+0, 0x1.3c5ec519d7271p-55, 0x1.ea4afa2a490dap+0, \
    -0x1.ff7128fd391f1p-55, 0x1.ecf482d8e67f1p+0, -0x1.dae98e223747dp-55, 0x1.efa1bee615a27p+0, \
    0x1.ec3bc41aa2008p-55, 0x1.f252b376bba97p+0, 0x1.42b94c3a9eb32p-55, 0x1.f50765b6e454p+0, \
    0x1.a64a931d185edp-55, 0x1.f7bfdad9cbe14p+0, -0x1.e37bae43be3edp-55, 0x1.fa7c1819e90d8p+0, \
    0x1.7893b4d91cd9cp-56, 0x1.fd3c22b8f71f1p+0, 0x1.305c14160cc89p-58
#define LN2_128_f64 \
    0x1.62e42fefa39efp-8, 0x1.abc9e3b39803fp-63
#define EXP_128_TAIL_f64 \
    0x1.fffffffffff51p-2, 0x1.5555555555523p-3, 0x1.55555ae8e1f8p-5, 0x1.11111440cf238p-7
#define LOG_128_OFFSET UINT64_C(0x3fe6900000000000)
#define LOG_128_f64 \
    0x1.6ap+0, -0x1.62c82f2b9cp-2, -0x1.e54bdbd7c8a98p-44, 0x1.68p+0, -0x1.5d1bdbf581p-2, \
    0x1.8d6bdc9c7c238p-44, 0x1.66p+0, -0x1.5767717456p-2, 0x1.64ead9524d7cap-44, 0x1.64p+0, \
    -0x1.51aad872ep-2, 0x1.f4bd8db0a7cc1p-44, 0x1.62p+0, -0x1.4be5f95778p-2, 0x1.d7c92cd9ad824p-44, \
    0x1.6p+0, -0x1.4618bc21c6p-2, 0x1.3d82f484c84ccp-46, 0x1.5ep+0, -0x1.404308686ap-2, \
    -0x1.f8ef43049f7d3p-44, 0x1.5dp+0, -0x1.3d54fa5c1fp-2, -0x1.c3e1cd9a395e3p-44, 0x1.5bp+0, \
    -0x1.3772662bfep-2, 0x1.e9436ac53b023p-44, 0x1.59p+0, -0x1.31871c9544p-2, -0x1.84fab94cecfd9p-46, \
    0x1.57p+0, -0x1.2b9303ab8ap-2, 0x1.6db12d6bfb0a5p-45, 0x1.55p+0, -0x1.2596010df7p-2, \
    -0x1.8e7bc224ea3e3p-44, 0x1.54p+0, -0x1.22941fbcf8p-2, 0x1.a6976f5eb0963p-44, 0x1.52p+0, \
    -0x1.1c898c169ap-2, 0x1.81410e5c62affp-44, 0x1.5p+0, -0x1.1675cababap-2, -0x1.8380e731f55c4p-44, \
    0x1.4ep+0, -0x1.1058bf9ae5p-2, 0x1.4ab9d817d52cdp-44, 0x1.4dp+0, -0x1.0d46b579abp-2, \
    -0x1.d2c81f640e1e6p-44, 0x1.4bp+0, -0x1.071b85fcd6p-2, 0x1.bcb8ba3e01a11p-44, 0x1.49p+0, \
    -0x1.00e6c45ad5p-2, -0x1.cc68d52e01203p-50, 0x1.48p+0, -0x1.fb9186d5e4p-3, 0x1.d572aab993c87p-47, \
    0x1.46p+0, -0x1.ef0adcbdc6p-3, 0x1.b26b79c86af24p-45, 0x1.44p+0, -0x1.e27076e2bp-3, \
    0x1.a342c2af0003cp-44, 0x1.43p+0, -0x1.dc1bca0abep-3, -0x1.8fac1a628ccc6p-44, 0x1.41p+0, \
    -0x1.cf6354e09cp-3, -0x1.771239a07d55bp-45, 0x1.4p+0, -0x1.c8ff7c79aap-3, 0x1.7794f689f8434p-45, \
    0x1.3ep+0, -0x1.bc286742d8p-3, -0x1.9ac53f39d121cp-44, 0x1.3dp+0, -0x1.b5b519e8fcp-3, \
    0x1.4b722ec011f31p-44, 0x1.3bp+0, -0x1.a8becfc882p-3, -0x1.e3185cf21b9cfp-44, 0x1.3ap+0, \
    -0x1.a23bc1fe2cp-3, 0x1.539cd91dc9f0bp-44, 0x1.38p+0, -0x1.9525a9cf46p-3, 0x1.297137d9f158fp-44, \
    0x1.37p+0, -0x1.8e928de886p-3, -0x1.a8154b13d72d5p-44, 0x1.35p+0, -0x1.815c0a1436p-3, \
    0x1.02a52f9201ce8p-44, 0x1.34p+0, -0x1.7ab890210ep-3, 0x1.bdb9072534a58p-45, 0x1.32p+0, \
    -0x1.6d60fe719ep-3, 0x1.bc6e557134767p-44, 0x1.31p+0, -0x1.66acd4272ap-3, -0x1.aa1bdbfc6c785p-44, \
    0x1.2fp+0, -0x1.59338d9982p-3, -0x1.0ba68b7555d4ap-48, 0x1.2ep+0, -0x1.526e5e3a1cp-3, \
    0x1.790ba37fc5238p-44, 0x1.2dp+0, -0x1.4ba36f39a6p-3, 0x1.4354bb3f219e5p-44, 0x1.2bp+0, \
    -0x1.3dfc2b0eccp-3, -0x1.8a72a62b8c13fp-45, 0x1.2ap+0, -0x1.371fc201e8p-3, -0x1.ee8779b2d8abcp-44, \
    0x1.29p+0, -0x1.303d718e48p-3, 0x1.680b5ce3ecb05p-50, 0x1.27p+0, -0x1.2266f190a6p-3, \
    0x1.4d20ab840e7f6p-45, 0x1.26p+0, -0x1.1b72ad52f6p-3, -0x1.e80a41811a396p-45, 0x1.25p+0, \
    -0x1.1478584674p-3, -0x1.563451027c75p-46, 0x1.23p+0, -0x1.0671512ca6p-3, 0x1.a47579cdc0a3dp-45, \
    0x1.22p+0, -0x1.fec9131dcp-4, 0x1.54555d1ae6607p-44, 0x1.21p+0, -0x1.f0a30c0118p-4, \
    0x1.d599e83368e91p-44, 0x1.1fp+0, -0x1.d4313d66ccp-4, 0x1.9454379135713p-45, 0x1.1ep+0, \
    -0x1.c5e548f5bcp-4, -0x1.d0c57585fbe06p-46, 0x1.1dp+0, -0x1.b78c82bb1p-4, 0x1.25ef7bc3987e7p-44, \
    0x1.1cp+0, -0x1.a926d3a4acp-4, -0x1.563650bd22a9cp-44, 0x1.1ap+0, -0x1.8c345d6318p-4, \
    -0x1.b20f5acb42a66p-44, 0x1.19p+0, -0x1.7da766d7bp-4, -0x1.2cc844480c89bp-44, 0x1.18p+0, \
    -0x1.6f0d28ae58p-4, 0x1.4b4641b664613p-44, 0x1.17p+0, -0x1.60658a9374p-4, -0x1.0c3b1dee9c4f8p-44, \
    0x1.16p+0, -0x1.51b073f06p-4, -0x1.83f69278e686ap-44, 0x1.15p+0, -0x1.42edcbea64p-4, \
    -0x1.bc0eeea7c9acdp-46, 0x1.13p+0, -0x1.253f62f0ap-4, -0x1.416f8fb69a701p-44, 0x1.12p+0, \
    -0x1.16536eea38p-4, 0x1.47c5e768fa309p-46, 0x1.11p+0, -0x1.075983599p-4, 0x1.b8ecfe4b59987p-44, \
    0x1.1p+0, -0x1.f0a30c0118p-5, 0x1.d599e83368e91p-45, 0x1.0fp+0, -0x1.d276b8adbp-5, \
    -0x1.6a423c78a64bp-46, 0x1.0ep+0, -0x1.b42dd71198p-5, 0x1.c827ae5d6704cp-46, 0x1.0dp+0, \
    -0x1.95c830ec9p-5, 0x1.c148297c5feb8p-45, 0x1.0bp+0, -0x1.58a5bafc9p-5, 0x1.b2b739570ad39p-45, \
    0x1.0ap+0, -0x1.39e87b9fe8p-5, -0x1.eafd480ad9015p-44, 0x1.09p+0, -0x1.1b0d98924p-5, \
    0x1.3401e9ae889bbp-44, 0x1.08p+0, -0x1.f829b0e78p-6, -0x1.980267c7e09e4p-45, 0x1.07p+0, \
    -0x1.b9fc027bp-6, 0x1.b9a010ae6922ap-44, 0x1.06p+0, -0x1.7b91b07d6p-6, 0x1.3b955b602ace4p-44, \
    0x1.05p+0, -0x1.3cea44347p-6, 0x1.6a2c432d6a40bp-44, 0x1.04p+0, -0x1.fc0a8b0fcp-7, \
    -0x1.f1e7cf6d3a69cp-50, 0x1.03p+0, -0x1.7dc475f82p-7, 0x1.eb1245b5da1f5p-44, 0x1.02p+0, \
    -0x1.fe02a6b1p-8, -0x1.9e23f0dda40e4p-46, 0x1.01p+0, -0x1.ff00aa2bp-9, -0x1.0bc04a086b56ap-45, \
    0x1p+0, 0x0p+0, 0x0p+0, 0x1.fcp-1, 0x1.010157588p-7, 0x1.bce251998b506p-44, 0x1.f8p-1, \
    0x1.020565893p-6, 0x1.611d27c8e8417p-44, 0x1.f4p-1, 0x1.8492528c9p-6, -0x1.aa0ba325a0c34p-45, \
    0x1.fp-1, 0x1.0415d89e78p-5, -0x1.dddc7f461c516p-44, 0x1.ecp-1, 0x1.466aed42ep-5, \
    -0x1.c167375bdfd28p-45, 0x1.e9p-1, 0x1.788595a358p-5, -0x1.08b0d083b3a4cp-46, 0x1.e6p-1, \
    0x1.aaef2d0fbp-5, 0x1.0fc1a353bb42ep-45, 0x1.e2p-1, 0x1.eea31c0068p-5, 0x1.c3dd83606d891p-44, \
    0x1.dep-1, 0x1.1973bd1464p-4, 0x1.566d154f930b3p-44, 0x1.dbp-1, 0x1.333d7f8184p-4, \
    -0x1.692b6a81b8848p-49, 0x1.d8p-1, 0x1.4d3115d208p-4, -0x1.53a2582f4e1efp-48, 0x1.d4p-1, \
    0x1.700d30aeacp-4, 0x1.c1e8da99ded32p-49, 0x1.dp-1, 0x1.9335e5d594p-4, 0x1.3115c3abd47dap-45, \
    0x1.cep-1, 0x1.a4e7640b1cp-4, -0x1.e42b6b94407c8p-47, 0x1.cap-1, 0x1.c885801bc4p-4, \
    0x1.646d1c65aacd3p-45, 0x1.c7p-1, 0x1.e3707ee304p-4, 0x1.0f684e6766abdp-45, 0x1.c4p-1, \
    0x1.fe89139dbcp-4, 0x1.56594d82f7a82p-44, 0x1.c1p-1, 0x1.0ce7ecdcccp-3, 0x1.4652dabff5447p-46, \
    0x1.bep-1, 0x1.1aa2b7e24p-3, -0x1.1ac38dde3b366p-44, 0x1.bbp-1, 0x1.28753bc11ap-3, \
    0x1.7494e359302e6p-44, 0x1.b8p-1, 0x1.365fcb015ap-3, -0x1.fd3a0afb9691bp-44, 0x1.b5p-1, \
    0x1.4462b9dc9cp-3, -0x1.84858a711b062p-44, 0x1.b2p-1, 0x1.527e5e4a1cp-3, -0x1.4e60b8d4b411dp-44, \
    0x1.afp-1, 0x1.60b3100b0ap-3, -0x1.71456c988f814p-44, 0x1.acp-1, 0x1.6f0128b756p-3, \
    0x1.577390d31ef0fp-44, 0x1.aap-1, 0x1.7898d85444p-3, 0x1.8e67be3dbaf3fp-44, 0x1.a7p-1, \
    0x1.871213750ep-3, 0x1.328eb42f9af75p-44, 0x1.a4p-1, 0x1.95a5adcf7p-3, 0x1.7f22858a0ff6fp-47, \
    0x1.a2p-1, 0x1.9f6c40708ap-3, -0x1.337d94bcd3f43p-44, 0x1.9fp-1, 0x1.ae2ca6f672p-3, \
    0x1.7a8d5ae54f55p-44, 0x1.9cp-1, 0x1.bd087383bep-3, -0x1.d4bc4595412b6p-45, 0x1.9ap-1, \
    0x1.c6ffbc6fp-3, 0x1.ee138d3a69d43p-44, 0x1.97p-1, 0x1.d60a17f904p-3, -0x1.5d6e06fc20d39p-44, \
    0x1.94p-1, 0x1.e530effe72p-3, -0x1.fdbdbb13f7c18p-44, 0x1.92p-1, 0x1.ef5ade4ddp-3, \
    -0x1.a211565bb8e11p-51, 0x1.9p-1, 0x1.f991c6cb3cp-3, -0x1.90d04cd7cc834p-44, 0x1.8dp-1, \
    0x1.047e60cde8p-2, 0x1.dbdf10d397f3cp-45, 0x1.8bp-1, 0x1.09aa572e6cp-2, 0x1.b50a1e1734342p-44, \
    0x1.88p-1, 0x1.1178e8227ep-2, 0x1.1ef78ce2d07f2p-44, 0x1.86p-1, 0x1.16b5ccbadp-2, \
    -0x1.23299042d74bfp-44, 0x1.84p-1, 0x1.1bf99635a7p-2, -0x1.1ac89575c2125p-44, 0x1.82p-1, \
    0x1.214456d0ecp-2, -0x1.caf0428b728a3p-44, 0x1.7fp-1, 0x1.2941afb187p-2, -0x1.210c2b730e28bp-44, \
    0x1.7dp-1, 0x1.2e9e2bce12p-2, 0x1.4300c128d1dc2p-45, 0x1.7bp-1, 0x1.3401e12aedp-2, \
    -0x1.17c73556e291dp-44, 0x1.79p-1, 0x1.396ce359bcp-2, -0x1.5839c5663663dp-47, 0x1.76p-1, \
    0x1.419b423d5fp-2, -0x1.ce379226de3ecp-44, 0x1.74p-1, 0x1.4718dc271cp-2, 0x1.06c18fb4c14c5p-44, \
    0x1.72p-1, 0x1.4c9e09e173p-2, -0x1.e20891b0ad8a4p-45, 0x1.7p-1, 0x1.522ae0738ap-2, \
    0x1.ebe708164c759p-45, 0x1.6ep-1, 0x1.57bf753c8dp-2, 0x1.fadedee5d40efp-46, 0x1.6cp-1, \
    0x1.5d5bddf596p-2, -0x1.a0b2a08a465dcp-47
#define LOG_128_TAIL_f64 \
    -0x1.0000000000001p-1, 0x1.55555555556c2p-2, -0x1.fffffffe7725ep-3, 0x1.999999071b6a1p-3, \
    -0x1.5557cd2b9ee39p-3, 0x1.24eb95c367f1dp-3
#define POW_128_TAIL_f64 \
    0x1.5555555555555p-2, -0x1.0000000000003p-2, 0x1.9999999999eeap-3, -0x1.5555555370472p-3, \
    0x1.24924879b5aap-3, -0x1.00024b6b09fc5p-3, 0x1.c7c3405a0fd56p-4
/* z / c - 1 lies in [-0.0052795, 0.004837] */
#define GAMMA_CONSTANT_f64 \
    0x1.acfe390c97d69p-2, 0x1.3494bc9001442p-56
/* clang-format on */
#endif
