#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "calibrate/imports/kineto.hpp"
#include "calibrate/imports/operator_cases.hpp"
#include "calibrate/record/quantile.hpp"

namespace dodona::calibrate {

namespace {

/// Times of one case, and the kernel that takes most of each.
struct Samples {
    std::vector<double> times;
    std::map<std::string, double> kernels;  ///< name -> us in all
    double most_kernels = 0;                ///< of one call
};

/// Kernels that one call of an operator launched, in the order of the trace.
using Launched = std::vector<const KinetoKernel*>;

class Kernels {
public:
    Kernels(const KinetoTrace& trace, ImportBuilder& into) : trace_(trace), into_(into) {}

    void add_records() {
        into_.environment(trace_.facts);
        std::map<std::int64_t, Launched> calls;
        double of_others = 0;
        for (const KinetoKernel& kernel : trace_.kernels) {
            all_ += kernel.us;
            const std::int64_t launcher = trace_.launcher(kernel);
            if (launcher != 0 && trace_.operator_of.contains(launcher)) {
                calls[launcher].push_back(&kernel);
            } else {
                of_others += kernel.us;
            }
        }
        for (const auto& [external, launched] : calls) {
            call(trace_.operators[trace_.operator_of.at(external)], launched);
        }
        for (const auto& [of, samples] : samples_) {
            emit(of, samples);
        }
        notes(of_others);
    }

private:
    void call(const KinetoOperator& called, const Launched& launched) {
        if (called.name != "aten::convolution_backward") {
            add(called, launched);
            return;
        }
        std::map<std::string_view, Launched> directions;
        std::string_view last;
        Launched waiting;  // for a kernel that says its direction
        for (const KinetoKernel* kernel : launched) {
            const std::string_view direction = convolution_direction(trace_.names[kernel->name]);
            waiting.push_back(kernel);
            if (!direction.empty()) {
                last = direction;
                auto& of = directions[direction];
                of.insert(of.end(), waiting.begin(), waiting.end());
                waiting.clear();
            }
        }
        auto& of = directions[last];  // those after the last belong to it; all, where none says anything
        of.insert(of.end(), waiting.begin(), waiting.end());
        for (const auto& entry : directions) {
            if (!entry.second.empty()) {
                add(called, entry.second);
            }
        }
    }

    void add(const KinetoOperator& called, const Launched& launched) {
        double us = 0;
        const KinetoKernel* longest = launched.front();
        const KinetoKernel* directed = nullptr;
        for (const KinetoKernel* kernel : launched) {
            us += kernel->us;
            longest = kernel->us > longest->us ? kernel : longest;
            directed = convolution_direction(trace_.names[kernel->name]).empty() ? directed : kernel;
        }
        const KinetoKernel* telling =
            called.name == "aten::convolution_backward" && directed != nullptr ? directed : longest;
        const OperatorCase read = case_of(called, trace_.names[telling->name]);
        if (!read.assumed.empty()) {
            ++assumed_[read.assumed];
        }
        if (!read.of) {
            ++left_out_[read.why];
            left_out_us_ += us;
            return;
        }
        Samples& samples = samples_[*read.of];
        samples.times.push_back(us / kMicrosPerSecond);
        samples.kernels[trace_.names[longest->name]] += us;
        samples.most_kernels = std::max(samples.most_kernels, static_cast<double>(launched.size()));
    }

    void emit(const Case& of, const Samples& samples) {
        const auto kernel = std::max_element(samples.kernels.begin(), samples.kernels.end(),
                                             [](const auto& a, const auto& b) { return a.second < b.second; });
        into_.measurement({.of = of,
                           .time = statistics_of(samples.times),
                           .values = {{"kernels", samples.most_kernels}},
                           .words = {{"kernel", kernel->first}}});
    }

    void notes(double of_others) {
        for (const auto& [why, count] : left_out_) {
            into_.note(trace_.whole, fmt::format("{} are left out: {}", why, count));
        }
        for (const auto& [what, count] : assumed_) {
            into_.assume(trace_.whole, fmt::format("{}: {}", what, count));
        }
        if (all_ > 0 && of_others + left_out_us_ > 0) {
            into_.note(trace_.whole,
                       fmt::format("{:.0f} % of the kernels' time is of operators that are not taken",
                                   100 * (of_others + left_out_us_) / all_),
                       "imported are products, convolutions and fused attention of aten, collectives and copies");
        }
    }

    const KinetoTrace& trace_;
    ImportBuilder& into_;
    double all_ = 0;
    double left_out_us_ = 0;
    std::map<Case, Samples> samples_;
    std::map<std::string, std::int64_t> left_out_, assumed_;
};

/// "Pinned -> Device" as "pinned", "device"; none of other places.
std::optional<std::pair<std::string, std::string>> places_of(const std::string& text) {
    const std::map<std::string, std::string> names{
        {"Pageable", "pageable"}, {"Pinned", "pinned"}, {"Device", "device"}};
    const std::size_t arrow = text.find(" -> ");
    if (arrow == std::string::npos) {
        return std::nullopt;
    }
    const auto from = names.find(text.substr(0, arrow));
    const auto to = names.find(text.substr(arrow + 4));
    if (from == names.end() || to == names.end()) {
        return std::nullopt;
    }
    return std::pair(from->second, to->second);
}

}  // namespace

void import_kernels(const KinetoTrace& trace, ImportBuilder& into) {
    Kernels(trace, into).add_records();
    std::map<std::string, std::size_t> odd;
    for (const auto& [copy, us] : trace.copies) {
        const auto places = places_of(copy.first);
        if (!places) {
            odd[copy.first] += us.size();
            continue;
        }
        std::vector<double> times = us;
        for (double& time : times) {
            time /= kMicrosPerSecond;
        }
        const Statistics statistics = statistics_of(std::move(times));
        into.measurement(
            {.of = {.benchmark = "copy",
                    .parameters = {{"bytes", copy.second}, {"from", places->first}, {"to", places->second}}},
             .time = statistics,
             .values = {{"bandwidth", copy.second / statistics.median.in(1_s)}}});
    }
    for (const auto& [where, count] : odd) {
        into.note(trace.whole, fmt::format("copies \"{}\" are left out: {}", where, count));
    }
}

}  // namespace dodona::calibrate
