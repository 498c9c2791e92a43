// What a calibration has measured so far, on a terminal: a row for each benchmark, drawn again as cases are answered.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "calibrate/record/benchmark_case.hpp"
#include "calibrate/record/record.hpp"
#include "calibrate/record/steadiness.hpp"

namespace dodona::calibrate {

class LiveTable {
public:
    LiveTable();
    ~LiveTable() { clear(); }
    LiveTable(const LiveTable&) = delete;
    LiveTable& operator=(const LiveTable&) = delete;

    /// Cases that a back end will be asked for, in addition to those that are known.
    void plan(const std::string& backend, const std::vector<Case>& cases);
    void asked(const Case& of);
    void answered(const Record& record);
    void clear();

    /// Its lines, as drawn now; `seconds`: since the first case was asked.
    [[nodiscard]] std::vector<std::string> lines(double seconds) const;

private:
    struct Row {
        std::string backend, benchmark;
        std::size_t planned = 0;
        std::size_t done = 0;
        std::size_t failed = 0;
        std::string last;  ///< time of its last case
        Steadiness steadiness;
    };
    Row& row(const std::string& backend, const std::string& benchmark);
    void draw();

    std::vector<Row> rows_;
    std::string doing_;
    std::size_t drawn_ = 0;  ///< lines on the terminal
    bool is_terminal_;
    std::chrono::steady_clock::time_point begin_;
    std::chrono::steady_clock::time_point last_;
};

}  // namespace dodona::calibrate
