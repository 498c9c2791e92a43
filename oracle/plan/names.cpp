// The words of plans, both ways.
#include <algorithm>
#include <array>
#include <utility>

#include "base/check.hpp"
#include "plan/plan.hpp"

namespace dodona::plan {

namespace {

template <class Enum>
using Word = std::pair<Enum, std::string_view>;

constexpr std::array kSchedules{Word<ScheduleKind>{ScheduleKind::gpipe, "gpipe"},
                                Word<ScheduleKind>{ScheduleKind::one_forward_one_backward, "1f1b"},
                                Word<ScheduleKind>{ScheduleKind::interleaved, "interleaved-1f1b"}};
constexpr std::array kRecomputes{
    Word<RecomputeKind>{RecomputeKind::none, "none"}, Word<RecomputeKind>{RecomputeKind::selective, "selective"},
    Word<RecomputeKind>{RecomputeKind::full, "full"}, Word<RecomputeKind>{RecomputeKind::every, "every"},
    Word<RecomputeKind>{RecomputeKind::layers, "layers"}};
constexpr std::array kShards{Word<ShardLevel>{ShardLevel::none, "none"}, Word<ShardLevel>{ShardLevel::states, "states"},
                             Word<ShardLevel>{ShardLevel::gradients, "gradients"},
                             Word<ShardLevel>{ShardLevel::parameters, "parameters"}};

template <class Enum, std::size_t N>
std::string_view word(const std::array<Word<Enum>, N>& words, Enum value) {
    for (const auto& entry : words) {
        if (entry.first == value) {
            return entry.second;
        }
    }
    throw InternalError("a plan word is missing");
}

template <class Enum, std::size_t N>
std::optional<Enum> value(const std::array<Word<Enum>, N>& words, std::string_view text) {
    for (const auto& entry : words) {
        if (entry.second == text) {
            return entry.first;
        }
    }
    return std::nullopt;
}

template <class Flags, class Word, std::size_t N>
std::vector<std::string> set_words(const Flags& flags, const std::array<Word, N>& words) {
    std::vector<std::string> found;
    for (const Word& word : words) {
        if (flags.*word.member) {
            found.emplace_back(word.word);
        }
    }
    return found;
}

}  // namespace

std::vector<std::string> words(const Overlap& overlap) { return set_words(overlap, kOverlapWords); }
std::vector<std::string> words(const Offload& offload) { return set_words(offload, kOffloadWords); }

std::string_view name(ScheduleKind kind) { return word(kSchedules, kind); }
std::string_view name(RecomputeKind kind) { return word(kRecomputes, kind); }
std::string_view name(ShardLevel level) { return word(kShards, level); }
std::optional<ScheduleKind> schedule_from(std::string_view text) { return value(kSchedules, text); }
std::optional<RecomputeKind> recompute_from(std::string_view text) { return value(kRecomputes, text); }
std::optional<ShardLevel> shard_from(std::string_view text) { return value(kShards, text); }

void Plan::fold_axes() {
    for (const FoldedAxis& axis : strategy.folds) {
        const auto in_mesh =
            std::find_if(mesh.begin(), mesh.end(), [&](const MeshAxis& entry) { return entry.name == axis.name; });
        if (in_mesh != mesh.end()) {
            folds.push_back({axis.name, axis.of, in_mesh->size, axis.apart_from});
            mesh.erase(in_mesh);
        }
    }
    // What a fold is apart from need not be there.
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

std::int64_t Plan::axis_size(std::string_view axis) const {
    for (const MeshAxis& entry : mesh) {
        if (entry.name == axis) {
            return entry.size;
        }
    }
    return 1;
}

}  // namespace dodona::plan
