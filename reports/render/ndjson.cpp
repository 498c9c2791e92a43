// The rows of a document, a JSON record a line: for tools that read a stream.
#include "reports/render/json.hpp"
#include "reports/render/renderer.hpp"

namespace dodona::reports {

std::string render_ndjson(const Document& document, const Page&) {
    std::string all;
    for (const Record& row : rows_of(document)) {
        all += json_line(row) + "\n";
    }
    return all;
}

}  // namespace dodona::reports
