# Where native programs and tests find locales/, assets/, tests/ and the fonts made by the build (assets/ there).
add_library(commflow_paths INTERFACE)
target_compile_definitions(commflow_paths INTERFACE
  COMMFLOW_SOURCE_DIR="${CMAKE_SOURCE_DIR}" COMMFLOW_BUILD_DIR="${CMAKE_BINARY_DIR}")

# commflow_layer(NAME [SOURCES file...] [LINK target...])
# A static library commflow_NAME of src/NAME/**.cpp, or of SOURCES, patterns under src/. Without any source it is an INTERFACE
# library, so that headers alone, or nothing at all, configure and link.
function(commflow_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  if(arg_SOURCES)
    list(TRANSFORM arg_SOURCES PREPEND "${CMAKE_SOURCE_DIR}/src/")
    file(GLOB sources CONFIGURE_DEPENDS ${arg_SOURCES})
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*.cpp")
  endif()

  if(sources)
    add_library(commflow_${name} STATIC ${sources})
    target_link_libraries(commflow_${name} PRIVATE commflow_warnings commflow_language)
    set(scope PUBLIC)
  else()
    add_library(commflow_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(commflow_${name} ${scope} "${CMAKE_SOURCE_DIR}/src")
  target_link_libraries(commflow_${name} ${scope} ${arg_LINK})
endfunction()

# The program that makes the stills and the handout of the web page. Under Node, so that the build for the web needs no
# native compiler; not optimised at the end, since it runs once.
function(commflow_handout_program)
  add_executable(commflow_handout EXCLUDE_FROM_ALL
    "${CMAKE_SOURCE_DIR}/src/main_handout.cpp" "${CMAKE_SOURCE_DIR}/src/cli/handout.cpp")
  target_link_libraries(commflow_handout PRIVATE commflow_warnings commflow_language commflow_io commflow_story commflow_core)
  target_include_directories(commflow_handout PRIVATE "${CMAKE_SOURCE_DIR}/src")
  target_compile_options(commflow_handout PRIVATE -O1)
  target_link_options(commflow_handout PRIVATE -O0)
  commflow_node_settings(commflow_handout)
endfunction()

# The executable: build/commflow natively, commflow.js + commflow.wasm on the web. main.cpp is the frame of both;
# main_native.cpp and main_web.cpp are how it starts.
function(commflow_program)
  set(start main_native)
  if(EMSCRIPTEN)
    set(start main_web)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/main.cpp" "${CMAKE_SOURCE_DIR}/src/${start}.cpp")
  list(LENGTH sources count)
  if(count LESS 2)
    message(STATUS "src/main.cpp and src/${start}.cpp are not both there yet: no program")
    return()
  endif()
  add_executable(commflow ${sources})
  target_link_libraries(commflow PRIVATE commflow_warnings commflow_language
    commflow_app commflow_platform commflow_ui commflow_io commflow_story commflow_core)
  if(EMSCRIPTEN)
    commflow_web_settings(commflow)
  else()
    target_link_libraries(commflow PRIVATE commflow_cli commflow_paths)
    add_dependencies(commflow commflow_generate)
  endif()
endfunction()
