// Charts as small SVG images, for pages that cannot draw: light and dark, text as text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/document/document.hpp"

namespace dodona::reports {

std::string svg(const Chart& chart);
std::string svg(const TimelineChart& chart);

/// Text between tags, or in an attribute: nothing of it is markup.
std::string escaped_markup(std::string_view text);

/// The images of a page, as (name of the file, content). `prefix`: what names begin with: "llama" makes
/// "llama-memory.svg".
std::vector<std::pair<std::string, std::string>> images(const Document& document, const std::string& prefix);

}  // namespace dodona::reports
