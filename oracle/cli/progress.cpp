#include "cli/progress.hpp"

#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "reports/figures.hpp"

namespace dodona::cli {

ProgressLine::ProgressLine(std::string of)
    : of_(std::move(of)), terminal_(isatty(STDERR_FILENO) == 1), last_(std::chrono::steady_clock::now()) {}

void ProgressLine::show(std::int64_t seen, std::int64_t all) {
    constexpr std::chrono::milliseconds kPause{200};
    const auto now = std::chrono::steady_clock::now();
    if (terminal_ && now - last_ > kPause) {
        last_ = now;
        shown_ = true;
        fmt::print(stderr, "\r\x1b[K{} of {} {}", reports::whole(static_cast<double>(seen)),
                   reports::whole(static_cast<double>(all)), of_);
        std::fflush(stderr);
    }
}

void ProgressLine::clear() {
    if (shown_) {
        fmt::print(stderr, "\r\x1b[K");
        shown_ = false;
    }
}

}  // namespace dodona::cli
