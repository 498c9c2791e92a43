// Messages between two ranks: latency, streaming rate, and LogGP's overhead and gap.
//
// A parametrised round trip: n messages of s bytes, d seconds apart from the end of one send to the start of the next;
// the other rank takes all n and answers with one of s bytes.
//
//   PRTT(1,0,s)   one message there and one back           2 (L + 2o + (s-1)G)
//   PRTT(n,0,s)   n of them as fast as they go              PRTT(1,0,s) + (n-1) (g + (s-1)G)
//   PRTT(n,d,s)   the sender is the bottleneck, d > g       PRTT(1,0,s) + (n-1) (o + d)
//
//   gap       g + (s-1)G = (PRTT(n,0,s) - PRTT(1,0,s)) / (n-1)
//   overhead  o          = (PRTT(n,d,s) - PRTT(1,0,s)) / (n-1) - d
//
// with d = PRTT(1,0,s). Samples: kind 0 is n = 1, kind 1 is n = kTrain. The differences of the least, the quartiles and
// the median are taken each by each.
// Source: Hoefler, Lichei, Rehm, "Low-overhead LogGP parameter assessment for modern interconnection networks", IPDPS
// 2007 workshops (PMEO), section 3; Alexandrov et al., "LogGP", SPAA 1995.
#pragma once

namespace dodona::calibrate {

inline constexpr int kTrain = 16;   ///< messages of a parametrised round trip
inline constexpr int kWindow = 64;  ///< outstanding messages of a stream; their answer is one empty message

}  // namespace dodona::calibrate
