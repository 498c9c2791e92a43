// What a run has done so far, in a file that survives the end of the run: one line for each event, written through to the
// disk before the next thing happens.
//
//   dodona-trials 1 FINGERPRINT                   the study that it is of
//   start TRIAL TRY NODE LANE SECONDS             since the run began; sessions follow one another without a gap
//   end TRIAL TRY STATE STATUS SECONDS            states: finished, failed, node-lost, stopped
//
// A line without its end, of a run that was killed while it wrote, is left out. All other lines are checked against the
// study that goes on: they may have been damaged, or be of a run with more nodes or slots.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "trials/scheduler.hpp"

namespace dodona::runner {

enum class State { finished, failed, node_lost, stopped };
inline constexpr std::array kStateTable{Enumerator(State::finished, "finished", "it ended with status 0"),
                                        Enumerator(State::failed, "failed", "it ended with another status"),
                                        Enumerator(State::node_lost, "node-lost", "its node could not be reached"),
                                        Enumerator(State::stopped, "stopped", "others were better")};
constexpr const auto& enumerators(State /*type*/) { return kStateTable; }
constexpr std::string_view name(State state) { return name_of(state); }

/// One attempt of a trial that has ended.
struct Attempt {
    std::size_t trial = 0;
    int number = 1;  ///< of the trial's attempts
    trials::Place place;
    Seconds start;
    Seconds end;
    State state = State::finished;
    int status = 0;
};

/// What a journal may say of the study that it is of.
struct Limits {
    std::size_t trials = 0;
    std::int64_t nodes = 0;
    std::int64_t slots = 0;  ///< trials that run at once on a node, at most
};

/// A file that is open, and locked while it is.
class LockedFile {
public:
    LockedFile() = default;
    explicit LockedFile(int descriptor) : descriptor_(descriptor) {}
    ~LockedFile();
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }

private:
    int descriptor_ = -1;
};

class Journal {
public:
    /// Opens the journal of a folder, or begins one. Throws InputError where it is another study's, is being written by
    /// another run, cannot be written, or has a line that cannot be of this study.
    Journal(const std::string& folder, std::uint64_t fingerprint, const Limits& limits);

    /// Attempts that had ended when it was opened.
    [[nodiscard]] const std::vector<Attempt>& attempts() const { return attempts_; }
    /// Trials that had started when it was opened, without an end of that attempt.
    [[nodiscard]] const std::set<std::size_t>& unfinished() const { return unfinished_; }
    /// When the last event was.
    [[nodiscard]] Seconds end() const { return end_; }

    /// Throw InputError where the line cannot be written, such as on a full disk.
    void note_start(const Attempt& attempt);
    void note_end(const Attempt& attempt);

private:
    void read(const std::string& text, std::uint64_t fingerprint, const Limits& limits);
    void append(const std::string& line);

    std::string path_;
    LockedFile file_;
    std::vector<Attempt> attempts_;
    std::set<std::size_t> unfinished_;
    Seconds end_;
};

}  // namespace dodona::runner
