// The rows of a document, a JSON record a line: for tools that read a stream.
#include "base/ranges.hpp"
#include "reports/render/json.hpp"
#include "reports/render/renderer.hpp"

namespace dodona::reports {

std::string render_ndjson(const Document& document, const Page&) {
    return concatenated(rows_of(document), [](const Record& row) { return json_line(row) + "\n"; });
}

}  // namespace dodona::reports
