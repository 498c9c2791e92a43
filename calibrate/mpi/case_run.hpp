// The ranks of one case, while it is measured.
//
// Each sample starts at a barrier and takes each rank's own time from there; what counts is the longest. Ranks leave a
// barrier at different moments, up to a latency apart, and a rank that is late makes those that wait for it longer, so
// a sample is no shorter than the collective and often longer: the least of the longest is the one that all entered
// most nearly together. What remains of the barrier is a share of a latency (of a ring of four ranks over 4 ms some
// 3 of 17 ms); starting at a moment of synchronised clocks instead was tried and is worse where processors are shared:
// clocks read over a busy host's messages disagree by more than barriers do.
// Source: Hunold and Carpen-Amarie, "Reproducible MPI benchmarking is still not as easy as you think", IEEE TPDS 27
// (2016), for what barriers cost, and for windows. A broadcast's root may be done before anything arrives.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "calibrate/mpi/group_benchmark.hpp"
#include "calibrate/mpi/world.hpp"

namespace dodona::calibrate {

class CaseRun {
public:
    /// All ranks of the world at once, with the same case. Throws CannotMeasure on all of them alike.
    CaseRun(const World& world, const Case& asked);

    struct Sample {
        Seconds time;           ///< the longest of all ranks
        bool switched = false;  ///< some rank was taken off its core meanwhile
    };
    /// Rank 0 only: all ranks of the case do it once.
    Sample sample(const SampleRequest& request);
    /// Rank 0 only, at the end: the mean over ranks of each figure.
    std::map<std::string, double> finish();
    /// All others: does what rank 0 asks until it finishes. Ranks that the case leaves out return at once.
    void follow();

private:
    struct Position {
        int group = MPI_UNDEFINED;
        int place = 0;
    };
    static Position position_of(const World& world, const Case& asked);
    CaseRun(const World& world, const Case& asked, const Position& position);
    Sample take(const SampleRequest& request);
    std::map<std::string, double> mean_values() const;

    Communicator active_;  ///< all ranks of all groups, rank 0 first
    Communicator group_;
    std::unique_ptr<GroupBenchmark> benchmark_;
};

}  // namespace dodona::calibrate
