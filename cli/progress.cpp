#include "cli/progress.hpp"

#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "reports/document/number_format.hpp"

namespace dodona::cli {

ProgressLine::ProgressLine(std::string of)
    : of_(std::move(of)),
      terminal_(isatty(STDERR_FILENO) == 1),
      begin_(std::chrono::steady_clock::now()),
      last_(begin_) {}

std::string time_left(double passed, std::int64_t seen, std::int64_t all) {
    constexpr double kSoonest = 2;
    if (passed < kSoonest || seen <= 0 || seen > all) {
        return "";
    }
    const double seconds = passed / static_cast<double>(seen) * static_cast<double>(all - seen);
    return seconds < 100 ? fmt::format(", {:.0f} s left", seconds) : fmt::format(", {:.0f} min left", seconds / 60);
}

namespace {

/// As much as a line of a terminal has room for.
std::string shortened(const std::string& doing) {
    constexpr std::size_t kMax = 60;
    return doing.size() <= kMax ? doing : doing.substr(0, kMax) + "...";
}

}  // namespace

void ProgressLine::show(std::int64_t seen, std::int64_t all, const std::string& doing) {
    constexpr std::chrono::milliseconds kPause{200};
    const auto now = std::chrono::steady_clock::now();
    if (terminal_ && now - last_ > kPause) {
        last_ = now;
        shown_ = true;
        fmt::print(stderr, "\r\x1b[K{} of {} {}{}{}", reports::whole(seen), reports::whole(all), of_,
                   time_left(std::chrono::duration<double>(now - begin_).count(), seen, all),
                   doing.empty() ? "" : "  " + shortened(doing));
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
