// Numbers as people read them: three digits, a unit, thousands separated. One place for all texts of a report.
//
//   17.1 s   412 ms   63.2 GiB   51.5 %   184,000   175 billion
#pragma once

#include <concepts>
#include <string>

#include "base/estimate.hpp"
#include "base/quantity.hpp"
#include "reports/document/value.hpp"

namespace dodona::reports {

/// Three significant digits, thousands separated, no exponent below 1e15.
std::string three_digits(double value);
/// All digits of a whole number: "25,557,032".
std::string whole(double value);
std::string whole(std::integral auto value) { return whole(static_cast<double>(value)); }
std::string large(double value);                             ///< "25.6 million"
std::string percent(double ratio);                           ///< "51.5 %"
std::string signed_percent(double ratio);                    ///< "+51.5 %"
std::string text(Seconds time);                              ///< s, ms, us or ns
std::string duration(Seconds time);                          ///< of runs: d, h, min or s
std::string text(Bytes size);                                ///< GiB, MiB, KiB or B
std::string text(BytesPerSecond rate);                       ///< GB/s
std::string text(FlopPerSecond rate);                        ///< TFLOP/s
std::string text(Flop work);                                 ///< TFLOP, GFLOP, MFLOP
std::string text(Energy energy);                             ///< GWh, MWh, kWh
std::string text(Money money, const std::string& currency);  ///< "1.37 million USD"
std::string interval(const Estimate& time);                  ///< of a step: "15.2 to 20.0 s"
/// A value of a report; empty where it is absent.
std::string text(const Value& value);
/// "15.2 to 20.0 s": a unit that both ends have is written once.
std::string text(const Interval& interval);
/// With its interval and its mark: "10.0 s (9.00 to 12.5 s)", "~2".
std::string text(const Cell& cell);
/// "10.0 s (90 % interval 9.00 to 12.5 s)": of a key figure.
std::string text_with_interval(const Cell& cell);

/// "1 stage", "8 stages".
std::string counted(double count, const std::string& noun);
std::string counted(std::integral auto count, const std::string& noun) {
    return counted(static_cast<double>(count), noun);
}

}  // namespace dodona::reports
