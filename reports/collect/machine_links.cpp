#include "reports/collect/machine_links.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

/// Each once, with the levels that name it.
struct Named {
    const cluster::Link* link = nullptr;
    std::vector<std::string> levels;
};

std::vector<Named> links_of(const cluster::Cluster& cluster) {
    std::vector<Named> links;
    for (const cluster::Level& level : cluster.levels) {
        if (!level.link) {
            continue;
        }
        const auto known = std::find_if(links.begin(), links.end(), [&](const Named& named) {
            return named.link->name == level.link->name && named.link->borrowed == level.link->borrowed;
        });
        if (known == links.end()) {
            links.push_back({&*level.link, {level.name}});
        } else {
            known->levels.push_back(level.name);
        }
    }
    return links;
}

void add_rows(Table& table, const std::string& link, const std::vector<cluster::CollectiveCurve>& curves,
              double borrowed) {
    for (const cluster::CollectiveCurve& curve : curves) {
        table.row({link, std::string(name(curve.collective)), Count{curve.ranks}, Count{curve.ranks_per_node},
                   curve.points.front().size, curve.points.back().size, Count{curve.points.size()},
                   Percent{curve.held_out_error + borrowed}});
    }
}

}  // namespace

std::vector<KeyFigure> link_figures(const cluster::Cluster& cluster) {
    std::vector<KeyFigure> figures;
    for (const auto& [link, levels] : links_of(cluster)) {
        const auto protocols = mapped<std::string>(link->protocols, [](const cluster::Protocol& protocol) {
            return fmt::format("{} {} and {} a step at {} of the bandwidth", protocol.name, text(protocol.timing.start),
                               text(protocol.timing.step), percent(protocol.timing.efficiency));
        });
        figures.push_back(
            {.label = "link of " + join(levels, " and "),
             .value =
                 fmt::format("{}; {}; error against its tables {}{}", link->name, join(protocols), percent(link->error),
                             link->borrowed > 0 ? fmt::format(", borrowed: {} more", percent(link->borrowed)) : ""),
             .note = {}});
        figures.push_back({.label = "link source", .value = link->name + ": " + link->source, .note = {}});
    }
    return figures;
}

Table curve_table(const cluster::Cluster& cluster) {
    Table table({{"measured"},
                 {"collective"},
                 {"ranks", Align::right},
                 {"a node", Align::right},
                 {"from", Align::right},
                 {"to", Align::right},
                 {"points", Align::right},
                 {"held-out error", Align::right}});
    add_rows(table, cluster.name, cluster.curves, 0);
    for (const Named& named : links_of(cluster)) {
        add_rows(table, named.link->name, named.link->curves, named.link->borrowed);
    }
    return table;
}

Record link_record(const cluster::Link& link) {
    Record protocols = no_elements();
    for (const cluster::Protocol& protocol : link.protocols) {
        protocols.push_back({{"name", protocol.name},
                             {"start_s", protocol.timing.start},
                             {"step_s", protocol.timing.step},
                             {"efficiency", protocol.timing.efficiency}});
    }
    Record curves = no_elements();
    for (const cluster::CollectiveCurve& curve : link.curves) {
        curves.push_back({{"collective", name(curve.collective)},
                          {"ranks", curve.ranks},
                          {"ranks_per_node", curve.ranks_per_node},
                          {"from_bytes", curve.points.front().size},
                          {"to_bytes", curve.points.back().size},
                          {"points", curve.points.size()},
                          {"held_out_error", curve.held_out_error},
                          {"source", curve.provenance.source}});
    }
    return {{"name", link.name},      {"error", link.error}, {"borrowed", link.borrowed},
            {"protocols", protocols}, {"curves", curves},    {"source", link.source}};
}

}  // namespace dodona::reports
