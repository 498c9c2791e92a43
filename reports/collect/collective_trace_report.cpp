#include "reports/collect/collective_trace_report.hpp"

#include <cmath>

#include <fmt/format.h>

#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

/// Factors nearer to 1 are rounding.
constexpr double kSame = 1e-9;

Table level_table(const cost::CollectiveTrace& trace) {
    Table table({{"level"},
                 {"ranks in a child", Align::right},
                 {"children", Align::right},
                 {"out of a child", Align::right},
                 {"latency of a message", Align::right}});
    for (const cost::CollectiveTrace::Level& level : trace.levels) {
        table.row({level.name, Count{level.members}, Count{level.children}, level.share, level.latency});
    }
    return table;
}

Table correction_table(const cost::CollectiveTrace& trace, const step::CommunicationLine& line) {
    Table table({{"what makes the time"}, {"factor", Align::right}, {"one takes", Align::right}});
    const Seconds one = line.time / line.per_step;
    Seconds before = trace.modelled;
    table.row({fmt::format("{} over these levels{}", name(trace.time.algorithm),
                           trace.protocol.empty() ? "" : fmt::format(", protocol {}", trace.protocol)),
               Cell(), trace.modelled});
    const auto corrected = [&](std::string what, Seconds time) {
        table.row({std::move(what), Number{time / before}, time});
        before = time;
    };
    if (trace.measured) {
        corrected(fmt::format("curves of {}: {}", trace.curves_of.empty() ? "this machine" : trace.curves_of,
                              name(trace.evidence)),
                  *trace.measured);
    }
    if (trace.slow_down) {
        corrected("bus bandwidth that jobs of this size measured", trace.time.time.value);
    }
    if (std::abs(one / before - 1) > kSame) {
        corrected("software, and kernels that it shares the device with", one);
    }
    table.row({fmt::format("{:g} in a step, hidden or not", line.per_step), Number{line.per_step}, line.time});
    return table;
}

}  // namespace

void add_collective_trace(Document& document, const cluster::Cluster& cluster, const step::CommunicationLine& line) {
    const cost::CollectiveTrace trace = cost::collective_trace(cluster, *line.request, line.forced);
    std::string others;
    for (const cost::CollectiveTrace::Algorithm& one : trace.tried) {
        if (one.algorithm != trace.time.algorithm) {
            others += fmt::format("{}{} {}", others.empty() ? "" : ", ", name(one.algorithm), text(one.time));
        }
    }
    std::vector<Block> blocks{level_table(trace), correction_table(trace, line)};
    if (trace.time.contention > 1) {
        blocks.emplace_back(
            Note{fmt::format("{:.2g} groups of the job share the busiest link", trace.time.contention)});
    }
    if (!others.empty()) {
        blocks.emplace_back(Note{"other algorithms would take: " + others});
    }
    add_section(document, {fmt::format("{}: {} among {}", text(line), text(line.size), counted(line.ranks, "rank"))},
                std::move(blocks));
}

}  // namespace dodona::reports
