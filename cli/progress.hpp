// A line on a terminal that says how far long work is; nothing where messages go to a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace dodona::cli {

/// ", 40 s left": as the part seen went, in `passed` seconds; empty as long as that says little.
std::string time_left(double passed, std::int64_t seen, std::int64_t all);

class ProgressLine {
public:
    /// `of`: what is counted, in the plural.
    explicit ProgressLine(std::string of);
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// With the time that is left, once some of it has passed; `doing`: what is under way, may be empty.
    void show(std::int64_t seen, std::int64_t all, const std::string& doing = {});
    void clear();

private:
    std::string of_;
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point begin_;
    std::chrono::steady_clock::time_point last_;
};

}  // namespace dodona::cli
