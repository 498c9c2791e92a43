// A run of nccl-tests or rccl-tests, read from any of its output formats, and the records made of it.
//
// `size` is the full buffer in every one of these programs: of all_gather the result, of reduce_scatter the input, of
// alltoall what one rank sends (NVIDIA/nccl-tests: the getCollByteCount of each). time * algbw = size, with GB = 1e9
// (the same: src/common.cu, BenchTime), which is how a log is known to be whole.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/imports/import_builder.hpp"
#include "calibrate/imports/log_text.hpp"

namespace dodona::calibrate {

struct NcclTiming {
    Printed time;                            ///< us
    Printed algorithm;                       ///< GB/s: size / time
    Printed bus;                             ///< GB/s: algorithm times what the collective moves
    std::optional<double> wrong;             ///< elements; none where it was not checked
    std::map<std::string, double> values{};  ///< of single iterations, s
    Location where;
};

struct NcclRow {
    double bytes = 0;
    std::string type;   ///< float, half ...
    std::string redop;  ///< empty where there is none
    int root = -1;      ///< -1 where it has none
    std::optional<NcclTiming> out_of_place, in_place;
    Location where;
};

struct NcclRank {
    std::int64_t rank = 0;
    std::int64_t group = 0;
    std::string host;  ///< only to tell hosts apart
    std::string device;
};

struct NcclRun {
    std::string program;  ///< "all_reduce_perf"; empty where nothing names it
    std::vector<NcclRank> ranks;
    std::vector<NcclRow> rows;
    double iterations = 0;  ///< of each time; 0 where the log does not say
    bool cpu_time = false;  ///< of the host's thread instead of the collective
    std::int64_t out_of_bounds = 0;
    bool ranks_cut = false;                       ///< the list of ranks is not whole
    std::map<std::string, std::string> versions;  ///< "nccl": "2.28.9"
    Location where;
};

/// Adds its measurements, or notes that say why there are none.
void import_nccl_run(const NcclRun& run, ImportBuilder& into);

/// 22809 as "2.28.9", 2708 as "2.7.8". Source: NVIDIA/nccl src/nccl.h.in, NCCL_VERSION.
std::string nccl_version(std::int64_t code);

}  // namespace dodona::calibrate
