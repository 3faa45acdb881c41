# Programs for devices contain the text of these files, without comments: the vector mathematics that cpu compiles, and
# preludes that define its words for scalars. Here they become an array of bytes each.
set(texts)
foreach(name opencl opencl_functions c99 c99_vectors c99_lanes vector_words gnu_words opencl_words gnu_lane words lane lane_float lane_integer lane_vector lane_complex complex)
  list(APPEND texts engine/text/prelude/${name}.h)
endforeach()
list(APPEND texts engine/cpu/elementwise/cast_words.h engine/cpu/math/number_bits.h)
foreach(name bessel01 bessel elliptic error gamma incomplete integral inverse orders polynomial psi spherical all)
  list(APPEND texts engine/special/${name}.kernel.c)
endforeach()
list(APPEND texts engine/special/families.def engine/special/number.kernel.h engine/special/tables.kernel.h
     engine/cpu/math/special_families.kernel.c
     engine/cpu/math/scalar_bessel.kernel.c engine/cpu/math/scalar_one.h engine/cpu/math/math_single.h
     engine/cpu/math/math_constants_single.h engine/cpu/math/bessel_j.h engine/cpu/math/bessel_y.h
     engine/cpu/math/math_special.h)
foreach(name math_words math_any math_constants_f32 math_constants_f64 math_plain math_float math_kit math_exp math_log
             math_circular math_far
             math_inverse math_power math_error math_gamma math_integer math_half math_half_next scalar_fmod)
  list(APPEND texts engine/cpu/math/${name}.h)
endforeach()
list(APPEND texts ops/random/philox.h engine/cpu/random/random_normal.kernel.c
     engine/cpu/random/random_normal_f32.h
     engine/cpu/random/random_normal_f64.h ops/random/random_bits.h ops/random/random_epoch.h
     engine/text/prelude/normal.h
     engine/text/prelude/special.h)
list(APPEND texts engine/cpu/math/special_gamma.c engine/special/pair.kernel.h)
list(APPEND texts base/math/complex_product.h base/math/complex_infinite.h base/threads/turns.c array/order_key.h)
foreach(name complex_lanes.h complex_arc.h complex_number.h complex_functions.def math_pair.h scalar_complex.kernel.c
             scalar_arc.kernel.c scalar_functions.kernel.c special_complex.c)
  list(APPEND texts engine/cpu/math/${name})
endforeach()
file(GLOB algorithms CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src
     ${PROJECT_SOURCE_DIR}/src/engine/algorithm/*.kernel.c)
list(APPEND texts ${algorithms} ops/random/draws.h ops/random/draws_real.h ops/random/permuted.h ops/random/ziggurat.h)
set(arrays)
set(rows)
foreach(name ${texts})
  set(file ${PROJECT_SOURCE_DIR}/src/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} content)
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" content "${content}")
  if(NOT name MATCHES "/prelude/") # preludes stand for C's headers
    # OpenCL C has no static variables in functions
    string(REGEX REPLACE "\n +static const " "\nconst " content "${content}")
    string(REGEX REPLACE "\nstatic const " "\nSTORED_CONSTANT " content "${content}")
    string(REGEX REPLACE "#include <[^\n]*\n" "" content "${content}")
    # complex numbers are pairs (prelude/words.h)
    string(REGEX REPLACE "double _Complex" "c128" content "${content}")
    string(REGEX REPLACE "__real__ ?([a-z]+|\\([a-z]+\\))" "\\1.x" content "${content}")
    string(REGEX REPLACE "__imag__ ?([a-z]+|\\([a-z]+\\))" "\\1.y" content "${content}")
  endif()
  string(REGEX REPLACE "[ \t]+\n" "\n" content "${content}")
  string(REGEX REPLACE "\n[ \t]+" "\n" content "${content}")
  string(REGEX REPLACE "  +" " " content "${content}")
  string(REGEX REPLACE "\n\n+" "\n" content "${content}")
  string(HEX "${content}" bytes)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x0a,)" "\\1\n" bytes "${bytes}")
  string(MAKE_C_IDENTIFIER ${name} id)
  string(APPEND arrays "static const char ${id}[] = {\n${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", ${id}},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/text/text_sources.c CONTENT "#include \"engine/text/source.h\"
${arrays}const struct text_source text_sources[] = {
${rows}    {0, 0}};
")
list(APPEND sources ${PROJECT_BINARY_DIR}/text/text_sources.c)
