// Tables of links: what each run measured of its fabric before it trained; the columns in docs/files.md.
#pragma once

#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "cluster/link.hpp"
#include "files/table_row.hpp"

namespace dodona::files {

struct LinkRow : TableRow {
    std::string id;  ///< of the run
    struct Bandwidth {
        cluster::Collective collective = cluster::Collective::all_reduce;
        bool inside = false;  ///< over the devices of one node; else over those of the run
        BytesPerSecond bus;
    };
    std::vector<Bandwidth> bandwidths;
};

/// Throws InputError with every fault found: unknown and missing columns, values that are none, repeated ids.
std::vector<LinkRow> read_links(const CsvTable& table);

/// Reads the file; `where` is the place that names it.
std::vector<LinkRow> load_links(const std::string& path, const Location& where);

}  // namespace dodona::files
