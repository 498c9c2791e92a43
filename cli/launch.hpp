// --from: what a launch script asks; --export: a plan as the settings of a launcher.
#pragma once

#include <span>
#include <string>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "questions/plans/plans.hpp"
#include "step/prediction.hpp"

namespace dodona::cli {

Option from_option();
Option export_option();

/// Gives the arguments the options that the launch script of --from stands for, where they were not typed, and says on
/// stderr which these are and what of the script is not modelled. Returns the text of the model file that the script
/// spells out; empty where MODEL was typed or there is no --from.
std::string take_launch(Arguments& arguments);

/// The launcher that --export names, checked; empty without the option. Where a plan is searched for it, the arguments get
/// its software and what holds a search to what it can express, where that was not typed.
std::string read_export(Arguments& arguments, bool searches);

/// The plan of a prediction as the target's file, with what is predicted at its top.
std::string exported_text(const std::string& target, const step::Prediction& prediction, const Workload& workload);

/// The settings that differ between a plan as the target's file and the first of the ranked ones that it can express.
questions::plans::ChangedSettings changed_settings(const std::string& target, const step::Prediction& now,
                                                   std::span<const step::Prediction> ranked, const Workload& workload);

struct Exported {
    step::Prediction prediction;
    std::string text;
};

/// The first of the ranked plans that the target can express, or a faster one before it that it can express where gathers
/// of parameters do not overlap; says on stderr where it is not the first plan. Throws InputError with why it cannot
/// express the first where it can none.
Exported exported_best(const std::string& target, std::span<const step::Prediction> ranked, const Workload& workload);

}  // namespace dodona::cli
