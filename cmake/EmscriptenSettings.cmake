# Emscripten's settings, by version: Debian 12 has 3.1.6, an emsdk of today has 4 or later, and names and defaults moved.
# What every browser with WebGL 2 has, and what makes the program smaller.
add_compile_options(-mbulk-memory -msign-ext -mnontrapping-fptoint)
add_link_options(-mbulk-memory -msign-ext -mnontrapping-fptoint)
set(CMAKE_C_FLAGS_RELEASE "-Oz -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-Oz -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")

# commflow_prefer_speed(LAYER NAME...): src/LAYER/NAME.cpp at -O2, for loops over hundreds of thousands of tokens that
# take a few kB; everything else is small rather than fast. (Of a command line with -Oz anywhere, Emscripten 3.1.6
# forbids inlining, whatever comes later.)
function(commflow_prefer_speed layer)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    list(TRANSFORM ARGN REPLACE "(.+)" "src/${layer}/\\1.cpp")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "-O2;-finline-functions")
  endif()
endfunction()

# At -O2 and above the optimiser needs the Node module acorn. Debian keeps it where only Debian's own Node looks.
find_program(NODE NAMES node nodejs NO_CMAKE_FIND_ROOT_PATH)
if(NOT NODE)
  commflow_missing("Node.js" nodejs node)
endif()
set(debian_modules /usr/share/nodejs)
if(EXISTS "${debian_modules}/acorn" AND EMSCRIPTEN_ROOT_PATH MATCHES "^/usr/share/")
  set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "${CMAKE_COMMAND} -E env NODE_PATH=${debian_modules}")
endif()

# commflow_link_settings(TARGET NAME=VALUE...): each as -sNAME=VALUE, relinked when they change.
function(commflow_link_settings target)
  list(TRANSFORM ARGN PREPEND "-s")
  target_link_options(${target} PRIVATE ${ARGN})
endfunction()

# What any wasm of ours needs. 3.1.6 has 5 MB of stack, later versions 64 kB; one size for all.
function(commflow_common_settings target)
  if(EMSCRIPTEN_VERSION VERSION_LESS 3.1.25)
    commflow_link_settings(${target} TOTAL_STACK=1048576)
  else()
    commflow_link_settings(${target} STACK_SIZE=1048576)
  endif()
  commflow_link_settings(${target} ALLOW_MEMORY_GROWTH=1)
endfunction()

# The program for the page: an ES module commflow.js whose default export makes one instance per call, and commflow.wasm.
# Exported are malloc, free and whatever is marked EMSCRIPTEN_KEEPALIVE in src/platform/web.cpp. No file system,
# no threads, no eval (DYNAMIC_EXECUTION): it runs under any host page and its content security policy.
function(commflow_web_settings target)
  commflow_common_settings(${target})
  commflow_link_settings(${target}
    MODULARIZE=1 EXPORT_ES6=1 EXPORT_NAME=createCommFlow ENVIRONMENT=web
    FILESYSTEM=0 MALLOC=emmalloc DYNAMIC_EXECUTION=0 TEXTDECODER=2
    MIN_WEBGL_VERSION=2 MAX_WEBGL_VERSION=2
    EXPORTED_FUNCTIONS=_malloc,_free
    EXPORTED_RUNTIME_METHODS=HEAPU8,UTF8ToString
    INCOMING_MODULE_JS_API=canvas,instantiateWasm,locateFile,onAbort,print,printErr)
  if(EMSCRIPTEN_VERSION VERSION_LESS 3.1.60)
    commflow_link_settings(${target} USE_ES6_IMPORT_META=1 MIN_CHROME_VERSION=85 MIN_SAFARI_VERSION=150000)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL Debug)
    commflow_link_settings(${target} ASSERTIONS=2 GL_ASSERTIONS=1)
  else()
    commflow_link_settings(${target} ASSERTIONS=0)
  endif()
endfunction()

# A test program under Node, which reads the files of this machine.
function(commflow_node_settings target)
  commflow_common_settings(${target})
  commflow_link_settings(${target} ENVIRONMENT=node NODERAWFS=1 EXIT_RUNTIME=1 ASSERTIONS=1)
  # 3.1.6 takes Node's fetch for a browser's.
  set(flags "")
  if(EMSCRIPTEN_VERSION VERSION_LESS 3.1.25)
    set(flags --no-experimental-fetch)
  endif()
  set_target_properties(${target} PROPERTIES CROSSCOMPILING_EMULATOR "${NODE};${flags}")
endfunction()
