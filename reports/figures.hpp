// Numbers for people: sensible digits, a unit, thousands separated.
//
//   17.1 s   412 ms   63.2 GiB   51.5 %   184,000   175 billion
#pragma once

#include <cstdint>
#include <string>

#include "base/estimate.hpp"
#include "base/quantity.hpp"

namespace dodona::reports {

/// Three significant digits, thousands separated, no exponent below 1e15.
std::string figure(double value);
/// All digits of a whole number: "25,557,032".
std::string whole(double value);
std::string large(double value);             ///< "25.6 million"
std::string percent(double ratio);           ///< "51.5 %"
std::string text(Seconds time);              ///< s, ms, us or ns
std::string duration(Seconds time);          ///< of runs: d, h, min or s
std::string text(Bytes size);                ///< GiB, MiB, KiB or B
std::string text(BytesPerSecond rate);       ///< GB/s
std::string text(FlopPerSecond rate);        ///< TFLOP/s
std::string text(Flop work);                 ///< TFLOP, GFLOP, MFLOP
std::string interval(const Estimate& time);  ///< "15.2 to 20.0 s"
/// "28.1 to 33.0 d".
std::string durations(const Estimate& time);
/// "1.37 million USD"; the currency is the one that all money of the answer is in.
std::string text(Money money, const std::string& currency);
/// "1 stage", "8 stages".
std::string counted(std::int64_t count, const std::string& noun);

}  // namespace dodona::reports
