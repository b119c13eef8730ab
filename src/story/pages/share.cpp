#include "story/pages/share.h"

#include <algorithm>

#include "story/event.h"
#include "story/url.h"

namespace commflow::parts {
namespace {

// A page stays the same for a whole beat, so its links lead to the end of the beat.
std::string link_of(const Context& c) {
  State state = c.state;
  const int end = c.derived.timeline(state).length();
  state.at = std::min(end, (state.at + kBeat - 1) / kBeat * kBeat);
  return encode(state, c.library);
}

Control link(const Context& c, std::string id, Text label) {
  Control control;
  control.id = std::move(id);
  control.kind = ControlKind::link;
  control.label = std::string(c.words.get(label));
  control.href = link_of(c);
  return control;
}

}  // namespace

Block share_controls(const Context& c) {
  Block block = controls("share", Region::aside, {button(c, Action::copy_link, Text::control_copy_link)});
  if (c.derived.problem) return block;
  block.controls.push_back(button(c, Action::copy_picture, Text::control_copy_picture));
  block.controls.push_back(button(c, Action::download_picture, Text::control_download_picture));
  return block;
}

void add_way_out(const Context& c, Page& page) {
  page.blocks.push_back(controls("leave", Region::foot, {link(c, "full_page", Text::control_full_page)}));
}

Control report_link(const Context& c) {
  return link(c, "report", Text::control_report);
}

}  // namespace commflow::parts
