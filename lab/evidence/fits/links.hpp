// What there is to fit: one row a link file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "calibrate/file/measured_table.hpp"
#include "calibrate/network/collective_tables.hpp"
#include "lab/evidence/fits/protocol_fit.hpp"

namespace dodona::calibrate {

/// The measured tables of one folder.
struct Folder {
    std::string path;
    [[nodiscard]] MeasuredTable table(std::string_view name) const;
};

struct LinkRecipe {
    std::string_view name;
    std::string_view of;          ///< what was measured, in words
    std::string_view conditions;  ///< libraries and what a time is of
    std::string_view note;
    cluster::Wiring wiring = cluster::Wiring::any;
    LinkLevel level;                        ///< bandwidth: of the data sheet
    Tables (*tables)(const Folder&);        ///< all that become curves
    bool (*fits)(const CollectiveSeries&);  ///< those that the protocols are fitted to
    bool only_large = false;  ///< the tables have no small sizes: of the protocol only the efficiency is fitted
};

std::span<const LinkRecipe> link_recipes();

}  // namespace dodona::calibrate
