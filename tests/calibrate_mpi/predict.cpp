// predict-collectives RECORDS ALGORITHM: what the oracle makes of records of MPI.
// predict-collectives RECORDS --refine: which cases to measure next, a line each.
// predict-collectives RECORDS --messages: seconds that a message of a byte takes, B/s of the longest, B/s streaming.
//
// Reads "COLLECTIVE BYTES RANKS" lines, one rank on each host, and prints for each the predicted seconds, low and high.
// ALGORITHM as calibrate::SeriesChoice has it; "free" is any. First line: the levels, for whoever reads the log.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include <fmt/format.h>

#include "calibrate/network/levels.hpp"
#include "calibrate/network/refinement.hpp"
#include "calibrate/record/exchange.hpp"
#include "cost/collective_time.hpp"

namespace {

using namespace dodona;

std::vector<calibrate::Record> records_in(const char* path) {
    std::ifstream file(path);
    std::vector<calibrate::Record> records;
    for (std::string line; std::getline(file, line);) {
        records.push_back(calibrate::record_from(line, {}));
    }
    return records;
}

cluster::Collective collective_of(const std::string& wanted) {
    for (const cluster::Collective one : cluster::kCollectives) {
        if (cluster::name(one) == wanted) {
            return one;
        }
    }
    throw std::runtime_error("no collective is called " + wanted);
}

int refine(const char* path) {
    for (const calibrate::Case& next : calibrate::refinements(records_in(path), "mpi")) {
        fmt::print("{}\n", calibrate::to_line(next));
    }
    return 0;
}

int messages(const char* path) {
    for (const calibrate::MeasuredLevel& level : calibrate::measured_levels(records_in(path))) {
        if (level.messages) {
            fmt::print("{} {} {}\n", level.messages->one_way(unit::byte).in(1_s),
                       level.messages->pieces.back().bandwidth.in(unit::byte_per_second),
                       level.messages->streaming.value_or(BytesPerSecond{}).in(unit::byte_per_second));
        }
    }
    return 0;
}

int predict(const char* path, const std::string& algorithm) {
    const auto measured =
        calibrate::measured_levels(records_in(path), {.algorithm = algorithm == "free" ? "" : algorithm});
    cluster::Cluster cluster{.name = "measured", .levels = calibrate::levels_of(measured)};
    cluster.algorithms = {cluster::Algorithm::ring};
    for (const calibrate::MeasuredLevel& level : measured) {
        fmt::print("{}: {} children, {:.4g} MB/s, protocols miss {:.3f} {:.3f};", level.name, level.size,
                   level.link.bandwidth.in(unit::byte_per_second) / 1e6, level.median_error, level.link.error);
        for (const cluster::Protocol& protocol : level.link.protocols) {
            fmt::print(" {} {:.4g} us {:.4g} us {:.3f}", protocol.name, protocol.timing.start.in(1_us),
                       protocol.timing.step.in(1_us), protocol.timing.efficiency);
        }
    }
    fmt::print("\n");
    std::string name;
    double bytes = 0;
    for (std::int64_t ranks = 0; std::cin >> name >> bytes >> ranks;) {
        const auto time = cost::collective_time(cluster, {.collective = collective_of(name),
                                                          .group = {.strides = {{1, ranks}}},
                                                          .size = Bytes::of_base(bytes),
                                                          .ranks = ranks})
                              .time;
        fmt::print("{} {} {}\n", time.value.in(1_s), time.lo.in(1_s), time.hi.in(1_s));
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: predict-collectives RECORDS ALGORITHM|--refine|--messages\n", stderr);
        return 2;
    }
    try {
        const std::string_view asked = argv[2];
        return asked == "--refine"     ? refine(argv[1])
               : asked == "--messages" ? messages(argv[1])
                                       : predict(argv[1], argv[2]);
    } catch (const std::exception& error) {
        std::fputs(error.what(), stderr);
        return 1;
    }
}
