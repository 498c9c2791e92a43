#include "reports/text/misfits.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/text/section.hpp"

namespace dodona::reports {

std::string misfits(const search::Answer& answer, Style style) {
    constexpr std::size_t kMost = 6;
    if (answer.infeasible.empty()) {
        return {};
    }
    std::int64_t count = 0;
    std::size_t count_width = 0;
    std::size_t name_width = 0;
    const std::size_t shown = std::min(answer.infeasible.size(), kMost);
    for (std::size_t i = 0; i < answer.infeasible.size(); ++i) {
        const search::Infeasible& group = answer.infeasible[i];
        count += group.count;
        if (i < shown) {
            count_width = std::max(count_width, whole(static_cast<double>(group.count)).size());
            name_width = std::max(name_width, display_columns(group.strategy));
        }
    }
    std::string all = heading(style, fmt::format("What does not fit: {} of {}", whole(static_cast<double>(count)),
                                                 counted(answer.counts.configurations, "configuration")));
    const std::string indent(count_width + name_width + 6, ' ');
    for (std::size_t i = 0; i < shown; ++i) {
        const search::Infeasible& group = answer.infeasible[i];
        const std::size_t width = kTextWidth - std::min(indent.size(), kTextWidth / 2);
        all += fmt::format("  {:>{}}  {}{}  {}\n", whole(static_cast<double>(group.count)), count_width, group.strategy,
                           std::string(name_width - display_columns(group.strategy), ' '),
                           wrapped(text(group.cause), width, indent));
        if (group.nearest) {
            all +=
                indent + painted(style, Paint::dim, wrapped("nearest: " + text(*group.nearest), width, indent)) + "\n";
        }
    }
    if (shown < answer.infeasible.size()) {
        all += fmt::format("  and {}; --format json lists all\n",
                           counted(static_cast<std::int64_t>(answer.infeasible.size() - shown), "more kind"));
    }
    return all;
}

}  // namespace dodona::reports
