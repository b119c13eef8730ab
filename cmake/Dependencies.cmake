# Where each library comes from. Nothing of others is kept in this repository.
#   Dear ImGui   see Imgui.cmake
#   nlohmann/json, GoogleTest, SDL2, OpenGL   installed packages
include(Imgui)

function(commflow_missing what debian brew)
  message(FATAL_ERROR "${what} is missing. Install it:\n  Debian, Ubuntu:  apt-get install ${debian}\n  macOS:           brew install ${brew}\n")
endfunction()

# nlohmann/json is headers only. For the web we must not put a whole system include folder before Emscripten's own
# headers, so the one folder nlohmann/ is copied into the build folder and that is used, natively as well.
find_path(NLOHMANN_INCLUDE_DIR nlohmann/json.hpp
  PATHS /usr/include /usr/local/include /opt/homebrew/include NO_CMAKE_FIND_ROOT_PATH)
if(NOT NLOHMANN_INCLUDE_DIR)
  commflow_missing("nlohmann/json" nlohmann-json3-dev nlohmann-json)
endif()
file(COPY "${NLOHMANN_INCLUDE_DIR}/nlohmann" DESTINATION "${CMAKE_BINARY_DIR}/third_party")
add_library(nlohmann_json INTERFACE)
add_library(nlohmann_json::nlohmann_json ALIAS nlohmann_json)
target_include_directories(nlohmann_json SYSTEM INTERFACE "${CMAKE_BINARY_DIR}/third_party")

if(EMSCRIPTEN)
  include(EmscriptenSettings)
  set(COMMFLOW_PLATFORM_SOURCES "platform/web*.cpp")
  set(COMMFLOW_PLATFORM_LINK "")
  set(backend_sources imgui_impl_opengl3.cpp)
else()
  find_package(PkgConfig QUIET)
  find_package(SDL2 QUIET)
  if(NOT TARGET SDL2::SDL2)
    commflow_missing("SDL2" libsdl2-dev sdl2)
  endif()
  set(OpenGL_GL_PREFERENCE GLVND)
  find_package(OpenGL QUIET)
  if(NOT TARGET OpenGL::GL)
    commflow_missing("OpenGL" libgl-dev mesa)
  endif()
  set(COMMFLOW_PLATFORM_SOURCES "platform/sdl*.cpp")
  set(COMMFLOW_PLATFORM_LINK commflow_paths nlohmann_json::nlohmann_json)
  set(backend_sources imgui_impl_opengl3.cpp imgui_impl_sdl2.cpp)
endif()

list(TRANSFORM backend_sources PREPEND "${IMGUI_DIR}/backends/")
add_library(imgui_backend STATIC ${backend_sources})
target_include_directories(imgui_backend SYSTEM PUBLIC "${IMGUI_DIR}/backends")
target_link_libraries(imgui_backend PUBLIC imgui PRIVATE commflow_language)
if(EMSCRIPTEN)
  target_compile_definitions(imgui_backend PUBLIC IMGUI_IMPL_OPENGL_ES3 PRIVATE ${IMGUI_WITHOUT})
else()
  target_link_libraries(imgui_backend PUBLIC SDL2::SDL2 OpenGL::GL ${CMAKE_DL_LIBS})
endif()
