// What failures and checkpoints leave of a run's time. Question, answer and what makes the one of the other:
// reliability/goodput.hpp.
#pragma once

#include <vector>

#include "reliability/goodput.hpp"
#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"

namespace dodona::questions::goodput {

using reliability::Goodput;

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
