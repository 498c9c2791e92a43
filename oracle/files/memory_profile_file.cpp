#include "files/memory_profile_file.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.hpp"
#include "files/description_keys.hpp"
#include "files/read_description.hpp"
#include "files/strategy_file.hpp"

namespace dodona::files {

using plan::MemoryAction;
using plan::MemoryProfile;
using plan::MemoryRule;
using plan::MemoryTensors;
using plan::RecomputeModule;

namespace {

/// What rules there are, and the key that they need beside.
struct RuleForm {
    MemoryAction action;
    MemoryTensors tensors;
    std::string_view needs;
};
constexpr std::array kRuleForms{RuleForm{MemoryAction::cast, MemoryTensors::activations, "to"},
                                RuleForm{MemoryAction::cast, MemoryTensors::product_inputs, "to"},
                                RuleForm{MemoryAction::cast, MemoryTensors::gate_inputs, "to"},
                                RuleForm{MemoryAction::cast, MemoryTensors::results, ""},
                                RuleForm{MemoryAction::cast, MemoryTensors::probabilities, ""},
                                RuleForm{MemoryAction::cast, MemoryTensors::shared_inputs, "element"},
                                RuleForm{MemoryAction::cast, MemoryTensors::weights, ""},
                                RuleForm{MemoryAction::keep, MemoryTensors::gate_results, ""},
                                RuleForm{MemoryAction::keep, MemoryTensors::normalised_inputs, "match"},
                                RuleForm{MemoryAction::free, MemoryTensors::gate_results, ""},
                                RuleForm{MemoryAction::free, MemoryTensors::normalised_inputs, ""},
                                RuleForm{MemoryAction::keep, MemoryTensors::placeholders, ""},
                                RuleForm{MemoryAction::keep, MemoryTensors::pipeline_results, ""},
                                RuleForm{MemoryAction::keep, MemoryTensors::gradients, ""},
                                RuleForm{MemoryAction::keep, MemoryTensors::update_copies, ""},
                                RuleForm{MemoryAction::keep, MemoryTensors::update_gradients, ""},
                                RuleForm{MemoryAction::keep, MemoryTensors::update_temporaries, "element"},
                                RuleForm{MemoryAction::keep, MemoryTensors::messages, ""},
                                RuleForm{MemoryAction::repeat, MemoryTensors::keys, ""},
                                RuleForm{MemoryAction::gather, MemoryTensors::inputs, ""},
                                RuleForm{MemoryAction::gather, MemoryTensors::logits, ""},
                                RuleForm{MemoryAction::cast, MemoryTensors::logits, ""},
                                RuleForm{MemoryAction::free, MemoryTensors::logits, ""},
                                RuleForm{MemoryAction::keep, MemoryTensors::loss_inputs, ""},
                                RuleForm{MemoryAction::free, MemoryTensors::loss_inputs, ""},
                                RuleForm{MemoryAction::keep, MemoryTensors::loss_temporaries, "element"},
                                RuleForm{MemoryAction::keep, MemoryTensors::split_loss_temporaries, "element"},
                                RuleForm{MemoryAction::free, MemoryTensors::gradients, ""},
                                RuleForm{MemoryAction::offload, MemoryTensors::gradients, ""}};

/// A key that a rule needs, or has no use for.
void check_key(Fields& fields, const std::string& key, bool needed, const MemoryRule& rule) {
    const Value found = fields.find(key);
    const std::string form = fmt::format("{} {}", name_of(rule.action), name_of(rule.tensors));
    if (found && !needed) {
        found.error(fmt::format("a rule that is \"{}\" has no use for it", form), "leave it out");
    } else if (!found && needed) {
        fields.mapping().error(fmt::format("a rule that is \"{}\" needs \"{}\"", form, key));
    }
}

void check_rule(Fields& fields, MemoryRule& rule, const Reading& /*reading*/) {
    const auto form = std::find_if(kRuleForms.begin(), kRuleForms.end(), [&](const RuleForm& known) {
        return known.action == rule.action && known.tensors == rule.tensors;
    });
    if (form == kRuleForms.end()) {
        auto actions = mapped_where<std::string>(
            kRuleForms, [&](const RuleForm& known) { return known.tensors == rule.tensors; },
            [](const RuleForm& known) { return name_of(known.action); });
        fields.mapping().error(
            fmt::format("no software is known to {} {}", name_of(rule.action), name_of(rule.tensors)),
            fmt::format("rules on them: {}", fmt::join(actions, ", ")));
        return;
    }
    check_key(fields, "to", form->needs == "to", rule);
    if (form->needs != "match") {
        check_key(fields, "element", form->needs == "element", rule);
    }
    if (rule.tensors != MemoryTensors::loss_temporaries && rule.tensors != MemoryTensors::split_loss_temporaries) {
        check_key(fields, "chunks", false, rule);
    }
    if (form->needs == "match" || !is_of_layers(rule.tensors)) {
        check_key(fields, "match", form->needs == "match", rule);
    }
}

}  // namespace

template <>
const Description& description<MemoryRule>() {
    static const Description described{
        .noun = "memory rule",
        .summary = "What software does to some of the tensors of a step.",
        .keys = {required<&MemoryRule::action>("rule", "What is done."),
                 required<&MemoryRule::tensors>("of", "The tensors."),
                 optional<&MemoryRule::match>("match", "The layers whose tensors they are.", {.default_text = "all"}),
                 optional<&MemoryRule::to>("to", "What activations, product-inputs and gate-inputs are cast to."),
                 optional<&MemoryRule::element>("element",
                                                "Of one element of shared-inputs, normalised-inputs and temporaries.",
                                                {.range = kPositive}),
                 optional<&MemoryRule::chunks>("chunks", "Parts in which temporaries of a loss come, one at a time.",
                                               {.range = kPositive}),
                 optional<&MemoryRule::source>("source", "Where that is seen.", {.default_text = "the profile's"})},
        .one_line = true,
        .check = checked<MemoryRule, check_rule>,
        .defaults = default_of<MemoryRule>};
    return described;
}

template <>
const Description& description<RecomputeModule>() {
    static const Description described{
        .noun = "module",
        .summary = "A part of a network that software can run again in backward. Lines of one name are one module.",
        .keys = {required<&RecomputeModule::name>("module", "As its setting names it."),
                 required_as<&RecomputeModule::layers>(
                     layers_type(), "layers", "Those that keep nothing, results included, and run again in backward."),
                 optional_as<&RecomputeModule::with>(layers_type(), "with",
                                                     "Only in blocks that have one of these layers.",
                                                     {.default_text = "all blocks"})},
        .one_line = true,
        .defaults = default_of<RecomputeModule>};
    return described;
}

template <>
const Description& description<MemoryProfile>() {
    static const Description described{
        .noun = "memory profile",
        .summary =
            "What the software of one generation keeps on a device beside the tensors of the model. A key that is "
            "left out adds nothing. Equations and sources: oracle/plan/memory_profile.hpp.",
        .keys =
            {file_name<&MemoryProfile::name>("memory"), file_source<&MemoryProfile::source>(),
             optional<&MemoryProfile::summary>("summary", "One line for lists."),
             optional<&MemoryProfile::rules>(
                 "rules",
                 "What it does to tensors: of several rules on tensors of a layer the first that matches counts."),
             optional<&MemoryProfile::recompute_modules>("recompute_modules", "Parts of blocks that it recomputes.",
                                                         {.default_text = "none"}),
             optional<&MemoryProfile::recomputed_together>(
                 "recomputed_together",
                 "Modules that `dodona plan` tries, with blanks between them: the first of these lists of which the "
                 "network has each.",
                 {.default_text = "none", .or_single = true}),
             optional<&MemoryProfile::reduction_bucket>(
                 "reduction_bucket", "Gradients that are flattened for one reduction.", {.range = kNotNegative}),
             optional<&MemoryProfile::workspace>("workspace", "Of libraries, taken from the allocator.",
                                                 {.range = kNotNegative}),
             optional<&MemoryProfile::communicator>("communicator",
                                                    "Buffers of each communicator, not taken from the allocator.",
                                                    {.range = kNotNegative}),
             optional<&MemoryProfile::fragmentation>("fragmentation",
                                                     "What the allocator has reserved and cannot use, over tensors "
                                                     "that come and go in a step: activations, workspace and buffers.",
                                                     {.range = kShare}),
             optional<&MemoryProfile::recomputed_fragmentation>(
                 "recomputed_fragmentation",
                 "The same where whole blocks are recomputed. Counts if larger than `fragmentation`.",
                 {.range = kShare}),
             optional<&MemoryProfile::varied_fragmentation>(
                 "varied_fragmentation",
                 "Segments that shorter samples left, over the same, where lengths vary from step to step: as far as "
                 "memory is left, which they give back.",
                 {.range = kNotNegative})},
        .file_kind = "memory",
        .defaults = default_of<MemoryProfile>};
    return described;
}

MemoryProfile read_memory_profile(Document document) { return read_file<MemoryProfile>(std::move(document)); }

}  // namespace dodona::files
