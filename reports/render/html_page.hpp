// The parts of an HTML page that are the same for every document.
#pragma once

#include <string_view>

namespace dodona::reports {

/// Nothing is loaded from anywhere; what runs stands in the page.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
    "form-action 'none'";
/// The same of a page in which its reader asks: the search runs in a worker, as WebAssembly.
inline constexpr std::string_view kInteractivePagePolicy =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'";

extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace dodona::reports
