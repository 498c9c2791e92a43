// A log of training software that is still written.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/logs/training_log.hpp"

namespace dodona::files {

struct ReadLines;

/// Reads at each look what was written since the last one. A line that has no end yet is not read: its number may not be
/// whole. One that was moved away is followed again once it is there; one that was cut is read from its start.
class FollowedLog {
public:
    FollowedLog(std::string path, std::vector<LogForm> forms);
    ~FollowedLog();
    FollowedLog(const FollowedLog&) = delete;
    FollowedLog& operator=(const FollowedLog&) = delete;

    /// Whether there was more. Throws InputError for what is no file, and as read_training_log does.
    bool look();
    /// Absent as long as no line is one of a step.
    [[nodiscard]] std::optional<TrainingLog> log() const;

private:
    std::string path_;
    std::vector<LogForm> forms_;
    std::unique_ptr<ReadLines> read_;
    std::uintmax_t at_ = 0;   ///< bytes of the file that were read
    std::string unfinished_;  ///< those after the last end of a line
};

}  // namespace dodona::files
