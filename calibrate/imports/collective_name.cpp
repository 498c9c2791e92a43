#include "calibrate/imports/collective_name.hpp"

#include <array>
#include <cctype>
#include <cmath>

namespace dodona::calibrate {

namespace {

using Moves = NcclProgram::Moves;

// Source: NVIDIA/nccl-tests doc/PERFORMANCE.md, bus bandwidth. Longer names stand before those that they contain.
constexpr std::array kPrograms{
    NcclProgram{"all_reduce", "all-reduce", Moves::twice, true, false, true},
    NcclProgram{"all_gather", "all-gather", Moves::once, false, false, true},
    NcclProgram{"reduce_scatter", "reduce-scatter", Moves::once, true, false, true},
    NcclProgram{"alltoallv", "all-to-all-v", Moves::once, false, false, false},
    NcclProgram{"alltoall", "all-to-all", Moves::once, false, false, true},
    NcclProgram{"broadcast", "broadcast", Moves::whole, false, true, true},
    NcclProgram{"sendrecv", "send", Moves::whole, false, false, true},
    NcclProgram{"hypercube", "hypercube", Moves::once, false, false, false},
    NcclProgram{"bisection", "bisection", Moves::whole, false, false, false},
    NcclProgram{"scatter", "scatter", Moves::once, false, true, false},
    NcclProgram{"gather", "gather", Moves::once, false, true, false},
    NcclProgram{"reduce", "reduce", Moves::whole, true, true, false},
};

/// Lower case, with every other sign as an underscore and "allreduce", "allgather" and the like as nccl-tests has them.
std::string plain(std::string_view text) {
    std::string all;
    for (const char c : text) {
        all += std::isalnum(static_cast<unsigned char>(c)) != 0
                   ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                   : '_';
    }
    const std::array<std::pair<std::string_view, std::string_view>, 6> spellings{{{"allreduce", "all_reduce"},
                                                                                  {"allgather", "all_gather"},
                                                                                  {"reducescatter", "reduce_scatter"},
                                                                                  {"all_to_all", "alltoall"},
                                                                                  {"all2all", "alltoall"},
                                                                                  {"send_recv", "sendrecv"}}};
    for (const auto& [from, to] : spellings) {
        for (std::size_t at = all.find(from); at != std::string::npos; at = all.find(from, at + to.size())) {
            all.replace(at, from.size(), to);
        }
    }
    return all;
}

}  // namespace

const NcclProgram* program_named(std::string_view text) {
    const std::string all = plain(text);
    for (const NcclProgram& program : kPrograms) {
        if (all.find(program.stem) != std::string::npos) {
            return &program;
        }
    }
    return nullptr;
}

const NcclProgram* program_of(std::string_view collective) {
    for (const NcclProgram& program : kPrograms) {
        if (program.taken && program.collective == collective) {
            return &program;
        }
    }
    return nullptr;
}

double bus_ratio(const NcclProgram& program, double n) {
    switch (program.moves) {
        case Moves::twice: return 2 * (n - 1) / n;
        case Moves::once: return (n - 1) / n;
        case Moves::whole: return 1;
    }
    return 1;
}

std::vector<const NcclProgram*> programs_like(double ratio, double tolerance, double n, bool reduces, bool rooted) {
    std::vector<const NcclProgram*> like;
    for (const NcclProgram& program : kPrograms) {
        if (std::abs(bus_ratio(program, n) - ratio) <= tolerance && program.rooted == rooted &&
            (program.reduces == reduces || program.collective == "send")) {
            like.push_back(&program);
        }
    }
    return like;
}

std::string known_collectives() {
    std::string all;
    for (const NcclProgram& program : kPrograms) {
        if (program.taken) {
            all += (all.empty() ? "" : ", ") + std::string(program.collective);
        }
    }
    return all;
}

}  // namespace dodona::calibrate
