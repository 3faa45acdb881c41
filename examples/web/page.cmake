# Puts a script into a page, in the place of the line that refers to it:
#     cmake -DPAGE=digits.html -DSCRIPT=digits.js -DOUT=F -P page.cmake
file(READ ${PAGE} page)
file(READ ${SCRIPT} script)
set(line "<script src=\"digits.js\"></script>")
string(FIND "${page}" "${line}" at)
string(FIND "${script}" "</script" inside)
if(at EQUAL -1 OR NOT inside EQUAL -1)
  message(FATAL_ERROR "${PAGE} has no line ${line}, or ${SCRIPT} contains </script")
endif()
string(REPLACE "${line}" "<script>\n${script}\n</script>" page "${page}")
file(WRITE ${OUT} "${page}")
