# What the build writes before it compiles: generated/story/text_keys.h from the locales; generated/story/font_widths.h,
# assets/font.otf and assets/font-bold.otf from a font and the characters in use.
set(GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

# A python that has fontTools, and for the web brotli: it may be another one than the first on the path.
function(commflow_font_python result)
  set(modules fontTools.subset)
  if(EMSCRIPTEN)
    list(APPEND modules brotli)
  endif()
  list(JOIN modules ", " modules)
  foreach(candidate "${Python3_EXECUTABLE}" /usr/bin/python3)
    execute_process(COMMAND "${candidate}" -c "import ${modules}" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(${result} "${candidate}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  commflow_missing("Python's ${modules}" "python3-fonttools python3-brotli" fonttools)
endfunction()
commflow_font_python(FONT_PYTHON)

find_file(COMMFLOW_FONT NAMES NotoSansCJK-Regular.ttc NotoSansCJKsc-Regular.otf NotoSansSC-Regular.otf NotoSansSC-Regular.ttf
  PATHS /usr/share/fonts/opentype/noto /usr/share/fonts/noto-cjk /usr/share/fonts/google-noto-cjk /usr/share/fonts
    /Library/Fonts "$ENV{HOME}/Library/Fonts"
  DOC "Noto Sans CJK or Noto Sans SC, regular" NO_CMAKE_FIND_ROOT_PATH NO_DEFAULT_PATH)
if(NOT COMMFLOW_FONT)
  commflow_missing("The font Noto Sans CJK (or name a file: -DCOMMFLOW_FONT=...)" fonts-noto-cjk "--cask font-noto-sans-cjk-sc")
endif()

file(GLOB locales CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/locales/*.json")
file(GLOB_RECURSE assets CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/assets/*.json")

string(REPLACE Regular Bold COMMFLOW_FONT_BOLD "${COMMFLOW_FONT}")
if(NOT EXISTS "${COMMFLOW_FONT_BOLD}")
  set(COMMFLOW_FONT_BOLD "${COMMFLOW_FONT}")
endif()

# The stamps are the outputs and the headers by-products that are rewritten only when they differ, so that a changed
# sentence does not recompile the story.
set(text_stamp "${GENERATED_DIR}/text.stamp")
add_custom_command(
  OUTPUT "${text_stamp}"
  BYPRODUCTS "${GENERATED_DIR}/story/text_keys.h"
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/tools/gen_text.py"
    --locales "${CMAKE_SOURCE_DIR}/locales" --out "${GENERATED_DIR}/story/text_keys.h"
  COMMAND "${CMAKE_COMMAND}" -E touch "${text_stamp}"
  DEPENDS ${locales} "${CMAKE_SOURCE_DIR}/tools/gen_text.py"
  COMMENT "Text keys from locales/" VERBATIM)

set(web_font "")
if(EMSCRIPTEN)
  set(web_font --web-font "${CMAKE_BINARY_DIR}/assets/fallback.woff2")
endif()
set(font_stamp "${GENERATED_DIR}/font.stamp")
add_custom_command(
  OUTPUT "${font_stamp}"
  BYPRODUCTS "${GENERATED_DIR}/story/font_widths.h"
    "${CMAKE_BINARY_DIR}/assets/font.otf" "${CMAKE_BINARY_DIR}/assets/font-bold.otf"
  COMMAND "${FONT_PYTHON}" "${CMAKE_SOURCE_DIR}/tools/subset_fonts.py" --font "${COMMFLOW_FONT}"
    --text "${CMAKE_SOURCE_DIR}/locales" "${CMAKE_SOURCE_DIR}/assets"
    --out "${CMAKE_BINARY_DIR}/assets/font.otf" ${web_font} --widths "${GENERATED_DIR}/story/font_widths.h"
  COMMAND "${FONT_PYTHON}" "${CMAKE_SOURCE_DIR}/tools/subset_fonts.py" --font "${COMMFLOW_FONT_BOLD}"
    --text "${CMAKE_SOURCE_DIR}/locales" "${CMAKE_SOURCE_DIR}/assets" --out "${CMAKE_BINARY_DIR}/assets/font-bold.otf"
  COMMAND "${CMAKE_COMMAND}" -E touch "${font_stamp}"
  DEPENDS ${locales} ${assets} "${CMAKE_SOURCE_DIR}/tools/subset_fonts.py"
  COMMENT "Font subset and widths" VERBATIM)

if(NOT locales)
  message(STATUS "locales/ has no texts yet: no text keys")
  set(text_stamp "")
endif()
add_custom_target(commflow_generate ALL DEPENDS ${text_stamp} "${font_stamp}")
add_library(commflow_generated INTERFACE)
target_include_directories(commflow_generated INTERFACE "${GENERATED_DIR}")
add_dependencies(commflow_generated commflow_generate)
