#include "runner/run_study.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "runner/process.hpp"
#include "simulate/random_bits.hpp"
#include "trials/study.hpp"

namespace dodona::runner {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::milliseconds(5);

std::uint64_t fingerprint(const StudyRun& run) {
    std::uint64_t bits = 1;
    const auto add = [&](const std::string& text) {
        for (const char c : text) {
            bits = simulate::random_bits(bits, static_cast<unsigned char>(c));
        }
        bits = simulate::random_bits(bits, 256U);
    };
    add(run.command);
    for (const trials::Settings& settings : run.trials) {
        add(trials::text(settings));
    }
    return bits;
}

Limits limits(const StudyRun& run) {
    Limits limits{.trials = run.trials.size(), .nodes = run.pool.nodes};
    for (const trials::Job& job : run.jobs) {
        const std::int64_t slots = trials::Pool{1, run.pool.node}.slots(run.pool.on_each_node(job.units));
        limits.slots = std::max(limits.slots, slots);
    }
    return limits;
}

void make_folder(const std::string& path) {
    std::error_code fault;
    fs::create_directories(path, fault);
    if (fault) {
        fail({}, fmt::format("{} cannot be made: {}", path, fault.message()));
    }
}

/// Numbers of GPUs that are free, of each node.
class FreeGpus {
public:
    explicit FreeGpus(const trials::Pool& pool) : free_(static_cast<std::size_t>(pool.nodes)) {
        for (std::set<std::int64_t>& node : free_) {
            for (std::int64_t gpu = 0; gpu < pool.node.gpus; ++gpu) {
                node.insert(gpu);
            }
        }
    }
    std::vector<std::int64_t> take(std::int64_t node, std::int64_t count) {
        std::set<std::int64_t>& free = free_[static_cast<std::size_t>(node)];
        std::vector<std::int64_t> taken;
        while (count-- > 0 && !free.empty()) {
            taken.push_back(*free.begin());
            free.erase(free.begin());
        }
        return taken;
    }
    void give(std::int64_t node, const std::vector<std::int64_t>& taken) {
        free_[static_cast<std::size_t>(node)].insert(taken.begin(), taken.end());
    }

private:
    std::vector<std::set<std::int64_t>> free_;
};

/// The file with a trial's results.
std::string result_file(const StudyRun& run, std::size_t trial) {
    const std::string& file = run.result->file;
    return trial_folder(run.folder, trial) + "/" + (file.empty() ? "log" : file);
}

/// Its reports so far; a line without its end is not read yet, and a pipe or a device that the trial made never is.
std::vector<double> reported(const StudyRun& run, std::size_t trial, bool whole) {
    std::error_code ignored;
    const std::string path = result_file(run, trial);
    std::string text;
    if (fs::is_regular_file(path, ignored)) {
        std::ifstream file(path, std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(file), {});
    }
    if (!whole) {
        text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
    }
    return trials::results_in(text, *run.result);
}

class Session {
public:
    Session(const StudyRun& run, const GoOn& go_on, const Progress& progress)
        : run_(run),
          go_on_(go_on),
          progress_(progress),
          guard_(run.trials.size()),
          journal_(run.folder, fingerprint(run), limits(run)),
          scheduler_(run.jobs, run.pool, run.policy),
          gpus_(run.pool),
          begin_(Clock::now()),
          failures_of_node_(static_cast<std::size_t>(run.pool.nodes)) {
        if (run.result && run.stopping) {
            reports_.emplace(run.trials.size(), *run.stopping, static_cast<std::size_t>(run.eta), run.result->best);
        }
        done_.tries_of.resize(run.trials.size());
        take_up();
    }

    StudyDone done() {
        try {
            play();
        } catch (const InputError& error) {  // a full disk: what the journal has is kept
            done_.stopped = error.diagnostics().front().message;
        }
        end_all();
        std::sort(done_.failed.begin(), done_.failed.end());
        std::sort(done_.early.begin(), done_.early.end());
        done_.attempts = journal_.attempts();
        read_results();
        for (const Attempt& attempt : done_.attempts) {
            done_.makespan = max(done_.makespan, attempt.end);
        }
        return std::move(done_);
    }

private:
    struct Running {
        Process process;
        Attempt attempt;
        std::vector<std::int64_t> gpus;
        std::uintmax_t read = 0;                   ///< bytes of its results
        std::optional<Clock::time_point> stopped;  ///< when it was asked to end
    };

    [[nodiscard]] Seconds now() const {
        return journal_.end() + std::chrono::duration<double>(Clock::now() - begin_).count() * unit::second;
    }

    /// What the attempts of earlier sessions say of their trials.
    void take_up() {
        std::set<std::size_t> finished;
        for (const Attempt& attempt : journal_.attempts()) {
            number_of_[attempt.trial] = attempt.number;
            done_.tries_of[attempt.trial] += attempt.state == State::node_lost ? 0 : 1;
            if (attempt.state == State::finished) {
                finished.insert(attempt.trial);
            } else if (attempt.state == State::stopped) {
                done_.early.push_back(attempt.trial);
            }
            if (reports_ && attempt.state != State::node_lost) {
                reports_->continues(attempt.trial, reported(run_, attempt.trial, true));
            }
            if (reports_ && attempt.state == State::finished) {
                reports_->end(attempt.trial);
            }
        }
        for (std::size_t trial = 0; trial < run_.trials.size(); ++trial) {
            const bool has_finished = finished.contains(trial) || is_early(trial);
            if (!has_finished && done_.tries_of[trial] < run_.tries) {
                continue;
            }
            scheduler_.withdraw(trial);
            if (!has_finished) {
                done_.failed.push_back(trial);
            }
        }
        done_.finished = done_.resumed = finished.size();
    }

    [[nodiscard]] bool is_early(std::size_t trial) const { return contains(done_.early, trial); }

    /// Results of trials that finished or were stopped.
    void read_results() {
        done_.results.resize(run_.trials.size());
        for (const Attempt& attempt : done_.attempts) {
            if (!run_.result || (attempt.state != State::finished && attempt.state != State::stopped)) {
                continue;
            }
            const std::vector<double> values = reported(run_, attempt.trial, true);
            done_.results[attempt.trial] = values.empty() ? std::nullopt : std::optional(values.back());
        }
    }

    /// Asks trials to end that are worse than others.
    void stop_early() {
        for (Running& running : running_) {
            const std::size_t trial = running.attempt.trial;
            std::error_code none;
            const std::uintmax_t size = fs::file_size(result_file(run_, trial), none);
            if (running.stopped) {
                if (Clock::now() - *running.stopped > kGrace) {
                    running.process.terminate(true);
                }
            } else if (!none && size != running.read) {
                running.read = size;
                if (!reports_->continues(trial, reported(run_, trial, false))) {
                    running.process.terminate(false);
                    running.stopped = Clock::now();
                }
            }
        }
    }

    /// A run that was killed may have left trials that still run. They would write into the same folders.
    void wait_for_earlier_trials() {
        for (const std::size_t trial : journal_.unfinished()) {
            const std::string log = trial_folder(run_.folder, trial) + "/log";
            if (!is_free(log, run_.patience)) {
                done_.stopped = fmt::format(
                    "trial {} of an earlier run still runs and keeps {} open (`fuser {}` tells its processes)",
                    trial + 1, log, log);
                return;
            }
        }
    }

    void play() {
        wait_for_earlier_trials();
        tell();
        while (done_.stopped.empty()) {
            if (!go_on_()) {
                done_.stopped = "interrupted";
                return;
            }
            for (const trials::Start& start : scheduler_.start(now())) {
                begin(start);
            }
            if (running_.empty()) {
                if (scheduler_.waiting() > 0) {
                    done_.stopped = "no node is left that a trial fits on";
                }
                return;
            }
            if (reports_) {
                stop_early();
            }
            take_ends();
            std::this_thread::sleep_for(kPoll);
        }
    }

    void begin(const trials::Start& start) {
        Attempt attempt{.trial = start.job, .number = ++number_of_[start.job], .place = start.place, .start = now()};
        const std::string folder = trial_folder(run_.folder, start.job);
        make_folder(folder);
        const std::vector<std::int64_t> gpus = gpus_.take(start.place.node, run_.jobs[start.job].units.gpus);
        journal_.note_start(attempt);
        running_.push_back(
            {Process(command_of(attempt, gpus), folder + "/log", environment_of(start.job, gpus), guard_),
             attempt,
             gpus,
             {},
             {}});
    }

    [[nodiscard]] std::string command_of(const Attempt& attempt, const std::vector<std::int64_t>& gpus) const {
        const trials::Units& units = run_.jobs[attempt.trial].units;
        const trials::Settings known{{"trial", std::to_string(attempt.trial + 1)},
                                     {"folder", fs::absolute(trial_folder(run_.folder, attempt.trial)).string()},
                                     {"cores", std::to_string(units.cores)},
                                     {"gpus", std::to_string(units.gpus)},
                                     {"gpu_ids", fmt::format("{}", fmt::join(gpus, ","))},
                                     {"node", run_.nodes[static_cast<std::size_t>(attempt.place.node)]}};
        const std::string command = trials::filled(run_.command, run_.trials[attempt.trial], known);
        if (run_.launcher.empty()) {
            return command;
        }
        trials::Settings of_launcher = known;
        of_launcher.emplace_back(trials::kCommandName, command);
        return trials::filled(run_.launcher, run_.trials[attempt.trial], of_launcher);
    }

    [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_of(
        std::size_t trial, const std::vector<std::int64_t>& gpus) const {
        std::vector<std::pair<std::string, std::string>> environment;
        if (const std::int64_t cores = run_.jobs[trial].units.cores; cores > 0) {
            environment.emplace_back("OMP_NUM_THREADS", std::to_string(cores));
        }
        if (run_.assigns_gpus) {
            environment.emplace_back("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(gpus, ",")));
        }
        return environment;
    }

    void take_ends() {
        for (std::size_t i = 0; i < running_.size();) {
            const std::optional<int> status = running_[i].process.status();
            if (!status) {
                ++i;
                continue;
            }
            Running ended = std::move(running_[i]);
            running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
            take_end(ended, *status);
        }
    }

    void take_end(Running& ended, int status) {
        Attempt& attempt = ended.attempt;
        attempt.end = now();
        attempt.status = status;
        const bool node_failed = !run_.launcher.empty() && status == kConnectionLostStatus;
        attempt.state = ended.stopped ? State::stopped
                        : status == 0 ? State::finished
                        : node_failed ? State::node_lost
                                      : State::failed;
        scheduler_.end(attempt.trial);
        gpus_.give(attempt.place.node, ended.gpus);
        journal_.note_end(attempt);
        count_node(attempt);
        count_trial(attempt);
        tell();
    }

    void count_node(const Attempt& attempt) {
        int& failures = failures_of_node_[static_cast<std::size_t>(attempt.place.node)];
        failures = attempt.state == State::node_lost ? failures + 1 : 0;
        if (failures == kNodeFailures) {
            scheduler_.lose(attempt.place.node);
            done_.lost.push_back(run_.nodes[static_cast<std::size_t>(attempt.place.node)]);
        }
    }

    void count_trial(const Attempt& attempt) {
        if (attempt.state == State::node_lost) {
            scheduler_.resubmit(attempt.trial);
            return;
        }
        if (attempt.state == State::stopped) {
            done_.early.push_back(attempt.trial);
            return;
        }
        const bool is_missing = attempt.status == kNotFoundStatus || attempt.status == kNotExecutableStatus;
        missing_ = is_missing ? missing_ + 1 : 0;
        if (missing_ == kMissingCommands) {
            done_.stopped = fmt::format("{} attempts in a row found no command", kMissingCommands);
        }
        const int tries = ++done_.tries_of[attempt.trial];
        if (attempt.state == State::finished) {
            ++done_.finished;
            if (reports_) {
                reports_->continues(attempt.trial, reported(run_, attempt.trial, true));
                reports_->end(attempt.trial);
            }
        } else if (tries < run_.tries && !is_missing) {
            scheduler_.resubmit(attempt.trial);
        } else {
            done_.failed.push_back(attempt.trial);
        }
    }

    void tell() const { progress_(done_.finished + done_.failed.size() + done_.early.size(), run_.trials.size()); }

    /// Asks what runs to end, and ends what does not.
    void end_all() {
        for (Running& running : running_) {
            running.process.terminate(false);
        }
        const auto last = Clock::now() + kGrace;
        while (!running_.empty() && Clock::now() < last) {
            std::erase_if(running_, [](Running& running) { return running.process.is_gone(); });
            std::this_thread::sleep_for(kPoll);
        }
        running_.clear();
    }

    const StudyRun& run_;
    const GoOn& go_on_;
    const Progress& progress_;
    Guard guard_;  ///< begins before the journal is open, whose lock it would keep
    Journal journal_;
    trials::Scheduler scheduler_;
    FreeGpus gpus_;
    Clock::time_point begin_;
    std::vector<Running> running_;
    std::vector<int> failures_of_node_;     ///< in a row
    std::map<std::size_t, int> number_of_;  ///< of a trial's last attempt, those counted that a lost node ended
    std::optional<trials::Reports> reports_;
    int missing_ = 0;  ///< attempts in a row without a command
    StudyDone done_;
};

}  // namespace

std::string trial_folder(const std::string& folder, std::size_t trial) {
    return fmt::format("{}/trial-{:04}", folder, trial + 1);
}

StudyDone run_study(const StudyRun& run, const GoOn& go_on, const Progress& progress) {
    make_folder(run.folder);
    adopt_orphans();
    return Session(run, go_on, progress).done();
}

}  // namespace dodona::runner
