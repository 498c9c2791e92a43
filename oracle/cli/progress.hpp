// A line on a terminal that says how far long work is; nothing where messages go to a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace dodona::cli {

class ProgressLine {
public:
    /// `of`: what is counted, in the plural.
    explicit ProgressLine(std::string of);
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(std::int64_t seen, std::int64_t all);
    void clear();

private:
    std::string of_;
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point last_;
};

}  // namespace dodona::cli
