#include "calibrate/imports/nccl_tests.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "calibrate/imports/collective_name.hpp"
#include "calibrate/imports/nccl_run.hpp"

namespace dodona::calibrate {

namespace {

/// What stands before the "#" of a header line, "[0]" or "node-a:": what launchers tag lines with; nothing for other lines.
std::optional<std::string> tag_of(const LogLine& line) {
    const std::string& text = line.text();
    const std::size_t hash = text.find('#');
    if (hash == std::string::npos) {
        return std::nullopt;
    }
    const LogLine header(std::string_view(text).substr(hash + 1), line.number());
    const std::vector<LogWord> words = header.words();
    if (words.size() < 4 || words[0].text != "size" || words[1].text != "count" || words[2].text != "type") {
        return std::nullopt;
    }
    const std::size_t end = text.find_last_not_of(" \t", hash == 0 ? 0 : hash - 1);
    return hash == 0 || end == std::string::npos ? "" : text.substr(0, end + 1);
}

/// The text without the tag of its first header line.
LogText untagged(const LogText& text) {
    for (const LogLine& line : text.lines()) {
        if (const auto tag = tag_of(line)) {
            return text.without(*tag);
        }
    }
    return text;
}

/// "size count type redop root time ..." of a header line, without its "#"; empty for other lines.
std::vector<std::string> columns_of(const LogLine& line) {
    std::vector<std::string> names;
    for (const LogWord& word : line.words()) {
        std::string_view name = word.text;
        if (names.empty() && name.starts_with('#')) {
            name.remove_prefix(1);
        }
        if (!name.empty()) {
            names.emplace_back(name);
        }
    }
    const bool header = names.size() > 4 && names[0] == "size" && names[1] == "count" && names[2] == "type";
    return header ? names : std::vector<std::string>{};
}

/// The word after `label`; empty where there is none.
std::string_view after(const std::vector<LogWord>& words, std::string_view label) {
    const auto found = std::find_if(words.begin(), words.end(), [&](const LogWord& w) { return w.text == label; });
    return found == words.end() || found + 1 == words.end() ? std::string_view{} : (found + 1)->text;
}

/// "#  Rank  0 Group  0 Pid 1 on host device  0 [0x07] NVIDIA H100", or without the group.
std::optional<NcclRank> rank_of(const LogLine& line) {
    const std::vector<LogWord> words = line.words();
    const auto rank = whole(after(words, "Rank"));
    const std::string_view host = after(words, "on");
    const auto bracket = std::ranges::find_if(words, [](const LogWord& w) { return w.text.ends_with(']'); });
    if (!rank || host.empty() || bracket == words.end() || bracket + 1 == words.end()) {
        return std::nullopt;
    }
    const std::size_t device = static_cast<std::size_t>((bracket + 1)->column) - 1;
    const std::size_t end = line.text().find_last_not_of(" \t\r") + 1;
    return NcclRank{.rank = *rank,
                    .group = whole(after(words, "Group")).value_or(0),
                    .host = std::string(host),
                    .device = line.text().substr(device, end - device)};
}

class NcclTextReader {
public:
    NcclTextReader(const LogText& text, ImportBuilder& into) : text_(text), into_(into) {}

    void read() {
        for (const LogLine& line : text_.lines()) {
            if (!line.blank()) {
                read(line);
            }
        }
        finish();
    }

private:
    void read(const LogLine& line) {
        const std::vector<LogWord> words = line.words();
        if (row(line, words)) {
            return;
        }
        const std::string& text = line.text();
        if (auto columns = columns_of(line); !columns.empty()) {
            start_if_over();
            columns_ = std::move(columns);
            run_.where = text_.at(line);
        } else if (const auto rank = rank_of(line)) {
            start_if_over();
            run_.ranks.push_back(*rank);
        } else if (text.find("Collective test starting:") != std::string::npos) {
            start_if_over();
            run_.program = std::string(words.back().text);
        } else if (text.find("# nThread") != std::string::npos) {
            start_if_over();
            const auto iterations = whole(words_after_warmup(words));
            run_.iterations = static_cast<double>(iterations.value_or(0));
        } else if (text.find("nccl-tests version") != std::string::npos ||
                   text.find("rccl-tests version") != std::string::npos) {
            start_if_over();
            versions(words);
        } else if (text.find("Out of bounds values") != std::string::npos) {
            run_.out_of_bounds = whole(after(words, ":")).value_or(0);
        } else if (words.back().text == "..." && columns_.empty()) {
            run_.ranks_cut = true;
        } else if (text.find("test concluded") == std::string::npos) {
            command(words);
        }
    }

    /// "warmup iters: 5 iters: 20": the second.
    static std::string_view words_after_warmup(const std::vector<LogWord>& words) {
        std::string_view found;
        for (std::size_t i = 1; i + 1 < words.size(); ++i) {
            if (words[i].text == "iters:" && words[i - 1].text != "warmup" && words[i - 1].text != "agg") {
                found = words[i + 1].text;
            }
        }
        return found;
    }

    void versions(const std::vector<LogWord>& words) {
        run_.versions["nccl-tests"] = std::string(after(words, "version"));
        constexpr std::string_view kLibrary = "nccl-library=";
        for (const LogWord& word : words) {
            if (word.text.starts_with(kLibrary)) {
                if (const auto code = whole(word.text.substr(kLibrary.size()))) {
                    run_.versions["nccl"] = nccl_version(*code);
                }
            }
        }
    }

    /// The command line, where the log has it: "mpirun -np 8 ./build/all_gather_perf -b 8".
    void command(const std::vector<LogWord>& words) {
        for (const LogWord& word : words) {
            const std::size_t slash = word.text.rfind('/');
            const std::string_view program = slash == std::string_view::npos ? word.text : word.text.substr(slash + 1);
            if (program.find("_perf") != std::string_view::npos && program_named(program) != nullptr) {
                start_if_over();
                run_.program = std::string(program);
            }
        }
    }

    /// Whether the line is a row of the table.
    bool row(const LogLine& line, std::vector<LogWord> words) {
        if (columns_.empty() || words.size() < 4 || !whole(words[0].text) || !whole(words[1].text)) {
            return false;
        }
        if (printed(words[2].text) && words[2].text != "N/A") {
            return false;  // a type has letters
        }
        const auto optional = std::find(columns_.begin(), columns_.end(), "redop");
        if (words.size() + 1 == columns_.size() && optional != columns_.end()) {
            const auto at = optional - columns_.begin();  // the operation of some programs is blank
            words.insert(words.begin() + at, LogWord{"", words[static_cast<std::size_t>(at)].column});
        }
        const std::size_t due = columns_.size() - (columns_.back() == "timestamp" ? 1 : 0);
        if (words.size() < due) {
            into_.note(text_.at(line), "an incomplete row is left out");
            return true;
        }
        NcclRow read{.bytes = static_cast<double>(*whole(words[0].text)), .where = text_.at(line)};
        for (std::size_t i = 0; i < due; ++i) {
            if (!cell(read, i, line, words[i])) {
                into_.note(text_.at(line, words[i]),
                           fmt::format("{} is \"{}\": the row is left out", columns_[i], words[i].text));
                return true;
            }
        }
        run_.rows.push_back(std::move(read));
        return true;
    }

    /// Whether the cell is what its column is to hold.
    bool cell(NcclRow& read, std::size_t i, const LogLine& line, const LogWord& word) {
        const std::string& column = columns_[i];
        if (column == "type") {
            read.type = std::string(word.text);
        } else if (column == "redop") {
            read.redop = std::string(word.text);
        } else if (column == "root") {
            read.root = static_cast<int>(whole(word.text).value_or(-1));
        } else if (column == "time" || column == "cputime") {
            run_.cpu_time = run_.cpu_time || column == "cputime";
            NcclTiming timing{.where = text_.at(line, word)};
            const auto value = printed(word.text);
            if (!value || value->value <= 0) {
                return read.bytes == 0;
            }
            timing.time = *value;
            (read.out_of_place ? read.in_place : read.out_of_place) = std::move(timing);
        } else if (read.out_of_place) {
            return timed_cell(read.in_place ? *read.in_place : *read.out_of_place, i, line, word);
        }
        return true;
    }

    bool timed_cell(NcclTiming& timing, std::size_t i, const LogLine& line, const LogWord& word) {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kIterations{
            {{"i_min", "least_iteration"}, {"i_max", "longest_iteration"}, {"i_p99", "p99_iteration"}}};
        const std::string& column = columns_[i];
        const auto value = printed(word.text);
        if (column == "#wrong") {
            if (value) {
                timing.wrong = value->value;
                timing.where = value->value == 0 ? timing.where : text_.at(line, word);
            }
            return value || word.text == "N/A";
        }
        if (column == "algbw" || column == "busbw") {
            (column == "algbw" ? timing.algorithm : timing.bus) = value.value_or(Printed{});
            return value && value->value >= 0;
        }
        for (const auto& [name, as] : kIterations) {
            if (column == name && value) {
                timing.values[std::string(as)] = value->value / kMicrosPerSecond;
            }
        }
        return true;
    }

    /// What a run says of itself stands before its rows: after rows, it is the next run's.
    void start_if_over() {
        if (!run_.rows.empty()) {
            finish();
        }
    }

    void finish() {
        if (!columns_.empty()) {
            if (run_.program.empty() && program_named(into_.file()) != nullptr) {
                run_.program = into_.file();
            }
            import_nccl_run(run_, into_);
        }
        run_ = {};
        columns_.clear();
    }

    const LogText& text_;
    ImportBuilder& into_;
    NcclRun run_;
    std::vector<std::string> columns_;
};

}  // namespace

bool is_nccl_tests(const LogText& text) {
    return std::any_of(text.lines().begin(), text.lines().end(),
                       [](const LogLine& line) { return !columns_of(line).empty() || tag_of(line).has_value(); });
}

void read_nccl_tests(const LogText& text, ImportBuilder& into) {
    const LogText plain = untagged(text);
    NcclTextReader(plain, into).read();
}

}  // namespace dodona::calibrate
