// Records of networks whose times are formulas.
#pragma once

#include <string>

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

inline Statistics exactly(Seconds time) {
    return {.least = time, .first_quartile = time, .median = time, .third_quartile = time, .samples = 10};
}

inline Record measured(const Case& of, Seconds time) {
    return {.backend = "mpi",
            .date = "2026-11-20T23:10:00Z",
            .what = Measurement{.of = of, .time = exactly(time), .values = {}, .words = {}}};
}

inline Case send(double bytes, const std::string& pattern = "ping-pong", const std::string& level = "network") {
    return {.benchmark = "send",
            .parameters = {{"bytes", bytes}, {"level", level}, {"pattern", pattern}, {"groups", 1.0}}};
}

inline Case collective(const std::string& name, double bytes, double ranks, double per_node = 1) {
    return {.benchmark = "collective",
            .parameters = {{"collective", name},
                           {"bytes", bytes},
                           {"ranks", ranks},
                           {"ranks_per_node", per_node},
                           {"level", per_node == ranks ? "shared-memory" : "network"},
                           {"groups", 1.0},
                           {"in_place", 0.0},
                           {"algorithm", "free"}}};
}

inline Case with(Case of, const std::string& name, const Parameter& value) {
    of.parameters[name] = value;
    return of;
}

}  // namespace dodona::calibrate
