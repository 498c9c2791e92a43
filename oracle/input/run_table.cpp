#include "input/run_table.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "input/fields.hpp"
#include "input/number.hpp"
#include "input/text.hpp"
#include "plan/plan.hpp"

namespace dodona::input {

namespace {

struct ColumnRule {
    std::string_view name;
    bool required = false;
    std::string_view usual = "";  ///< what an empty cell, or a table without the column, says
};

constexpr std::array kColumns{
    ColumnRule{"id", true},
    ColumnRule{"group", false, "runs"},
    ColumnRule{"source"},
    ColumnRule{"model", true},
    ColumnRule{"model_overrides"},
    ColumnRule{"input"},
    ColumnRule{"global_batch", true},
    ColumnRule{"microbatch", true},
    ColumnRule{"device"},
    ColumnRule{"machine", true},
    ColumnRule{"gpus", true},
    ColumnRule{"gpus_per_node", false, "0"},
    ColumnRule{"precision", true},
    ColumnRule{"tensor", false, "1"},
    ColumnRule{"sequence_parallel", false, "no"},
    ColumnRule{"context", false, "1"},
    ColumnRule{"expert", false, "1"},
    ColumnRule{"expert_tensor", false, "1"},
    ColumnRule{"pipeline", false, "1"},
    ColumnRule{"chunks", false, "1"},
    ColumnRule{"data", false, "1"},
    ColumnRule{"shard", false, "none"},
    ColumnRule{"shard_group", false, "0"},
    ColumnRule{"spatial", false, "1"},
    ColumnRule{"filter", false, "1"},
    ColumnRule{"strategy", true},
    ColumnRule{"recompute", false, "none"},
    ColumnRule{"overlap_gradients", false, "no"},
    ColumnRule{"overlap_parameters", false, "no"},
    ColumnRule{"framework"},
    ColumnRule{"step_time_s"},
    ColumnRule{"step_time_lo_s"},
    ColumnRule{"step_time_hi_s"},
    ColumnRule{"peak_memory_bytes"},
    ColumnRule{"memory_kind"},
    ColumnRule{"assumed"},
    ColumnRule{"notes"},
};

const std::vector<std::string> kMemoryKinds{"allocated",           "reserved",     "nvidia-smi",
                                            "last-rank-allocated", "device-total", "oom"};

/// Typed reading of one row.
class Row {
public:
    Row(const Run& run, Diagnostics& faults) : run_(run), faults_(faults) {}

    [[nodiscard]] const std::string& text(std::string_view column) const { return run_.cell(column); }

    [[nodiscard]] std::int64_t whole(std::string_view column, std::int64_t least = 1) const {
        return whole_at(text(column), column, run_.place(column), least);
    }

    [[nodiscard]] bool flag(std::string_view column) const {
        if (text(column) != "yes" && text(column) != "no") {
            error(column, fmt::format("\"{}\" is neither yes nor no", text(column)));
        }
        return text(column) == "yes";
    }

    /// Zero or more; nothing where the cell is empty.
    [[nodiscard]] std::optional<double> positive(std::string_view column) const {
        if (text(column).empty()) {
            return std::nullopt;
        }
        const auto read = decimal_from(text(column));
        if (const auto* fault = std::get_if<NotANumber>(&read)) {
            error(column, fmt::format("\"{}\" {}", text(column), fault->why));
            return std::nullopt;
        }
        if (std::get<double>(read) <= 0) {
            error(column, fmt::format("{} must be more than zero", text(column)));
            return std::nullopt;
        }
        return std::get<double>(read);
    }

    template <class Choice, class From>
    [[nodiscard]] Choice word(std::string_view column, From from, const std::vector<std::string>& known,
                              Choice fallback) const {
        const std::optional<Choice> choice = from(text(column));
        if (!choice) {
            unknown_word(column, known);
        }
        return choice.value_or(fallback);
    }

    void unknown_word(std::string_view column, const std::vector<std::string>& known) const {
        error(column, fmt::format("unknown word \"{}\"{}", text(column), did_you_mean(text(column), known)),
              fmt::format("accepted here: {}", join(known)));
    }

    /// "layers=12;kv_heads=16".
    [[nodiscard]] std::vector<Run::Override> overrides(std::string_view column) const {
        std::vector<Run::Override> read;
        for (const auto& [part, place] : pieces(text(column), run_.place(column), ';')) {
            const std::size_t equals = part.find('=');
            if (equals == std::string::npos || equals == 0 || equals + 1 == part.size()) {
                faults_.error(place, fmt::format("{}: \"{}\" is not name=value", column, part),
                              "for example layers=12;kv_heads=16");
                continue;
            }
            read.push_back({part.substr(0, equals), part.substr(equals + 1), place});
        }
        return read;
    }

    /// "image=3x224x224".
    void input(Run& run) const {
        const std::string& given = text("input");
        if (given.empty()) {
            return;
        }
        const Location where = run_.place("input");
        const std::size_t equals = given.find('=');
        if (equals == std::string::npos || equals == 0) {
            error("input", fmt::format("\"{}\" is not name=extents", given), "for example seq=2048, image=3x224x224");
            return;
        }
        run.input = given.substr(0, equals);
        Location rest = where;
        rest.column += static_cast<int>(equals) + 1;
        for (const auto& [extent, place] : pieces(given.substr(equals + 1), rest, 'x')) {
            run.extents.push_back(whole_at(extent, "input", place, 1));
        }
    }

    void error(std::string_view column, std::string_view message, std::string help = {}) const {
        faults_.error(run_.place(column), fmt::format("{}: {}", column, message), std::move(help));
    }

private:
    [[nodiscard]] std::int64_t whole_at(const std::string& digits, std::string_view column, const Location& where,
                                        std::int64_t least) const {
        const auto read = whole_from(digits);
        if (const auto* fault = std::get_if<NotANumber>(&read)) {
            faults_.error(where, fmt::format("{}: \"{}\" {}", column, digits, fault->why),
                          "counts are plain digits: 64");
            return least;
        }
        const auto number = std::get<std::int64_t>(read);
        if (number < least || number > kMostWhole) {
            faults_.error(where, fmt::format("{}: {} must be at {} {}", column, number,
                                             number < least ? "least" : "most", number < least ? least : kMostWhole));
            return least;
        }
        return number;
    }

    static std::vector<std::pair<std::string, Location>> pieces(const std::string& all, const Location& where,
                                                                char between) {
        std::vector<std::pair<std::string, Location>> found;
        for (std::size_t start = 0; !all.empty() && start <= all.size();) {
            const std::size_t end = std::min(all.find(between, start), all.size());
            Location place = where;
            place.column += static_cast<int>(start);
            place.length = static_cast<int>(end - start);
            found.emplace_back(all.substr(start, end - start), place);
            start = end + 1;
        }
        return found;
    }

    const Run& run_;
    Diagnostics& faults_;
};

template <class Enum>
std::vector<std::string> names_of(const std::initializer_list<Enum>& values) {
    std::vector<std::string> names;
    for (const Enum value : values) {
        names.emplace_back(plan::name(value));
    }
    return names;
}

Run read_run(std::map<std::string, CsvCell, std::less<>> cells, Diagnostics& faults) {
    Run run;
    run.cells = std::move(cells);
    const Row row(run, faults);
    for (const ColumnRule& column : kColumns) {
        if (column.required && row.text(column.name).empty()) {
            row.error(column.name, "no value");
        }
    }
    run.where = run.place("id");
    run.id = row.text("id");
    run.group = row.text("group");
    run.model = row.text("model");
    run.model_overrides = row.overrides("model_overrides");
    row.input(run);
    run.global_batch = row.whole("global_batch");
    run.microbatch = row.whole("microbatch");
    run.device = row.text("device");
    run.machine = row.text("machine");
    run.gpus = row.whole("gpus");
    run.gpus_per_node = row.whole("gpus_per_node", 0);
    std::vector<std::string> precisions;
    for (const Precision precision : kPrecisions) {
        precisions.emplace_back(name(precision));
    }
    run.precision = row.word("precision", precision_from, precisions, run.precision);
    run.pipeline = row.whole("pipeline");
    run.chunks = row.whole("chunks");
    for (const char* ways : {"tensor", "context", "expert", "expert_tensor", "data", "spatial", "filter"}) {
        static_cast<void>(row.whole(ways));
    }
    static_cast<void>(row.flag("sequence_parallel"));
    using plan::ShardLevel;
    run.shard = row.word(
        "shard", plan::shard_from,
        names_of({ShardLevel::none, ShardLevel::states, ShardLevel::gradients, ShardLevel::parameters}), run.shard);
    run.shard_group = row.whole("shard_group", 0);
    run.recompute = row.text("recompute");
    run.overlap_gradients = row.flag("overlap_gradients");
    run.overlap_parameters = row.flag("overlap_parameters");
    if (const auto seconds = row.positive("step_time_s")) {
        run.step_time = Seconds::of_base(*seconds);
    }
    static_cast<void>(row.positive("step_time_lo_s"));
    static_cast<void>(row.positive("step_time_hi_s"));
    if (const auto bytes = row.positive("peak_memory_bytes")) {
        run.peak_memory = Bytes::of_base(*bytes);
    }
    run.memory_kind = row.text("memory_kind");
    if (!run.memory_kind.empty() &&
        std::find(kMemoryKinds.begin(), kMemoryKinds.end(), run.memory_kind) == kMemoryKinds.end()) {
        row.unknown_word("memory_kind", kMemoryKinds);
    }
    return run;
}

void check_columns(const CsvTable& table, Diagnostics& faults) {
    const std::vector<std::string> known = run_columns();
    std::vector<std::string> given;
    for (const CsvCell& cell : table.header) {
        given.push_back(cell.text);
        if (std::find(known.begin(), known.end(), cell.text) == known.end()) {
            faults.error(cell.where, fmt::format("unknown column \"{}\"{}", cell.text, did_you_mean(cell.text, known)),
                         fmt::format("accepted here: {}", join(known)));
        }
    }
    std::vector<std::string> missing;
    for (const ColumnRule& column : kColumns) {
        const std::string name(column.name);
        const bool is_misspelt = std::any_of(given.begin(), given.end(), [&](const std::string& word) {
            return nearest(word, std::span(&name, 1)) == name;
        });
        if (column.required && !is_misspelt) {
            missing.push_back(name);
        }
    }
    if (!missing.empty()) {
        faults.error(table.header.front().where, fmt::format("columns are missing: {}", join(missing)),
                     "FILES.md says what they hold");
    }
}

}  // namespace

const std::string& Run::cell(std::string_view column) const {
    const auto found = cells.find(column);
    check(found != cells.end(), "a run has every column");
    return found->second.text;
}

Location Run::place(std::string_view column) const {
    const auto found = cells.find(column);
    check(found != cells.end(), "a run has every column");
    return found->second.where;
}

std::vector<std::string> run_columns() {
    std::vector<std::string> names;
    for (const ColumnRule& column : kColumns) {
        names.emplace_back(column.name);
    }
    return names;
}

std::vector<Run> read_runs(const CsvTable& table) {
    Diagnostics faults;
    check_columns(table, faults);
    faults.throw_if_errors();
    std::vector<Run> runs;
    std::set<std::string> ids;
    for (const std::vector<CsvCell>& row : table.rows) {
        std::map<std::string, CsvCell, std::less<>> cells;
        for (const ColumnRule& column : kColumns) {
            cells[std::string(column.name)] = {std::string(column.usual), row.front().where};
        }
        for (std::size_t i = 0; i < row.size(); ++i) {
            CsvCell& cell = cells[table.header[i].text];
            cell.where = row[i].where;
            cell.text = row[i].text.empty() ? cell.text : row[i].text;
        }
        runs.push_back(read_run(std::move(cells), faults));
        if (!ids.insert(runs.back().id).second) {
            faults.error(runs.back().where, fmt::format("id: \"{}\" is there twice", runs.back().id));
        }
    }
    faults.throw_if_errors();
    return runs;
}

std::vector<Run> load_runs(const std::string& path, const Location& where) {
    return read_runs(read_csv(load_bytes(path, path, where), path));
}

}  // namespace dodona::input
