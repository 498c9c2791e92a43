#include "plan/framework.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::plan {

FrameworkNumbers neutral_numbers() {
    FrameworkNumbers numbers;
    for (const FrameworkParameterKind& kind : kFrameworkParameters) {
        numbers[static_cast<std::size_t>(kind.parameter)] = {
            kind.neutral, kind.neutral, kind.neutral, std::nullopt, {}};
    }
    return numbers;
}

void Framework::add(const Mechanism& mechanism) {
    bool changes = !mechanism.memory.empty() || !mechanism.rules.empty() || mechanism.attention_library.has_value();
    memory = mechanism.memory.empty() ? memory : mechanism.memory;
    attention_library = mechanism.attention_library.value_or(attention_library);
    rules.insert(rules.begin(), mechanism.rules.begin(), mechanism.rules.end());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!mechanism.numbers[i].source.empty()) {
            numbers[i] = mechanism.numbers[i];
            changes = true;
        }
    }
    if (changes) {
        mechanisms.push_back(mechanism.name);
    }
    between_sources = std::hypot(between_sources, mechanism.spread);
}

void Framework::add_distance(const Mechanism& distance, const Mechanism& unfamiliar) {
    add(distance);
    beyond_fit = std::sqrt(std::max(0.0, unfamiliar.spread * unfamiliar.spread - distance.spread * distance.spread));
}

bool Framework::can_run(const Strategy& strategy) const {
    const bool has_level = !strategy.shard || levels.empty() || contains(levels, *strategy.shard);
    return has_level && (runs.empty() || std::find(runs.begin(), runs.end(), strategy.name) != runs.end());
}

bool Framework::can_offload(const Offload& offload) const {
    return std::none_of(kOffloadNames.begin(), kOffloadNames.end(), [&](const FlagName<Offload>& kind) {
        return offload.*kind.member && cannot_offload.*kind.member;
    });
}

std::vector<std::int64_t> Framework::dealt(std::int64_t blocks, std::int64_t parts) const {
    for (const Dealing method : deals.empty() ? std::vector{Dealing::equal} : deals) {
        const bool both = method == Dealing::with_both || method == Dealing::longer_first;
        const std::int64_t embedding = both || method == Dealing::with_embedding ? 1 : 0;
        const std::int64_t loss = both || method == Dealing::with_loss ? 1 : 0;
        const std::int64_t left = (blocks + embedding + loss) % parts;
        if (left > 0 && method != Dealing::longer_first) {
            continue;
        }
        std::vector<std::int64_t> dealt(static_cast<std::size_t>(parts), (blocks + embedding + loss) / parts);
        for (std::int64_t part = 0; part < left; ++part) {
            ++dealt[static_cast<std::size_t>(part)];
        }
        dealt.front() -= embedding;
        dealt.back() -= loss;
        if (dealt.front() >= 0 && dealt.back() >= 0) {
            return dealt;
        }
    }
    return {};
}

bool Framework::can_run(const std::vector<graph::Task>& all) const {
    return tasks.empty() || all_of(all, [&](graph::Task task) { return contains(tasks, task); });
}

bool Framework::is_foreign_to(std::optional<cluster::Maker> maker) const {
    return maker && !fitted_on.empty() && std::find(fitted_on.begin(), fitted_on.end(), *maker) == fitted_on.end();
}

bool Framework::is_beyond_fit(ShardLevel level, std::int64_t expert_nodes) const {
    return (fitted_level && level > *fitted_level) || (fitted_expert_nodes && expert_nodes > *fitted_expert_nodes);
}

std::string Framework::label() const {
    return name + concatenated(mechanisms, [](const std::string& mechanism) { return '+' + mechanism; });
}

std::string distance(const Framework& framework, std::optional<cluster::Maker> maker) {
    return framework.is_foreign_to(maker) ? kUnfamiliar : kOtherSource;
}

double Framework::Observed::explained(const ByParameter& d) const {
    double sum = 0;
    for (std::size_t i = 0; i < learnt.size(); ++i) {
        sum += d[i] * std::inner_product(d.begin(), d.end(), learnt[i].begin(), 0.0);
    }
    return sum;
}

double Framework::slow_down(graph::KernelKind kind) const {
    switch (kind) {
        case graph::KernelKind::matmul: return (*this)[FrameworkParameter::matmul];
        case graph::KernelKind::convolution: return (*this)[FrameworkParameter::convolution];
        case graph::KernelKind::attention: return (*this)[FrameworkParameter::attention];
        case graph::KernelKind::stream: return (*this)[FrameworkParameter::stream];
        case graph::KernelKind::gather: return (*this)[FrameworkParameter::gather];
        case graph::KernelKind::recurrent: return (*this)[FrameworkParameter::recurrent];
    }
    throw InternalError("a kind of kernel without a slow-down");
}

FrameworkReference framework_reference(const std::string& text) {
    const std::size_t folder = text.rfind('/');
    std::size_t end = text.find('+', folder == std::string::npos ? 0 : folder);
    FrameworkReference reference{.framework = text.substr(0, end), .mechanisms = {}};
    while (end != std::string::npos) {
        const std::size_t begin = end + 1;
        end = text.find('+', begin);
        reference.mechanisms.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    }
    return reference;
}

}  // namespace dodona::plan
