# What every target of ours is compiled with. Libraries of others keep their own flags.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The developer's build keeps assert(), Dear ImGui's included.
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")

find_program(CCACHE ccache)
if(CCACHE AND NOT EMSCRIPTEN)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()

add_library(commflow_warnings INTERFACE)
target_compile_options(commflow_warnings INTERFACE
  -Wall -Wextra -Wconversion -Werror
  # Designated initialisers leave out what has a default; both compilers would complain.
  -Wno-missing-field-initializers
  # g++ 12 sees ghosts in its own library here (its bugs 105562 and 105651); the sanitizers look instead.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-restrict>
  # Clang's -Wconversion includes this, g++'s does not; one rule for both.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>)

# One behaviour natively and on the web: no exceptions, no run-time types.
add_library(commflow_language INTERFACE)
target_compile_options(commflow_language INTERFACE -fno-exceptions -fno-rtti
  # A failed CHECK names src/core/x.cpp on every machine.
  "-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=")

if(COMMFLOW_SANITIZE)
  add_compile_options(-fsanitize=${COMMFLOW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${COMMFLOW_SANITIZE})
endif()
