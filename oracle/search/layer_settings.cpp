#include "search/layer_settings.hpp"

#include <algorithm>

#include "base/ranges.hpp"
#include "search/mesh_layouts.hpp"
#include "search/space.hpp"

namespace dodona::search {

using plan::Plan;
using plan::ShardLevel;

namespace {

/// Named plans whose pipeline, recomputation and sharding are taken over.
constexpr std::size_t kNamedPlans = 4;

struct Shape {
    std::int64_t inner = 1;
    std::int64_t outer = 1;
    std::int64_t stages = 1;
};

Setting setting_of(const Space& space, const Shape& shape) {
    Setting setting;
    setting.base = plan_of(space);
    Plan& plan = setting.base;
    const auto add = [&](const char* axis, std::int64_t size) {
        plan.mesh.push_back({axis, size});
        plan.strategy.axes.emplace_back(axis);
    };
    if (shape.inner > 1) {
        add(kInnerAxis, shape.inner);
    }
    if (shape.outer > 1) {
        add(kOuterAxis, shape.outer);
    }
    setting.axes = plan.strategy.axes;
    plan.strategy.shard_axes = setting.axes;
    if (shape.stages > 1) {
        add(kStageAxis, shape.stages);
        plan.strategy.pipeline = kStageAxis;
    }
    return setting;
}

/// All pairs of factors larger than 1, inner first; one axis where there is no such pair.
std::vector<Shape> shapes(std::int64_t devices) {
    std::vector<Shape> found;
    for (const std::int64_t inner : divisors(devices)) {
        if (inner > 1 && inner < devices) {
            found.push_back({.inner = inner, .outer = devices / inner, .stages = 1});
        }
    }
    return found.empty() ? std::vector<Shape>{{.inner = devices, .outer = 1, .stages = 1}} : found;
}

/// The devices of a named plan as two axes and a pipeline: its innermost axis in use, and the rest.
Shape shape_of(const Plan& plan) {
    Shape shape;
    for (const plan::MeshAxis& axis : plan.mesh) {
        if (plan.strategy.pipeline == axis.name) {
            shape.stages = axis.size;
        } else if (shape.inner == 1) {
            shape.inner = axis.size;
        } else {
            shape.outer *= axis.size;
        }
    }
    return shape;
}

bool alike(const Setting& a, const Setting& b) {
    return a.base.mesh == b.base.mesh && a.base.shard == b.base.shard && a.base.recompute == b.base.recompute &&
           a.base.virtual_stages == b.base.virtual_stages && a.passes == b.passes;
}

}  // namespace

std::vector<Setting> layer_settings(const Space& space, const std::vector<step::Prediction>& named) {
    std::vector<Setting> settings;
    const auto add = [&](Setting setting) {
        const bool known = any_of(settings, [&](const Setting& other) { return alike(other, setting); });
        if (!known) {
            settings.push_back(std::move(setting));
        }
    };
    for (std::size_t i = 0; i < std::min(named.size(), kNamedPlans); ++i) {
        const Plan& plan = named[i].plan;
        const Shape own = shape_of(plan);
        const std::int64_t ranks = own.inner * own.outer;
        for (const Shape& shape : own.outer > 1 ? std::vector<Shape>{own} : shapes(ranks)) {
            Setting setting = setting_of(space, {shape.inner, shape.outer, own.stages});
            setting.base.schedule = plan.schedule;
            setting.base.virtual_stages = plan.virtual_stages;
            setting.base.recompute = plan.recompute;
            setting.base.shard = plan.shard;
            setting.passes = own.stages > 1 ? named[i].microbatches : 1;
            add(std::move(setting));
        }
    }
    for (const Shape& shape : shapes(space.devices)) {
        for (const ShardLevel level : {ShardLevel::none, ShardLevel::states}) {
            Setting setting = setting_of(space, shape);
            setting.base.shard = level;
            add(std::move(setting));
        }
    }
    return settings;
}

}  // namespace dodona::search
