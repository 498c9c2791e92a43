#include "calibrate/imports/topo_matrix.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "calibrate/imports/topology_facts.hpp"

namespace dodona::calibrate {

namespace {

constexpr std::size_t kMaxMatrixDevices = 256;

bool is_gpu(std::string_view name) { return name.starts_with("GPU") && whole(name.substr(3)).has_value(); }

/// The names of the columns; empty where the line is no header. "CPU Affinity" and what follows are none.
std::vector<std::string> device_columns(const LogLine& line) {
    std::vector<std::string> names;
    for (const LogWord& word : line.words()) {
        if (word.text == "CPU" || word.text == "NUMA") {
            break;
        }
        names.emplace_back(word.text);
    }
    const bool header = !names.empty() && is_gpu(names.front()) &&
                        std::ranges::none_of(names, [](const auto& name) { return path_from(name).has_value(); });
    return header ? names : std::vector<std::string>{};
}

class TopoMatrixReader {
public:
    TopoMatrixReader(const LogText& text, ImportBuilder& into) : text_(text), into_(into) {}

    void read() {
        for (const LogLine& line : text_.lines()) {
            if (auto columns = device_columns(line); !columns.empty() && line.words().size() > 1) {
                finish();
                columns_ = std::move(columns);
                topology_ = {.source = into_.file(), .where = text_.at(line)};
            } else if (!columns_.empty()) {
                row(line);
            }
        }
        finish();
    }

private:
    void row(const LogLine& line) {
        const std::vector<LogWord> words = line.words();
        if (words.empty()) {
            return;
        }
        if (words.size() == 2 && words[0].text.starts_with("NIC") && words[0].text.ends_with(':')) {
            legend(words[0].text.substr(0, words[0].text.size() - 1), std::string(words[1].text));
            return;
        }
        const auto column = std::find(columns_.begin(), columns_.end(), words.front().text);
        if (column == columns_.end() || words.size() < 2) {
            return;
        }
        if (!is_gpu(*column)) {
            topology_.adapters.push_back({*column, {}});
            return;
        }
        if (words.size() - 1 < columns_.size()) {
            faults_.error(text_.at(line),
                          fmt::format("{} cells in a row of {} columns", words.size() - 1, columns_.size()),
                          "paste the whole table");
            return;
        }
        std::vector<Path> paths;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const LogWord& cell = words[i + 1];
            const auto path = path_from(cell.text);
            if (!path) {
                faults_.error(text_.at(line, cell), fmt::format("\"{}\" is no path", cell.text),
                              "known are X, NV1, NV2 ..., PIX, PXB, PHB, NODE, SYS");
            } else if (is_gpu(columns_[i])) {
                paths.push_back(*path);
            }
        }
        rows_.emplace_back(text_.at(line), std::move(paths));
    }

    void legend(std::string_view adapter, std::string name) {
        auto* found = found_in(topology_.adapters, &Adapter::name, adapter);
        if (found != nullptr) {
            found->name = std::move(name);
        }
    }

    void finish() {
        if (columns_.empty()) {
            return;
        }
        const auto devices = static_cast<std::size_t>(std::count_if(columns_.begin(), columns_.end(), is_gpu));
        if (devices > kMaxMatrixDevices) {
            fail(topology_.where, fmt::format("{} GPUs in one node; at most {} are read", devices, kMaxMatrixDevices));
        }
        if (!faults_.has_errors() && rows_.size() != devices) {
            faults_.error(topology_.where, fmt::format("{} GPUs in the header, {} rows of them", devices, rows_.size()),
                          "paste the whole table");
        }
        faults_.throw_if_errors();
        for (const auto& [where, paths] : rows_) {
            topology_.paths.push_back(paths);
        }
        check_halves();
        into_.topology(std::move(topology_));
        columns_.clear();
        rows_.clear();
    }

    void check_halves() {
        for (std::size_t a = 0; a < topology_.paths.size(); ++a) {
            for (std::size_t b = 0; b < topology_.paths.size(); ++b) {
                const Path& path = topology_.paths[a][b];
                if ((path.path == PathClass::self) != (a == b) || path != topology_.paths[b][a]) {
                    fail(rows_[a].first, fmt::format("GPU{} to GPU{} and back differ", a, b),
                         "the matrix must be symmetric: was it changed?");
                }
            }
        }
    }

    const LogText& text_;
    ImportBuilder& into_;
    std::vector<std::string> columns_;
    std::vector<std::pair<Location, std::vector<Path>>> rows_;
    Topology topology_;
    Diagnostics faults_;
};

}  // namespace

bool is_topo_matrix(const LogText& text) {
    const std::vector<LogLine>& lines = text.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto columns = device_columns(lines[i]);
        // A header alone may be any list of names: a row of the first of them is to follow.
        if (!columns.empty() && i + 1 < lines.size()) {
            const auto next = lines[i + 1].words();
            if (next.size() > 1 && next[0].text == columns.front() && next[1].text == "X") {
                return true;
            }
        }
    }
    return false;
}

void read_topo_matrix(const LogText& text, ImportBuilder& into) { TopoMatrixReader(text, into).read(); }

}  // namespace dodona::calibrate
