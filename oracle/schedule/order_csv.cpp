#include "schedule/order_csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "schedule/dependencies.hpp"

namespace dodona::schedule {

namespace {

constexpr std::string_view kForms =
    "a task is position, kind and micro-batch, such as 0F0, with F, B, I or W; a pair is (0F8;7B2)OVERLAP_F_B";
constexpr std::array<std::string_view, 7> kCommunication{"SEND_F",  "RECV_F",  "SEND_B",     "RECV_B",
                                                         "UNSHARD", "RESHARD", "REDUCE_GRAD"};

std::shared_ptr<const Source> source_of(std::string_view text, const std::string& name) {
    auto source = std::make_shared<Source>();
    source->name = name;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        source->lines.emplace_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    while (!source->lines.empty() && source->lines.back().empty()) {
        source->lines.pop_back();
    }
    return source;
}

/// A number at the front of a text, which is taken away; none if there is none or it is too large.
std::optional<std::int32_t> take_number(std::string_view& text) {
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || text.front() == '-') {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// Text to tasks with their places.
class OrderReader {
public:
    OrderReader(std::string_view text, const std::string& name) : source_(source_of(text, name)) {}

    Order run() {
        if (source_->lines.empty()) {
            fail({source_, 0, 0, 1}, "empty: there is no stage", "one line for each stage, such as 0F0,0B0");
        }
        for (std::size_t s = 0; s < source_->lines.size(); ++s) {
            read_stage(s);
        }
        faults_.throw_if_errors();
        find_positions();
        faults_.throw_if_errors();
        for (const OrderFault& fault : find_faults(order_)) {
            faults_.error(place(fault.stage, fault.index), fault.message);
        }
        faults_.throw_if_errors();
        for (const BlockedStage& blocked : resolve(order_).blocked) {
            const std::vector<Task>& tasks = order_.stages[static_cast<std::size_t>(blocked.stage)];
            const auto at =
                static_cast<std::size_t>(std::find(tasks.begin(), tasks.end(), blocked.task) - tasks.begin());
            faults_.error(place(blocked.stage, at),
                          fmt::format("stage {} waits here for {} of stage {}, which never runs", blocked.stage,
                                      to_text(blocked.needs), blocked.needs_stage),
                          "stages wait for each other: move the tasks that others need forward");
        }
        faults_.throw_if_errors();
        return std::move(order_);
    }

private:
    void read_stage(std::size_t stage) {
        order_.stages.emplace_back();
        places_.emplace_back();
        const std::string_view line = source_->lines[stage];
        for (std::size_t start = 0; start <= line.size();) {
            const std::size_t end = std::min(line.find(',', start), line.size());
            read_cell(stage, start, line.substr(start, end - start));
            start = end + 1;
        }
        if (order_.stages.back().empty()) {
            faults_.error({source_, static_cast<int>(stage) + 1, 1, 1}, "a stage without tasks",
                          "each line is a stage and holds at least one position");
        }
    }

    void read_cell(std::size_t stage, std::size_t column, std::string_view cell) {
        while (cell.starts_with(' ')) {
            cell.remove_prefix(1);
            ++column;
        }
        while (cell.ends_with(' ')) {
            cell.remove_suffix(1);
        }
        if (cell.empty()) {
            return;
        }
        const Location where{source_, static_cast<int>(stage) + 1, static_cast<int>(column) + 1,
                             static_cast<int>(cell.size())};
        constexpr std::string_view kPair = ")OVERLAP_F_B";
        const std::size_t middle = cell.find(';');
        if (cell.starts_with('(') && cell.ends_with(kPair) && middle != std::string_view::npos) {
            read_task(where, cell.substr(1, middle - 1), true);
            read_task(where, cell.substr(middle + 1, cell.size() - kPair.size() - middle - 1), false);
        } else {
            read_task(where, cell, false);
        }
    }

    void read_task(const Location& where, std::string_view text, bool overlaps_next) {
        std::string_view rest = text;
        Task task;
        task.overlaps_next = overlaps_next;
        const std::optional<std::int32_t> position = take_number(rest);
        for (const std::string_view word : kCommunication) {
            if (position && rest.starts_with(word)) {
                faults_.error(where,
                              fmt::format("\"{}\" is communication, which follows from the order of tasks", text),
                              "give the form with compute only");
                return;
            }
        }
        const auto kind = rest.empty() ? std::nullopt : value_of<TaskKind>(rest.substr(0, 1));
        if (kind) {
            rest.remove_prefix(1);
        }
        const std::optional<std::int32_t> micro_batch = take_number(rest);
        if (!position || !kind || !micro_batch || !rest.empty()) {
            faults_.error(where, fmt::format("\"{}\" is no task", text), std::string(kForms));
            return;
        }
        task.kind = *kind;
        task.micro_batch = *micro_batch;
        task.position = *position;
        order_.stages.back().push_back(task);
        places_.back().push_back(where);
    }

    /// Numbers of positions and micro-batches, and the stage of each position: that of its first task.
    void find_positions() {
        std::int64_t positions = 0;
        std::int64_t micro_batches = 0;
        for (const std::vector<Task>& stage : order_.stages) {
            for (const Task& task : stage) {
                positions = std::max(positions, std::int64_t{task.position} + 1);
                micro_batches = std::max(micro_batches, std::int64_t{task.micro_batch} + 1);
            }
        }
        // Each micro-batch has two tasks or more at each position. Where most are there, each missing one is named.
        const auto tasks = static_cast<std::int64_t>(order_.tasks());
        if (2 * positions > tasks || 2 * micro_batches > tasks || 2 * positions * micro_batches > tasks * 16) {
            faults_.error({source_, 0, 0, 1},
                          fmt::format("{} tasks are too few for positions 0 to {} and micro-batches 0 to {}", tasks,
                                      positions - 1, micro_batches - 1),
                          "every micro-batch has a forward and a backward pass at every position");
            return;
        }
        order_.micro_batches = static_cast<std::int32_t>(micro_batches);
        std::vector<std::int32_t> holders(static_cast<std::size_t>(positions), -1);
        for (std::size_t s = 0; s < order_.stages.size(); ++s) {
            for (const Task& task : order_.stages[s]) {
                std::int32_t& holder = holders[static_cast<std::size_t>(task.position)];
                holder = holder < 0 ? static_cast<std::int32_t>(s) : holder;
            }
        }
        for (std::size_t k = 0; k < holders.size(); ++k) {
            if (holders[k] < 0) {
                faults_.error({source_, 0, 0, 1}, fmt::format("no stage runs position {}", k),
                              fmt::format("the last position is {}; none may be left out", positions - 1));
            }
        }
        order_.directions = {std::move(holders)};
    }

    [[nodiscard]] Location place(std::int32_t stage, std::size_t index) const {
        const std::vector<Location>& places = places_[static_cast<std::size_t>(stage)];
        return index < places.size() ? places[index] : Location{source_, stage + 1, 1, 1};
    }

    std::shared_ptr<const Source> source_;
    Order order_;
    std::vector<std::vector<Location>> places_;  // of each task
    Diagnostics faults_;
};

}  // namespace

Order read_order(std::string_view text, const std::string& name) { return OrderReader(text, name).run(); }

std::string to_csv(const Order& order) {
    check(order.directions.size() == 1, "the form knows one stage for each position");
    std::string text;
    for (const std::vector<Task>& stage : order.stages) {
        for (std::size_t i = 0; i < stage.size(); ++i) {
            const std::string separator = i == 0 ? "" : ",";
            if (stage[i].overlaps_next && i + 1 < stage.size()) {
                text += fmt::format("{}({};{})OVERLAP_F_B", separator, to_text(stage[i]), to_text(stage[i + 1]));
                ++i;
            } else {
                text += separator + to_text(stage[i]);
            }
        }
        text += '\n';
    }
    return text;
}

}  // namespace dodona::schedule
