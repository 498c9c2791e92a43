// Launchers as data (software/*/*.target.yaml): what their settings mean, which options of dodona they are, how a
// plan is written for them, and what they cannot express.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "files/hf/family.hpp"

namespace dodona::files {

/// The key whose value is the command that starts a target, or one of the programs that it names.
inline constexpr const char* kCommand = "$command";

/// A text with `{parameter}` in it, for where a condition holds.
struct ConditionalText {
    std::string text;
    std::shared_ptr<const Node> when = nullptr;  ///< null: always
    std::string times = {};  ///< the parameter that says how often it stands between commas; empty: once
};

/// An option of `dodona predict`, such as --mesh. Its value is the first text whose condition holds, or the words
/// or parts between commas whose conditions hold.
struct TargetOption {
    std::string option;  ///< "MODEL": the positional
    std::vector<ConditionalText> values;
    bool is_list = false;
    bool may_be_absent = true;  ///< a list without words is absent, else "none"
};

/// A plan that the target cannot express.
struct Refusal {
    std::shared_ptr<const Node> when;
    std::string lost;     ///< what it has no setting for, as a sentence
    std::string nearest;  ///< options of dodona that give the nearest plan that it can express
};

struct Target {
    Family keys;  ///< what its settings mean; the name is the target's
    std::string version;
    std::string summary;
    std::string comment;  ///< how its files mark comments: "#"; empty: not at all
    /// Tasks of post-training that it writes plans of, as `--task` has them: "lora+dpo"; empty: pretraining alone.
    std::vector<std::string> tasks;
    std::string framework;           ///< of the software that it starts; empty: several, or another target's
    std::string like;                ///< a target whose settings it has as well; empty: none
    std::vector<std::string> files;  ///< settings that name a file of settings: `KEY: F` has those of F as KEY.*
    /// Settings that name a file whose settings stand for those of the script.
    std::vector<std::string> configurations;
    std::vector<std::string> layouts;        ///< settings that are layouts of stages (stage_layout.hpp): see the schema
    std::vector<std::string> degrees;        ///< settings that are degrees behind letters, `fsdp:d4t2`: see the schema
    std::vector<std::string> commands;       ///< words that start it in a script: "megatron sft"; empty: no wrapper
    std::vector<std::string> recognised_by;  ///< settings that only its files have
    std::vector<std::string>
        base_recognised_by;             ///< those of the target that it is like: they tell where one of its own does
    std::vector<TargetOption> options;  ///< empty: it is written and not read
    /// Options of `dodona plan` that hold a search to what the target can express.
    std::vector<std::pair<std::string, std::string>> searched;
    std::vector<ConditionalText> not_modelled;  ///< what matters where several settings say it, or none does
    std::vector<ConditionalText> lines;         ///< of what is written
    std::vector<Refusal> refusals;
};

Target read_target(Document document);

/// Targets with what those that they are like say and they do not: keys and parameters by the parameter, options by the
/// option; and all that is ignored there. Throws InputError for a target that is like none.
std::vector<Target> completed(std::vector<Target> targets);

/// A text with each `{parameter}` replaced by its value.
std::string filled(const std::string& text, const Scope& scope);

}  // namespace dodona::files
