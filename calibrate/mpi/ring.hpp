// Rings made of sends, as communication libraries for training run them, whatever the MPI library would choose.
//
//   reduce-scatter   step s = 0 .. p-2: rank r sends chunk r-1-s to r+1, adds what it gets to its chunk r-2-s;
//                    at the end chunk r of rank r is the sum
//   all-gather       step s = 0 .. p-2: rank r sends chunk r-s to r+1 and takes chunk r-1-s
//   all-reduce       both, one after the other: 2(p-1) steps of n/p
//
// all modulo p. Not modelled on NCCL or gloo: their slices, which overlap the sum of one slice with sending the next.
// Source: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 69 (2009).
#pragma once

#include <span>

#include <mpi.h>

namespace dodona::calibrate {

/// `buffer`: p chunks of `scratch.size()` elements.
void ring_reduce_scatter(std::span<float> buffer, std::span<float> scratch, MPI_Comm ring);
void ring_all_gather(std::span<float> buffer, std::size_t chunk, MPI_Comm ring);
void ring_all_reduce(std::span<float> buffer, std::span<float> scratch, MPI_Comm ring);

}  // namespace dodona::calibrate
