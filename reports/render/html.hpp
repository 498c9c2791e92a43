// A document as one HTML page that needs nothing else: no server, no network, no file beside it.
//
// Its content security policy lets it load nothing. Charts are drawn by Vega-Lite from data in the page; the scripts are in
// it, compressed. Without scripts its tables say the same. Texts of users are escaped wherever they stand.
#pragma once

#include <string>

#include "reports/document/document.hpp"
#include "reports/render/renderer.hpp"

namespace dodona::reports {

std::string base64(const std::string& bytes);

/// Whether the page of this document needs the scripts of charts (Page::scripts).
bool has_drawn_charts(const Document& document);

}  // namespace dodona::reports
