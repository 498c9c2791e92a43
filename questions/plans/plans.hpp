// `plan`: which plans of a job fit, ranked, and all that was asked about them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/replica_exchange.hpp"
#include "files/description.hpp"
#include "questions/lengths.hpp"
#include "questions/observed.hpp"
#include "questions/plans/ranking.hpp"
#include "questions/software.hpp"
#include "reports/collect/exchange_search_report.hpp"
#include "reports/collect/lengths_report.hpp"
#include "reports/collect/tables_report.hpp"
#include "reports/document/document.hpp"
#include "search/answer.hpp"
#include "search/remedies.hpp"
#include "step/prediction.hpp"

namespace dodona::questions::plans {

/// In addition to the space of plans.
struct Options {
    LengthOptions lengths;
    std::int64_t top = 5;
    std::int64_t simulated = 0;
    std::string why_not;        ///< a kind of plans, as it was typed; empty: none
    std::string observed_plan;  ///< file of the plan whose step was observed; empty: none
};

/// What was observed, and the software of the search before it was moved to that.
struct ObservedSteps {
    std::vector<search::Software> software;
    std::vector<validate::ObservedRun> runs;  ///< none: nothing was observed
};

/// Plans of one kind only.
struct Kind {
    std::string asked;  ///< as it was typed: "zero3"
    search::Space space;
};

struct Question {
    Workload workload;
    search::Space space;
    SoftwareOptions software = {};                                   ///< of the space and of changes to it
    bool names_strategies = false;                                   ///< the space has some that were asked for by name
    bool names_batch = false;                                        ///< the batch is no default
    std::vector<std::pair<std::string, std::string>> settings = {};  ///< options as they were given
    bool by_layers = false;                                          ///< a strategy for each layer, too
    std::size_t shown = 5;                                           ///< plans that are listed
    std::size_t simulated = 0;                                  ///< first plans that are simulated and ranked by that
    bool explains = false;                                      ///< parameters that the answer is sensitive to, too
    std::string save_to = {};                                   ///< file that the best plan is written to; empty: none
    std::optional<reports::ExchangeKinds> exchange_kinds = {};  ///< that vary
    std::vector<exchange::Exchange> exchanges = {};             ///< of these kinds
    ObservedSteps observed = {};
    LengthOptions lengths = {};
    std::optional<Kind> why_not = {};                 ///< what keeps these from being the answer
    std::optional<exchange::Exchange> exchange = {};  ///< of the listed plans, in the place of their own
    /// Of embedding tables that are placed one by one; none: they are not.
    std::optional<plan::OptimizerKind> table_optimizer = {};
};

/// Plans that a search has to rank for all that is asked of them.
std::size_t plans_to_rank(const Question& question);

/// A setting of a script; empty: it is not there.
struct ChangedSetting {
    std::string setting;
    std::string now;
    std::string then;
};

/// Settings that another plan changes.
struct ChangedSettings {
    std::size_t rank = 0;  ///< of the first listed plan that the launcher can express, from 1; 0: of none
    std::vector<ChangedSetting> changes;  ///< to that plan
    std::string not_expressed;            ///< why there are none: "stages are named by modules"; empty: there are
};

/// The plan that a script runs now, and its settings that another plan would change.
struct CurrentRun {
    std::string file;
    std::string launcher;             ///< "megatron": whose settings the file has
    step::Prediction predicted;       ///< without what was observed
    std::optional<Seconds> observed;  ///< its measured step
    step::Prediction now;             ///< with what was observed
    ChangedSettings changed;
};

/// The plans of one kind.
struct WhyNot {
    std::string asked;  ///< as it was typed: "zero3"
    search::Answer of_that_kind;
};

/// The listed plans with an exchange in the place of their own.
struct WithExchange {
    std::string name;
    std::vector<std::optional<exchange::ReplicaExchange>> of_plans;  ///< none: nothing to replace
};

struct Answer {
    search::Answer found;
    std::string saved = {};  ///< the file that the best plan is written to; empty: none
    std::optional<CurrentRun> current = {};
    std::optional<WhyNot> why_not = {};
    std::vector<reports::PlanLengths> by_lengths = {};  ///< plans by tokens a second, where lengths were given
    std::vector<step::Prediction> exchanged = {};       ///< plans that other exchanges were tried on
    reports::ExchangeSearch by_exchange = {};           ///< refers to `exchanged`
    std::optional<WithExchange> with_exchange = {};
    std::optional<reports::PlacedTables> tables = {};
    std::size_t shown = 0;  ///< plans that are listed

    /// The plan to run; null where nothing fits.
    [[nodiscard]] const step::Prediction* best() const;
};

/// Progress of the search and of the explanation. All return false to stop; an answer has what is finished then.
struct Progress {
    search::Progress meshes;
    search::Progress changes;
    std::function<bool()> continues;
};

Answer ask(const Question& question, const Progress& progress);

/// Reasons that stop plans of one kind: most frequent first, five at most.
std::vector<std::string> reasons(const search::Answer& of_that_kind);

/// The first plan that the script's launcher can express; null: there is none, or the script's cannot run.
const step::Prediction* compared_with(const Answer& answer);
bool is_tied(const step::Prediction& a, const step::Prediction& b);

reports::Document document(const Answer& answer);

/// At most seven columns. "~2": tied with No. 1.
reports::Table ranking_table(const Ranking& ranking);

/// Differences of the second plan from the first: "No. 2 takes 3.1 % longer: gradient reduction +0.41 s, ...". `domain`:
/// Cluster::fast_domain.
std::string against_runner_up(const Ranking& ranking, std::int64_t domain);

/// Sections before the others.
void add_current_run(reports::Document& document, const Answer& answer);
void add_why_not(reports::Document& document, const Answer& answer);

}  // namespace dodona::questions::plans

namespace dodona::files {

template <>
const Description& description<search::Remedy>();
template <>
const Description& description<questions::plans::Answer>();

}  // namespace dodona::files
