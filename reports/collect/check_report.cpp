#include "reports/collect/check_report.hpp"

namespace dodona::reports {

Document check_document(const std::vector<CheckedFile>& files) {
    Document document;
    std::vector<Record>& rows = document.rows.emplace();
    for (const CheckedFile& checked : files) {
        const bool good = checked.faults.empty();
        add(document, Paragraph{good ? checked.file + ": " + checked.holds : ""});
        rows.push_back({{"file", checked.file},
                        {"good", good},
                        {"holds", text_or_null(checked.holds)},
                        {"faults", checked.faults}});
    }
    document.record = {{"schema", "dodona/check/1"}, {"files", rows}};
    return document;
}

}  // namespace dodona::reports
