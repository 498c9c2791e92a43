// JSON text as a record, and the record that an HTML page carries.
#pragma once

#include <string>
#include <string_view>

#include "reports/document/record.hpp"

namespace dodona::reports {

/// Throws InputError, located in `name`, where the text is no JSON. Whole numbers stay whole.
Record record_of_json(const std::string& text, const std::string& name);

/// The element that holds the result of a page.
inline constexpr std::string_view kResultElement = "<script type=\"application/json\" id=\"dodona-result\">";

/// A page's result, or the text itself where it is no page of HTML. Throws InputError where a page carries none.
std::string result_text(const std::string& text, const std::string& name);

}  // namespace dodona::reports
