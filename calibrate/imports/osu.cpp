#include "calibrate/imports/osu.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"

namespace dodona::calibrate {

namespace {

constexpr double kMega = 1e6;
constexpr std::size_t kFewestOsuSizes = 3;

struct OsuTest {
    std::string_view title;
    std::string_view collective;  ///< empty: a send
    std::string_view pattern;     ///< of a send
    bool per_rank;                ///< its size times the ranks is the full buffer
    double messages;              ///< one way each, that its bandwidth counts together
};

constexpr std::array kOsuTests{
    OsuTest{"Latency Test", "", "ping-pong", false, 1},
    OsuTest{"Bandwidth Test", "", "window", false, 1},
    OsuTest{"Bi-Directional Bandwidth Test", "", "window-both", false, 2},
    OsuTest{"Allreduce Latency Test", "all-reduce", "", false, 1},
    OsuTest{"Allgather Latency Test", "all-gather", "", true, 1},
    OsuTest{"Reduce_scatter Latency Test", "reduce-scatter", "", false, 1},
    OsuTest{"All-to-All Personalized Exchange Latency Test", "all-to-all", "", true, 1},
    OsuTest{"Broadcast Latency Test", "broadcast", "", false, 1},
};

/// "Allgather Latency Test" of "# OSU MPI-CUDA Allgather Latency Test v7.5"; empty where the line is no title.
std::string title_of(const LogLine& line) {
    const std::vector<LogWord> words = line.words();
    std::string title;
    for (std::size_t i = 3; i < words.size(); ++i) {
        const bool version = i + 1 == words.size() && words[i].text.starts_with('v');
        title += version ? "" : fmt::format("{}{}", title.empty() ? "" : " ", words[i].text);
    }
    return title;
}

bool is_title(const LogLine& line) {
    const std::vector<LogWord> words = line.words();
    return words.size() > 4 && words[0].text == "#" && words[1].text == "OSU" && words[2].text.starts_with("MPI");
}

/// The value of an option: "-n 8", "-n8", "--ntasks=8".
std::optional<std::int64_t> option(const std::vector<LogWord>& words, std::size_t at, std::string_view name) {
    const std::string_view text = words[at].text;
    if (text == name && at + 1 < words.size()) {
        return whole(words[at + 1].text);
    }
    if (!text.starts_with(name)) {
        return std::nullopt;
    }
    const std::string_view rest = text.substr(name.size());
    if (name.starts_with("--")) {
        return rest.starts_with('=') ? whole(rest.substr(1)) : std::nullopt;
    }
    return whole(rest);
}

std::optional<std::int64_t> first_option(const std::vector<LogWord>& words, std::span<const std::string_view> names) {
    for (std::size_t at = 0; at < words.size(); ++at) {
        if (words[at].text.find("osu_") != std::string_view::npos) {
            break;  // what follows are options of the benchmark
        }
        for (const std::string_view name : names) {
            if (const auto value = option(words, at, name)) {
                return value;
            }
        }
    }
    return std::nullopt;
}

/// One benchmark's output, while it is read.
struct OsuTable {
    const OsuTest* test = nullptr;
    Location where;
    bool device = false;  ///< buffers in device memory
    std::string version, type;
    std::vector<std::string> columns = {};
    std::vector<std::pair<double, Seconds>> rows = {};  ///< size as printed, time
    std::optional<Location> failed = {};                ///< its validation

    /// The column to take: of several times the longest of the ranks.
    [[nodiscard]] std::size_t column() const {
        std::size_t found = columns.size();
        for (std::size_t i = 1; i < columns.size(); ++i) {
            const std::string& name = columns[i];
            const bool longest = !test->collective.empty() && name.starts_with("Max Latency");
            const bool mean =
                name.starts_with("Avg Latency") || name.starts_with("Latency") || name.starts_with("Bandwidth");
            if (longest || (mean && found == columns.size())) {
                found = i;
            }
        }
        return found;
    }
};

class OsuReader {
public:
    OsuReader(const LogText& text, ImportBuilder& into) : text_(text), into_(into) {}

    void read() {
        for (const LogLine& line : text_.lines()) {
            if (is_title(line)) {
                finish();
                start(line);
            } else if (const auto launch = launched(line.words())) {
                finish();
                launch_ = *launch;
            } else if (table_ && !line.blank()) {
                inside(line);
            }
        }
        finish();
    }

private:
    struct Refusal {
        Location where;
        std::string why;
        std::string help = {};
    };

    void start(const LogLine& line) {
        const std::string title = title_of(line);
        const auto test = std::ranges::find_if(kOsuTests, [&](const OsuTest& t) { return t.title == title; });
        if (test == kOsuTests.end()) {
            into_.note(text_.at(line), fmt::format("\"{}\" is left out", title),
                       "taken are osu_latency, osu_bw, osu_bibw, osu_allreduce, osu_allgather, osu_reduce_scatter, "
                       "osu_alltoall and osu_bcast");
            return;
        }
        const std::vector<LogWord> words = line.words();
        const std::string_view version = words.back().text;
        table_ = OsuTable{.test = test,
                          .where = text_.at(line),
                          .device = words[2].text != "MPI",
                          .version = std::string(version.starts_with('v') ? version.substr(1) : ""),
                          .type = {}};
    }

    void inside(const LogLine& line) {
        constexpr std::string_view kType = "# Datatype: ";
        const std::vector<LogWord> words = line.words();
        if (words.size() > 1 && words[0].text == "#" && words[1].text == "Size") {
            table_->columns.clear();
            append(table_->columns, line.cells(), &LogWord::text);
        } else if (const std::size_t at = line.text().find(kType); at != std::string::npos) {
            table_->type = line.text().substr(at + kType.size());
            table_->type.erase(table_->type.find_last_not_of(". \r") + 1);
        } else if (line.text().find("Buffer on DEVICE") != std::string::npos) {
            table_->device = true;
        } else if (!table_->columns.empty() && whole(words.front().text)) {
            row(line, words);
        }
    }

    void row(const LogLine& line, const std::vector<LogWord>& words) {
        const std::size_t at = table_->column();
        if (at >= words.size() || at >= table_->columns.size()) {
            into_.note(text_.at(line), "an incomplete row is left out");
            return;
        }
        const std::string& column = table_->columns[at];
        const auto value = printed(words[at].text);
        if (!value || value->value <= 0) {
            into_.note(text_.at(line, words[at]),
                       fmt::format("{} is \"{}\": the row is left out", column, words[at].text));
            return;
        }
        if (words.back().text == "Fail" && !table_->failed) {
            table_->failed = text_.at(line, words.back());
        }
        const auto bytes = static_cast<double>(*whole(words.front().text));
        const double seconds = column.starts_with("Bandwidth") ? table_->test->messages * bytes / (value->value * kMega)
                                                               : value->value / kMicrosPerSecond;
        if (bytes > 0) {
            table_->rows.emplace_back(bytes, seconds * 1_s);
        } else {
            into_.note(text_.at(line), "messages of 0 bytes are left out: curves are over sizes");
        }
    }

    void finish() {
        if (table_) {
            try {
                check();
                emit(shape());
            } catch (const Refusal& refusal) {
                into_.note(refusal.where, refusal.why, refusal.help);
            }
        }
        table_.reset();
    }

    void check() const {
        if (table_->failed) {
            throw Refusal{*table_->failed, "the benchmark found wrong data: a run with wrong results is not imported",
                          "repair the machine or the library, and measure again"};
        }
        std::set<double> sizes;
        for (const auto& row : table_->rows) {
            sizes.insert(row.first);
        }
        if (sizes.size() < kFewestOsuSizes) {
            throw Refusal{table_->where,
                          fmt::format("{} sizes are too few for a curve: it needs {}", sizes.size(), kFewestOsuSizes),
                          "measure a range: -m 1:1048576"};
        }
    }

    [[nodiscard]] Launch shape() const {
        const ImportOptions& options = into_.options();
        const bool sends = table_->test->collective.empty();
        Launch shape{.ranks = sends ? 2 : options.ranks.value_or(launch_.ranks),
                     .ranks_per_node = options.ranks_per_node.value_or(launch_.ranks_per_node)};
        if (shape.ranks < 2) {
            throw Refusal{table_->where, "the log does not say how many ranks took part", "give it with --ranks"};
        }
        if (shape.ranks_per_node == 0 && (!sends || options.level.empty())) {
            throw Refusal{table_->where, "the log does not say how many ranks each node has",
                          sends ? "give --ranks-per-node 2 if both were in one, --ranks-per-node 1 if they were not"
                                : "give it with --ranks-per-node"};
        }
        shape.ranks_per_node = std::min(shape.ranks_per_node, shape.ranks);
        if (shape.ranks_per_node > 0 && shape.ranks % shape.ranks_per_node != 0) {
            throw Refusal{table_->where, fmt::format("{} ranks with {} in a node do not fill every node", shape.ranks,
                                                     shape.ranks_per_node)};
        }
        return shape;
    }

    void emit(const Launch& shape) {
        const OsuTest& test = *table_->test;
        into_.environment({{"osu", table_->version}});
        const std::size_t column = table_->column();
        const bool longest = column < table_->columns.size() && table_->columns[column].starts_with("Max");
        for (const auto& [size, time] : table_->rows) {
            const double full = test.per_rank ? size * static_cast<double>(shape.ranks) : size;
            const std::string level = level_of(into_.options(), shape.ranks, shape.ranks_per_node);
            Measurement measured{
                .of = {.benchmark = test.collective.empty() ? "send" : "collective",
                       .parameters = {{"bytes", full}, {"level", level}, {"groups", 1.0}}},
                .time = once(time),
                .words = {{"buffers", table_->device ? "device" : "host"},
                          {"statistic", longest ? "longest of the ranks' means" : "mean of the ranks' means"}}};
            if (test.collective.empty()) {
                measured.of.parameters["pattern"] = std::string(test.pattern);
                measured.words.erase("statistic");
            } else {
                measured.of.parameters["collective"] = std::string(test.collective);
                measured.of.parameters["ranks"] = static_cast<double>(shape.ranks);
                measured.of.parameters["ranks_per_node"] = static_cast<double>(shape.ranks_per_node);
                measured.of.parameters["in_place"] = 0.0;
            }
            if (!table_->type.empty()) {
                measured.words["type"] = table_->type;
            }
            into_.measurement(std::move(measured));
        }
    }

    const LogText& text_;
    ImportBuilder& into_;
    Launch launch_;
    std::optional<OsuTable> table_;
};

}  // namespace

std::optional<Launch> launched(const std::vector<LogWord>& words) {
    const auto program = std::find_if(words.begin(), words.end(), [](const LogWord& word) {
        const std::size_t slash = word.text.rfind('/');
        const std::string_view name = slash == std::string_view::npos ? word.text : word.text.substr(slash + 1);
        return name == "mpirun" || name == "mpiexec" || name == "mpiexec.hydra" || name == "srun";
    });
    if (program == words.end()) {
        return std::nullopt;
    }
    const std::vector<LogWord> rest(program + 1, words.end());
    const bool slurm = program->text.ends_with("srun");
    constexpr std::array<std::string_view, 5> kRanks{"-n", "-np", "--np", "--ntasks", "-c"};
    constexpr std::array<std::string_view, 6> kPerNode{
        "--ntasks-per-node", "-npernode", "--npernode", "-ppn", "--ppn", "-N"};
    constexpr std::array<std::string_view, 2> kNodes{"-N", "--nodes"};
    const std::size_t ranks_names = slurm ? 4 : 5;     // srun -c is of processors
    const std::size_t per_node_names = slurm ? 1 : 6;  // srun -N is of nodes
    Launch launch{.ranks = first_option(rest, std::span(kRanks).first(ranks_names)).value_or(0),
                  .ranks_per_node = first_option(rest, std::span(kPerNode).first(per_node_names)).value_or(0)};
    const std::int64_t nodes = slurm ? first_option(rest, kNodes).value_or(0) : 0;
    if (nodes > 0 && launch.ranks == 0) {
        launch.ranks = nodes * std::max<std::int64_t>(launch.ranks_per_node, 1);
    }
    if (nodes > 0 && launch.ranks_per_node == 0 && launch.ranks % nodes == 0) {
        launch.ranks_per_node = launch.ranks / nodes;
    }
    return launch;
}

bool is_osu(const LogText& text) { return std::any_of(text.lines().begin(), text.lines().end(), is_title); }

void read_osu(const LogText& text, ImportBuilder& into) { OsuReader(text, into).read(); }

}  // namespace dodona::calibrate
