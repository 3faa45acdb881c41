# No release exists yet: the address is a placeholder, and the hash is not that of an archive.
{
  lib,
  stdenv,
  fetchurl,
  cmake,
  ninja,
  pkg-config,
  libjpeg,
  libspng,
  zlib,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "tyto";
  version = "0.1.0";

  src = fetchurl {
    url = "https://tyto.invalid/tyto-${finalAttrs.version}.tar.gz";
    hash = lib.fakeHash;
  };

  outputs = [
    "out"
    "dev"
    "doc"
    "man"
  ];

  nativeBuildInputs = [
    cmake
    ninja
    pkg-config
  ];

  buildInputs = [
    libjpeg
    libspng
    zlib
  ];

  cmakeFlags = [
    (lib.cmakeBool "BUILD_TESTING" false)
    (lib.cmakeBool "BUILD_SHARED_LIBS" (!stdenv.hostPlatform.isStatic))
    (lib.cmakeBool "TY_STRIP" false)
  ];

  doInstallCheck = true;
  installCheckPhase = ''
    [ "$($out/bin/tyto eval 'sum(x*x)' 'x=[1,2,3]')" = 14 ]
  '';

  meta = {
    description = "N-dimensional arrays in C: a lazy graph, gradients, compiled programs, networks, numerics";
    homepage = "https://tyto.invalid";
    license = lib.licenses.asl20;
    mainProgram = "tyto";
    platforms = lib.platforms.linux;
    maintainers = [ ];
  };
})
