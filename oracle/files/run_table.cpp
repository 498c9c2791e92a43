#include "files/run_table.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "files/fields.hpp"
#include "files/text.hpp"
#include "plan/plan.hpp"

namespace dodona::files {

namespace {

constexpr std::array kRunColumns{
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
    ColumnRule{"virtual_stages", false, "1", "chunks"},
    ColumnRule{"data", false, "1"},
    ColumnRule{"shard", false, "none"},
    ColumnRule{"shard_group", false, "0"},
    ColumnRule{"spatial", false, "1"},
    ColumnRule{"filter", false, "1"},
    ColumnRule{"channel", false, "1"},
    ColumnRule{"strategy", true},
    ColumnRule{"recompute", false, "none"},
    ColumnRule{"overlap_gradients", false, "yes"},
    ColumnRule{"overlap_parameters", false, "yes"},
    ColumnRule{"framework"},
    ColumnRule{"version"},
    ColumnRule{"date"},
    ColumnRule{"step_time_s"},
    ColumnRule{"step_time_lo_s"},
    ColumnRule{"step_time_hi_s"},
    ColumnRule{"compute_time_s"},
    ColumnRule{"communication_time_s"},
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
    Row(const MeasuredRun& run, Diagnostics& faults) : run_(run), faults_(faults) {}

    [[nodiscard]] const std::string& text(std::string_view column) const { return run_.cell(column); }

    [[nodiscard]] std::int64_t whole(std::string_view column, std::int64_t least = 1) const {
        return whole_cell(run_, column, least, faults_);
    }

    [[nodiscard]] bool flag(std::string_view column) const {
        if (text(column) != "yes" && text(column) != "no") {
            error(column, fmt::format("\"{}\" is neither yes nor no", text(column)));
        }
        return text(column) == "yes";
    }

    /// Nothing where the cell is empty.
    [[nodiscard]] std::optional<Seconds> seconds(std::string_view column) const {
        const std::optional<double> read = positive_cell(run_, column, faults_);
        return read ? std::optional(Seconds::of_base(*read)) : std::nullopt;
    }

    template <Enumerated Enum>
    [[nodiscard]] Enum word(std::string_view column, Enum fallback) const {
        const std::optional<Enum> value = value_of<Enum>(text(column));
        if (!value) {
            unknown_word(column, value_names<Enum>());
        }
        return value.value_or(fallback);
    }

    void unknown_word(std::string_view column, const std::vector<std::string>& known) const {
        error(column, fmt::format("unknown word \"{}\"{}", text(column), did_you_mean(text(column), known)),
              fmt::format("accepted here: {}", join(known)));
    }

    /// "layers=12;kv_heads=16".
    [[nodiscard]] std::vector<MeasuredRun::Override> overrides(std::string_view column) const {
        std::vector<MeasuredRun::Override> read;
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
    void input(MeasuredRun& run) const {
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
            run.extents.push_back(whole_at(extent, "input", place, 1, faults_));
        }
    }

    void error(std::string_view column, std::string_view message, std::string help = {}) const {
        faults_.error(run_.place(column), fmt::format("{}: {}", column, message), std::move(help));
    }

private:
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

    const MeasuredRun& run_;
    Diagnostics& faults_;
};

MeasuredRun read_run(TableRow cells, Diagnostics& faults) {
    MeasuredRun run{std::move(cells)};
    const Row row(run, faults);
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
    run.precision = row.word("precision", run.precision);
    run.pipeline = row.whole("pipeline");
    run.virtual_stages = row.whole("virtual_stages");
    for (const char* ways : {"tensor", "context", "expert", "expert_tensor", "data", "spatial", "filter", "channel"}) {
        static_cast<void>(row.whole(ways));
    }
    static_cast<void>(row.flag("sequence_parallel"));
    run.shard = row.word("shard", run.shard);
    run.shard_group = row.whole("shard_group", 0);
    run.recompute = row.text("recompute");
    run.overlap_gradients = row.flag("overlap_gradients");
    run.overlap_parameters = row.flag("overlap_parameters");
    run.date = row.text("date");
    run.step_time = row.seconds("step_time_s");
    static_cast<void>(row.seconds("step_time_lo_s"));
    static_cast<void>(row.seconds("step_time_hi_s"));
    run.compute_time = row.seconds("compute_time_s");
    run.communication_time = row.seconds("communication_time_s");
    if (const auto bytes = positive_cell(run, "peak_memory_bytes", faults)) {
        run.peak_memory = Bytes::of_base(*bytes);
    }
    run.memory_kind = row.text("memory_kind");
    if (!run.memory_kind.empty() &&
        std::find(kMemoryKinds.begin(), kMemoryKinds.end(), run.memory_kind) == kMemoryKinds.end()) {
        row.unknown_word("memory_kind", kMemoryKinds);
    }
    return run;
}

}  // namespace

std::vector<std::string> run_columns() { return names_of(kRunColumns); }

std::vector<MeasuredRun> read_runs(const CsvTable& table) {
    Diagnostics faults;
    std::vector<MeasuredRun> runs;
    std::set<std::string> ids;
    for (TableRow& row : read_rows(table, kRunColumns, faults)) {
        runs.push_back(read_run(std::move(row), faults));
        if (!ids.insert(runs.back().id).second) {
            faults.error(runs.back().where, fmt::format("id: \"{}\" is there twice", runs.back().id));
        }
    }
    faults.throw_if_errors();
    return runs;
}

std::vector<MeasuredRun> load_runs(const std::string& path, const Location& where) {
    return read_runs(read_csv(load_bytes(path, path, where), path));
}

}  // namespace dodona::files
