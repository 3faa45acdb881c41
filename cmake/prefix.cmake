# Renames NAME to ty__NAME for each global symbol of an archive that does not begin with ty_, so that internal functions
# collide with nobody's.  Members stay apart: a program takes those that it refers to.
#     cmake -DARCHIVE=F -DNM=nm -DOBJCOPY=objcopy "-DOPTIONS=more options of objcopy" -P prefix.cmake
execute_process(COMMAND ${NM} -g --defined-only -P ${ARCHIVE} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n ]+ [A-Z] [^\n]*" symbols "${symbols}")
list(TRANSFORM symbols REPLACE " .*" "")
list(REMOVE_DUPLICATES symbols) # Windows: pointers to variables (.refptr.NAME) are in each object that uses them
set(names)
foreach(name ${symbols})
  if(NOT name MATCHES "^(ty_|__)" OR name MATCHES "^__emutls_") # __: of the compiler; but these are variables of threads
    string(APPEND names "${name} ty__${name}\n")
  endif()
endforeach()
file(WRITE ${ARCHIVE}.names "${names}")
separate_arguments(OPTIONS)
execute_process(COMMAND ${OBJCOPY} --wildcard --redefine-syms=${ARCHIVE}.names ${OPTIONS} ${ARCHIVE} COMMAND_ERROR_IS_FATAL ANY)
