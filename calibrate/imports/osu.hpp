// OSU micro-benchmarks: latency, bandwidth and the blocking collectives that the oracle predicts.
//
// Sizes there are of one argument of the MPI call; here they are of the full buffer (the source of each benchmark,
// OSU Micro-Benchmarks 5.9 to 7.5, c/mpi/collective and c/mpi/pt2pt):
//   osu_allreduce, osu_bcast         size                  the buffer itself
//   osu_reduce_scatter               size                  the input: a rank keeps size / ranks of it
//   osu_allgather                    size * ranks          size is what one rank gives
//   osu_alltoall                     size * ranks          size is what one rank sends to one other
//   osu_latency                      size, ping-pong       half of a round trip
//   osu_bw, osu_bibw                 size, window          size / bandwidth, of both ways together twice that; MB = 1e6
// Of a collective the time is the mean of the ranks' means ("Avg Latency"), with -f the longest of them ("Max
// Latency"), which is nearer to the end of the last rank. How many ranks there were stands in no output: it is taken
// from the command line where the log has it, or from the user.
#pragma once

#include "calibrate/imports/import_builder.hpp"
#include "calibrate/imports/log_text.hpp"

namespace dodona::calibrate {

bool is_osu(const LogText& text);
void read_osu(const LogText& text, ImportBuilder& into);

/// Ranks that a command line starts, and of them on a node; 0 where it does not say.
struct Launch {
    std::int64_t ranks = 0;
    std::int64_t ranks_per_node = 0;
    bool operator==(const Launch&) const = default;
};

/// Of "mpirun -np 8 -npernode 4 ./osu_bw", "srun -N2 --ntasks-per-node=4 osu_bw"; nothing of lines that launch nothing.
std::optional<Launch> launched(const std::vector<LogWord>& words);

}  // namespace dodona::calibrate
