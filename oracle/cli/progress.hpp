// A line on a terminal that says how far the search is; nothing where messages go to a file.
#pragma once

#include <chrono>
#include <cstdint>

namespace dodona::cli {

class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(std::int64_t seen, std::int64_t all);
    void clear();

private:
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point last_;
};

}  // namespace dodona::cli
