#include <algorithm>
#include <span>

#include "plan/plan.hpp"

#include "base/ranges.hpp"

namespace dodona::plan {

namespace {

template <class Flags>
std::vector<std::string> set_names(const Flags& flags, std::span<const FlagName<Flags>> words) {
    return mapped_where<std::string>(
        words, [&](const FlagName<Flags>& word) { return flags.*word.member; },
        [](const FlagName<Flags>& word) { return word.word; });
}

}  // namespace

std::vector<std::string> words(const Overlap& overlap) { return set_names<Overlap>(overlap, kOverlapNames); }
std::vector<std::string> words(const Offload& offload) { return set_names<Offload>(offload, kOffloadNames); }

std::int64_t RepeatedBlocks::among(std::int64_t before, std::int64_t count) const {
    const std::int64_t end = first > 0 ? std::clamp<std::int64_t>(first, before, before + count) : before + count;
    return end / one_in - before / one_in;
}

void Plan::fold_axes() {
    for (const FoldedAxis& axis : strategy.folds) {
        const auto in_mesh = find_if(mesh, [&](const MeshAxis& entry) { return entry.name == axis.name; });
        if (in_mesh != mesh.end()) {
            folds.push_back({axis.name, axis.of, in_mesh->size, axis.apart_from});
            mesh.erase(in_mesh);
        }
    }
    // The fold that another is apart from may be missing.
    for (Fold& fold : folds) {
        const bool known = fold.apart_from && std::any_of(folds.begin(), folds.end(), [&](const Fold& other) {
                               return other.name == *fold.apart_from;
                           });
        if (!known) {
            fold.apart_from.reset();
        }
    }
}

std::int64_t Plan::devices() const {
    std::int64_t product = 1;
    for (const MeshAxis& axis : mesh) {
        product *= axis.size;
    }
    return product;
}

std::int64_t domains_of_folds(const std::vector<Fold>& folds, std::int64_t domain) {
    std::int64_t ranks = 1;
    for (const Fold& fold : folds) {
        ranks *= fold.size;
    }
    return (ranks + domain - 1) / domain;
}

Strategy Plan::sharded_strategy() const {
    Strategy sharded = strategy;
    if (shard != ShardLevel::none) {
        sharded.shard = shard;
    }
    return sharded;
}

ShardLevel Plan::exchanged_shard() const {
    return framework.exchanges_once && pipeline_stages() > 1 ? std::min(shard, ShardLevel::states) : shard;
}

const MemoryRule* MemoryProfile::rule(MemoryAction action, MemoryTensors tensors) const {
    return found_in(rules, [&](const MemoryRule& rule) { return rule.action == action && rule.tensors == tensors; });
}

bool Plan::offloads_gradients() const {
    return offload.weights || (offload.optimizer && memory.has(MemoryAction::offload, MemoryTensors::gradients));
}

bool Plan::frees_gradients() const {
    const bool replicated =
        exchanged_shard() < ShardLevel::gradients &&
        (strategy.shard_axes.empty() ? devices() > 1
                                     : std::any_of(strategy.shard_axes.begin(), strategy.shard_axes.end(),
                                                   [&](const std::string& axis) { return axis_size(axis) > 1; }));
    return memory.has(MemoryAction::free, MemoryTensors::gradients) && !replicated;
}

bool Plan::updates_on_host() const { return offload.optimizer && framework[FrameworkParameter::host_update] > 0; }

bool Plan::repeats_blocks() const { return recompute == RecomputeKind::full || recompute == RecomputeKind::every; }

bool Plan::repeats_parts() const { return recompute == RecomputeKind::selective || recompute == RecomputeKind::layers; }

double Plan::fragmentation(double repeated) const {
    const double least = memory.fragmentation;
    const double most = repeats_blocks() ? std::max(least, memory.recomputed_fragmentation) : least;
    return repeated < 1 ? least + repeated * (most - least) : most;
}

std::int64_t Plan::pipeline_stages() const { return strategy.pipeline ? axis_size(*strategy.pipeline) : 1; }

Places Plan::places() const { return places_of(schedule_of(schedule), pipeline_stages(), virtual_stages); }

std::int64_t Plan::axis_size(std::string_view axis) const {
    for (const MeshAxis& entry : mesh) {
        if (entry.name == axis) {
            return entry.size;
        }
    }
    return 1;
}

}  // namespace dodona::plan
