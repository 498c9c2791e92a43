// Constraints of the user: what plans must have and must not have.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/enumeration.hpp"
#include "plan/plan.hpp"

namespace dodona::search {

/// Size of an axis of the mesh or of a fold. An axis that a strategy lacks has size 1.
struct AxisSize {
    std::string axis;
    std::int64_t size = 1;
    bool operator==(const AxisSize&) const = default;
};

struct MicroBatch {
    std::int64_t samples = 1;
    bool operator==(const MicroBatch&) const = default;
};

struct VirtualStages {
    std::int64_t number = 1;
    bool operator==(const VirtualStages&) const = default;
};

/// All plans of a strategy.
struct NamedStrategy {
    std::string name;
    bool operator==(const NamedStrategy&) const = default;
};

using Constraint = std::variant<AxisSize, MicroBatch, VirtualStages, plan::RecomputeKind, plan::ShardLevel,
                                plan::ScheduleKind, NamedStrategy>;

/// What a constraint may be about besides axes and strategies, as plan files call it.
enum class PlanSetting { microbatch, virtual_stages, recompute, shard, schedule };
inline constexpr std::array kPlanSettingTable{
    Enumerator(PlanSetting::microbatch, "microbatch", "samples of a micro-batch"),
    Enumerator(PlanSetting::virtual_stages, "virtual_stages", "virtual stages of a pipeline rank"),
    Enumerator(PlanSetting::recompute, "recompute", "what runs again in backward"),
    Enumerator(PlanSetting::shard, "shard", "ZeRO level"),
    Enumerator(PlanSetting::schedule, "schedule", "order of the passes of a pipeline")};
constexpr const auto& enumerators(PlanSetting /*type*/) { return kPlanSettingTable; }

/// Why a text is no constraint.
struct ConstraintFault {
    std::string message;
    bool operator==(const ConstraintFault&) const = default;
};
using ReadConstraint = std::variant<Constraint, ConstraintFault>;

ReadConstraint setting_constraint(PlanSetting setting, const std::string& value);
ReadConstraint axis_constraint(const std::string& axis, const std::string& value,
                               const std::vector<plan::Strategy>& strategies);
ReadConstraint strategy_constraint(const std::string& name, const std::vector<plan::Strategy>& strategies);

}  // namespace dodona::search
