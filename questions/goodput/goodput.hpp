// Time that failures and checkpoints leave of a run. The answer and what makes it: reliability/goodput.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "questions/goals.hpp"
#include "questions/question.hpp"
#include "reliability/goodput.hpp"
#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"

namespace dodona::questions::goodput {

using reliability::FailureUnit;
using reliability::Goodput;

Heading heading();

/// "1826d/node"
struct FailureRate {
    Seconds mtbf;
    FailureUnit unit = FailureUnit::node;
    std::string text;  ///< as typed
};
struct ComponentMtbf {
    std::string name;  ///< empty: all causes together
    FailureRate rate;
};

/// Options in addition to the plan.
struct Options {
    GoalOptions goals;           ///< the work and a price
    std::optional<Power> power;  ///< of one device with its share of the node
    reliability::AskedInterval every;
    cluster::CheckpointFormat format = cluster::CheckpointFormat::pytorch;
    reliability::CheckpointContent holds = reliability::CheckpointContent::training;
    reliability::CheckpointMode mode = reliability::CheckpointMode::blocking;
    reliability::CheckpointWriters writers = reliability::CheckpointWriters::sharded;
    std::optional<BytesPerSecond> storage_write, storage_read;  ///< of one node
    std::optional<BytesPerSecond> system_write, system_read;    ///< of all nodes together
    std::optional<BytesPerSecond> copy;                         ///< between one device and host memory
    std::optional<BytesPerSecond> encode;                       ///< of one process
    std::optional<double> ratio;                                ///< of formats that compress: file over tensors
    std::optional<std::string> failures;                        ///< a name of published ones
    std::vector<ComponentMtbf> mtbf;
    std::optional<Seconds> restart;
    std::optional<std::int64_t> spares;
    std::optional<Seconds> repair;
    std::int64_t runs = 200;
    std::int64_t seed = 1;
};

/// Faults of the options alone, before network and machine are known.
Faults contradictions(const Options& options);

struct Question {
    OnePlan one;
    reliability::GoodputQuestion goodput;  ///< completed by the machine's storage and host, with what is assumed
};

Asked<Question> question(OnePlan one, const Options& options);

/// The prediction runs. A fault where a background write would not end before the next begins.
Asked<Goodput> ask(const Question& question, const step::Prediction& prediction);

/// A component with its failures of the job.
struct JobComponent {
    reliability::Component component;
    Seconds job_mtbf;  ///< of all that the job has
    double share = 0;  ///< of the job's interruptions
};

std::vector<JobComponent> job_components(const Goodput& answer);

/// The parts of a run's time in closed form, as long as the run that is simulated.
reliability::RunTime expected_run(const Goodput& answer);

reports::Document document(const reports::Subject& subject, const Goodput& answer);

}  // namespace dodona::questions::goodput
