#include "files/machine_table.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "files/text.hpp"

namespace dodona::files {

namespace {

constexpr std::array kMachineColumns{
    ColumnRule{"machine", true},
    ColumnRule{"device"},
    ColumnRule{"gpus_per_node", true},
    ColumnRule{"intra_link"},
    ColumnRule{"intra_gb_per_s_per_gpu_one_way"},
    ColumnRule{"nics_per_node"},
    ColumnRule{"nic_gb_s"},
    ColumnRule{"fabric"},
    ColumnRule{"nvlink_domain"},
    ColumnRule{"source"},
    ColumnRule{"notes"},
};

constexpr double kGigabytes = 1e9;     ///< bytes
constexpr double kGigabits = 1e9 / 8;  ///< bytes: the column nic_gb_s is in Gb/s

MachineRow read_machine_row(TableRow cells, Diagnostics& faults) {
    MachineRow row{std::move(cells)};
    row.machine = row.cell("machine");
    row.device = row.cell("device");
    row.gpus_per_node = whole_cell(row, "gpus_per_node", 1, faults);
    if (!row.cell("nvlink_domain").empty()) {
        row.nvlink_domain = whole_cell(row, "nvlink_domain", 1, faults);
    }
    if (const auto rate = positive_cell(row, "intra_gb_per_s_per_gpu_one_way", faults)) {
        row.link = BytesPerSecond::of_base(kGigabytes * *rate);
    }
    if (!row.cell("nics_per_node").empty()) {
        row.nics = whole_cell(row, "nics_per_node", 1, faults);
    }
    if (const auto rate = positive_cell(row, "nic_gb_s", faults)) {
        row.nic = BytesPerSecond::of_base(kGigabits * *rate);
    }
    if (row.nvlink_domain > row.gpus_per_node && row.nvlink_domain % row.gpus_per_node != 0) {
        faults.error(row.place("nvlink_domain"),
                     fmt::format("nvlink_domain: {} is no multiple of the {} GPUs of a node", row.nvlink_domain,
                                 row.gpus_per_node));
    }
    row.nvlink_domain = std::max(row.nvlink_domain, row.gpus_per_node);
    return row;
}

}  // namespace

std::vector<std::string> machine_columns() { return names_of(kMachineColumns); }

std::vector<MachineRow> read_machines(const CsvTable& table) {
    Diagnostics faults;
    std::vector<MachineRow> machines;
    std::set<std::string> names;
    for (TableRow& row : read_rows(table, kMachineColumns, faults)) {
        machines.push_back(read_machine_row(std::move(row), faults));
        if (!names.insert(machines.back().machine).second) {
            faults.error(machines.back().place("machine"),
                         fmt::format("machine: \"{}\" is there twice", machines.back().machine));
        }
    }
    faults.throw_if_errors();
    return machines;
}

std::vector<MachineRow> load_machines(const std::string& path, const Location& where) {
    return read_machines(read_csv(load_bytes(path, path, where), path));
}

}  // namespace dodona::files
