#include "files/link_table.hpp"

#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "files/text.hpp"

namespace dodona::files {

namespace {

using cluster::Collective;

constexpr std::array kLinkColumns{
    ColumnRule{"id", true},
    ColumnRule{"all_reduce_gb_s"},
    ColumnRule{"all_gather_gb_s"},
    ColumnRule{"reduce_scatter_gb_s"},
    ColumnRule{"node_all_reduce_gb_s"},
    ColumnRule{"node_all_gather_gb_s"},
    ColumnRule{"node_reduce_scatter_gb_s"},
    ColumnRule{"allocated_bytes"},
    ColumnRule{"source"},
    ColumnRule{"notes"},
};

struct BandwidthColumn {
    std::string_view name;
    Collective collective;
    bool inside;
};
constexpr std::array kBandwidths{
    BandwidthColumn{"all_reduce_gb_s", Collective::all_reduce, false},
    BandwidthColumn{"all_gather_gb_s", Collective::all_gather, false},
    BandwidthColumn{"reduce_scatter_gb_s", Collective::reduce_scatter, false},
    BandwidthColumn{"node_all_reduce_gb_s", Collective::all_reduce, true},
    BandwidthColumn{"node_all_gather_gb_s", Collective::all_gather, true},
    BandwidthColumn{"node_reduce_scatter_gb_s", Collective::reduce_scatter, true},
};

constexpr double kBusGigabytes = 1e9;  ///< bytes

}  // namespace

std::vector<LinkRow> read_links(const CsvTable& table) {
    Diagnostics faults;
    std::vector<LinkRow> links;
    std::set<std::string> ids;
    for (TableRow& cells : read_rows(table, kLinkColumns, faults)) {
        LinkRow row{std::move(cells)};
        row.id = row.cell("id");
        for (const BandwidthColumn& column : kBandwidths) {
            if (const auto rate = positive_cell(row, column.name, faults)) {
                row.bandwidths.push_back(
                    {column.collective, column.inside, BytesPerSecond::of_base(kBusGigabytes * *rate)});
            }
        }
        if (!ids.insert(row.id).second) {
            faults.error(row.place("id"), fmt::format("id: \"{}\" is there twice", row.id));
        }
        links.push_back(std::move(row));
    }
    faults.throw_if_errors();
    return links;
}

std::vector<LinkRow> load_links(const std::string& path, const Location& where) {
    return read_links(read_csv(load_bytes(path, path, where), path));
}

}  // namespace dodona::files
