// Messages as LogGP, piece by piece: a library sends short ones at once (eager) and asks before long ones (rendezvous).
//
//   one way     T(s) = a_i + s G_i        for s in piece i;  of the first piece a = L + 2o - G
//   gap         g(s) = g + (s - 1) G      between messages of a train
//   overhead    o                         that the sender's processor spends on one
//
// Pieces are found by least squares on relative errors, sum of (T_i(s)/t - 1)^2, over all ways of cutting the ascending
// sizes into up to three runs of at least three sizes; a cut has to pay (BIC, three parameters a piece, errors below
// 0.5 % counting as that). A piece never falls with size; where it would, it is level.
// Source: Alexandrov et al., "LogGP", SPAA 1995; Schwarz, Annals of Statistics 6 (1978), for BIC; Bai and Perron,
// J. Applied Econometrics 18 (2003), for the cuts by dynamic programming.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// T(s) = start + s / bandwidth, for the sizes from `first` to `last`, both measured.
struct MessagePiece {
    Bytes first, last;
    Seconds start;
    BytesPerSecond bandwidth;  ///< infinite where size costs nothing

    [[nodiscard]] Seconds time(Bytes size) const { return start + size / bandwidth; }
};

struct LogGP {
    std::vector<MessagePiece> pieces;         ///< ascending; the next begins beyond the last size of the one before
    double error = 0;                         ///< of the pieces on what they are fitted to, 90th percentile; a ratio
    std::optional<Seconds> latency;           ///< L, where overhead was measured
    std::optional<Seconds> overhead;          ///< o, the median over the eager sizes
    std::optional<Seconds> gap;               ///< g
    std::optional<BytesPerSecond> streaming;  ///< 1/G of a train; the fastest window where that was measured

    /// One way; beyond the measured sizes the outermost pieces hold, between two pieces the one that begins nearer.
    [[nodiscard]] Seconds one_way(Bytes size) const;
};

/// Sizes and one time each, ascending. At least two.
std::vector<MessagePiece> message_pieces(const std::map<double, Seconds>& times);

/// Of one level's messages; none without two sizes back and forth. Concurrent groups are left out.
std::optional<LogGP> loggp_of(std::span<const Measurement* const> messages);

}  // namespace dodona::calibrate
