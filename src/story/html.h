#pragma once
// Pages as plain HTML without scripts: the handout, for print, for feeds, and where the program does not run.

#include <functional>
#include <string>
#include <string_view>

#include "story/page.h"

namespace commflow {

// Text with the four characters that mark up escaped.
std::string escaped(std::string_view text);

// The words, lists and tables of a page as one <section id="id">, headings from <h2> on. Controls are left out, and so
// is what surrounds every page (its bar and its foot); what picture_of() gives stands where a figure was.
std::string section_of(const Page& page, std::string_view id,
                       const std::function<std::string(const Block&)>& picture_of);

}  // namespace commflow
