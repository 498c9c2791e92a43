// What `dodona plan` finds: the ranked plans, and all that is looked at beside them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/exchange_search.hpp"
#include "cli/length_options.hpp"
#include "cli/observed.hpp"
#include "cli/output.hpp"
#include "cli/workload.hpp"
#include "exchange/exchange.hpp"
#include "questions/plans/plans.hpp"
#include "search/answer.hpp"
#include "search/search.hpp"

namespace dodona::cli {

struct PlanRequest {
    Output output;
    std::string save_to;                                   ///< file for the best plan; empty: none
    std::string target;                                    ///< launcher whose settings are written; empty: none
    std::vector<exchange::Exchange> exchanges;             ///< one at most
    std::optional<LengthSettings> lengths;                 ///< of samples, by which plans are ranked
    std::optional<reports::ExchangeKinds> exchange_kinds;  ///< that vary
    std::optional<std::int64_t> batch;                     ///< none: the usual one of the network
    ObservedSettings observed;
    std::string observed_plan;  ///< file of the plan whose step was observed
    bool explains = false;
    std::size_t simulated = 0;  ///< plans that are played
    std::size_t shown = 0;      ///< plans that are listed
};

/// Plans that the search has to rank for all that is asked of them.
std::size_t plans_to_rank(const PlanRequest& request);

/// What --observed says, and the software of the search before it was moved to that.
struct ObservedSteps {
    std::vector<search::Software> software;
    std::vector<validate::ObservedRun> runs;  ///< none: nothing was observed
};

/// The search, with progress on a terminal and Ctrl-C.
search::Answer search_with_progress(const Workload& workload, const search::Space& space);

questions::plans::Answer find_plans(Arguments& arguments, const PlanRequest& request, const Workload& workload,
                                    const search::Space& space, const ObservedSteps& observed);

}  // namespace dodona::cli
