#include "story/html.h"

#include <algorithm>

namespace commflow {
namespace {

std::string element(std::string_view tag, std::string_view text) {
  return "<" + std::string(tag) + ">" + escaped(text) + "</" + std::string(tag) + ">";
}

std::string list_of(const Block& block) {
  std::string out = "<ul>";
  for (const std::string& item : block.items) out += element("li", item);
  return out + "</ul>\n";
}

std::string table_of(const Block& block) {
  std::string out = "<table>";
  if (!block.text.empty()) out += element("caption", block.text);
  out += "<thead><tr>";
  for (const std::string& column : block.columns) out += "<th scope=\"col\">" + escaped(column) + "</th>";
  out += "</tr></thead><tbody>";
  for (const Row& row : block.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      out += i == 0 ? "<th scope=\"row\">" + escaped(row.cells[i]) + "</th>" : element("td", row.cells[i]);
    out += "</tr>";
  }
  return out + "</tbody></table>\n";
}

std::string html_of(const Block& block, const std::function<std::string(const Block&)>& picture_of) {
  switch (block.kind) {
    case BlockKind::heading: return element("h" + std::to_string(std::clamp(block.level, 2, 4)), block.text) + "\n";
    case BlockKind::paragraph: return block.text.empty() ? "" : element("p", block.text) + "\n";
    case BlockKind::note: return element("blockquote", block.text) + "\n";
    case BlockKind::list: return list_of(block);
    case BlockKind::table: return table_of(block);
    case BlockKind::figure: return picture_of(block) + "\n";
    case BlockKind::controls: break;
  }
  return {};
}

bool surrounds(Region region) {
  return region == Region::bar || region == Region::chips || region == Region::foot;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string section_of(const Page& page, std::string_view id,
                       const std::function<std::string(const Block&)>& picture_of) {
  std::string out = "<section id=\"" + escaped(id) + "\">\n";
  for (const Block& block : page.blocks)
    if (!surrounds(block.region)) out += html_of(block, picture_of);
  return out + "</section>\n";
}

}  // namespace commflow
