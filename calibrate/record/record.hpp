// One line of a calibration: what was measured, how often, under which conditions.
//
// A calibration is a file of JSON lines, appended one at a time as they are measured, so that an interrupted one is
// whole up to its last line (docs/files.md, "Calibration").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/diagnostic.hpp"
#include "base/quantity.hpp"
#include "calibrate/record/benchmark_case.hpp"

namespace dodona::calibrate {

/// Of this version are the lines that this program writes; it reads no newer one.
inline constexpr int kRecordVersion = 1;

/// Passes of a back end, each in a process of its own and never mixed: counting slows what is timed.
enum class Pass {
    time,      ///< seconds, by events or clocks
    names,     ///< which kernels run, their grids and their own durations
    counters,  ///< bytes and pipe use by hardware counters
};
std::string_view name(Pass pass);
std::optional<Pass> pass_from(std::string_view name);

/// Which of the quartiles stands for the rest: the median on a GPU, the least on a CPU that others share.
enum class Estimator { median, least };

struct Statistics {
    Seconds least, first_quartile, median, third_quartile;
    std::int64_t samples = 0;                      ///< that were kept
    std::map<std::string, std::int64_t> rejected;  ///< why -> how many: "throttled", "switched"
    Estimator estimator = Estimator::median;

    [[nodiscard]] Seconds value() const { return estimator == Estimator::median ? median : least; }
};

struct Measurement {
    Case of;
    Statistics time;                           ///< without samples where a pass times nothing
    std::map<std::string, double> values;      ///< base units: "clock" Hz, "dram_bytes" B, "hot" s ...
    std::map<std::string, std::string> words;  ///< "kernel", "grid", "algorithm", "source" ...
};

/// A case that could not be measured: one sentence, as a user reads it.
struct Failure {
    Case of;
    std::string why;
};

/// What a back end ran on: device, driver, versions, clocks, threads. Never environment variables of a user.
struct Environment {
    std::map<std::string, std::string> facts;
};

/// Something that a back end needs and that this machine lacks: why, and what to do about it.
struct Lacking {
    std::string why;
    std::string help;
};

struct Record {
    std::string backend;  ///< cpu, cuda, mpi, storage, import
    Pass pass = Pass::time;
    std::string date;  ///< ISO 8601, UTC
    std::variant<Environment, Measurement, Failure, Lacking> what;
};

/// One line, without its end.
std::string to_line(const Record& record);

/// Throws InputError at the place where a line is wrong.
Record record_from(std::string_view line, const Location& where);

/// The time at hand as the records write it: "2026-11-20T23:10:00Z".
std::string date_now();

}  // namespace dodona::calibrate
