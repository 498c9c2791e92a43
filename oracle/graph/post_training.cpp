#include "graph/post_training.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "graph/operators/adapters.hpp"

namespace dodona::graph {

namespace {

constexpr const char* kReference = "reference_";
constexpr const char* kOldPolicy = "old_";

bool has(const std::vector<Task>& tasks, Task task) { return contains(tasks, task); }

/// At most one way to change weights and one loss; none twice.
void check_together(const std::vector<Task>& tasks, const Location& where) {
    const auto only_one = [&](const std::vector<Task>& of, const char* what) {
        const auto found = std::count_if(tasks.begin(), tasks.end(), [&](Task task) { return has(of, task); });
        if (found > 1) {
            fail(where, fmt::format("a network has one of {}", what), "for example qlora+dpo");
        }
    };
    only_one({Task::lora, Task::qlora}, "lora and qlora");
    only_one({Task::sft, Task::dpo, Task::grpo}, "sft, dpo and grpo");
}

void check_tokens(const NetworkSpec& spec, Task task, const Location& where) {
    const bool reads_tokens = std::any_of(spec.inputs.begin(), spec.inputs.end(), [](const InputSpec& input) {
        return input.tensor.element == Element::index && input.tensor.find("sequence");
    });
    if (!reads_tokens) {
        fail(where, fmt::format("{} is for networks that read tokens; {} does not", name_of(task), spec.name));
    }
}

bool has_frozen(const std::vector<Entry>& entries) {
    return any_of(entries, [](const Entry& entry) { return entry.frozen || has_frozen(entry.children); });
}

/// Whether a block has frozen layers and others: it has adapters already.
bool has_adapters(const std::vector<Entry>& entries) {
    return std::any_of(entries.begin(), entries.end(), [](const Entry& entry) { return has_frozen(entry.children); });
}

/// Adapters beside the layers of a list, and the storage of what they stand beside. Returns the adapters added.
std::size_t add_adapters(std::vector<Entry>& entries, const TaskSettings& settings) {
    std::size_t added = 0;
    std::vector<Entry> all;
    std::string previous = "input";
    for (Entry& entry : entries) {
        const std::string name = entry.name;
        added += add_adapters(entry.children, settings);
        if (entry.op.empty() || !takes_adapter(entry)) {
            all.push_back(std::move(entry));
        } else {
            const std::string input = entry.from.empty() ? previous : entry.from.front();
            append(all, with_adapter(entry, input, settings.rank));
            ++added;
        }
        previous = name;
    }
    entries = std::move(all);
    return added;
}

/// Adapters in the blocks; what is outside them (embeddings, heads) has none, as PEFT's target_modules="all-linear", nor has
/// a block that is frozen already, such as the layers of an encoder of images.
void freeze_and_adapt(NetworkSpec& spec, Task task, const TaskSettings& settings, const Location& where) {
    std::size_t added = 0;
    for (Entry& entry : spec.entries) {
        added += entry.frozen ? 0 : add_adapters(entry.children, settings);
        if (task == Task::qlora && entry.op.empty()) {
            entry.storage = settings.storage;
        }
    }
    if (added == 0) {
        fail(where, fmt::format("{}: no block of {} has a layer that an adapter could stand beside", name_of(task),
                                spec.name));
    }
    spec.adapters_only = true;
}

/// Puts a prefix before what the entry and those inside it share, and before what is read inside in addition to the input.
void prefix_inside(Entry& entry, const std::vector<std::string>& others, const std::string& prefix) {
    if (entry.weights_of.starts_with('/')) {
        entry.weights_of.insert(1, prefix);
    }
    for (Entry& child : entry.children) {
        for (std::string& from : child.from) {
            from = std::find(others.begin(), others.end(), from) == others.end() ? from : prefix + from;
        }
        prefix_inside(child, others, prefix);
    }
}

/// The entries of a forward pass. `shared`: reads the weights of the entries that it is made of.
std::vector<Entry> forward_pass(const std::vector<Entry>& entries, const std::string& prefix, bool shared) {
    const auto is_entry = [&](const std::string& name) {
        return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.name == name; });
    };
    std::vector<Entry> pass = entries;
    for (Entry& entry : pass) {
        std::vector<std::string> others;
        std::copy_if(entry.from.begin() + (entry.from.empty() ? 0 : 1), entry.from.end(), std::back_inserter(others),
                     is_entry);
        prefix_inside(entry, others, prefix);
        for (std::string& from : entry.from) {
            from = is_entry(from) ? prefix + from : from;
        }
        const auto tied = entry.attributes.find("tied");
        if (tied != entry.attributes.end() && is_entry(std::get<std::string>(tied->second.value))) {
            tied->second.value = prefix + std::get<std::string>(tied->second.value);
        }
        entry.weights_of = shared ? entry.name : entry.weights_of;
        entry.name = prefix + entry.name;
        entry.forward_only = true;
    }
    return pass;
}

/// A pass before all others.
void put_first(std::vector<Entry> pass, NetworkSpec& spec) {
    if (spec.entries.front().from.empty()) {
        spec.entries.front().from = {spec.inputs.front().name};
    }
    spec.entries.insert(spec.entries.begin(), std::make_move_iterator(pass.begin()),
                        std::make_move_iterator(pass.end()));
    ++spec.post_training.passes;
}

std::string sources(const std::vector<Task>& tasks) {
    std::string text;
    text += has(tasks, Task::lora) || has(tasks, Task::qlora)
                ? "; adapters: Hu et al., LoRA, arXiv:2106.09685, section 4.1"
                : "";
    text += has(tasks, Task::qlora) ? "; weights of 4 bits: Dettmers et al., QLoRA, arXiv:2305.14314, section 3" : "";
    text += has(tasks, Task::dpo) ? "; pairs of answers: Rafailov et al., DPO, arXiv:2305.18290, equation 7" : "";
    text +=
        has(tasks, Task::grpo)
            ? "; groups of answers: Shao et al., DeepSeekMath, arXiv:2402.03300, equation 3, without their generation"
            : "";
    return text;
}

}  // namespace

std::vector<std::string> settings_of(Task task) {
    switch (task) {
        case Task::sft: return {};
        case Task::lora: return {"rank"};
        case Task::qlora: return {"rank", "storage"};
        case Task::dpo: return {"reference"};
        case Task::grpo: return {"reference", "old_policy", "answers"};
    }
    return {};
}

NetworkSpec with_tasks(NetworkSpec spec, const std::vector<Task>& tasks, const TaskSettings& settings,
                       const Location& where) {
    check_together(tasks, where);
    const bool has_copies = has(tasks, Task::dpo) || has(tasks, Task::grpo);  // of all layers, trained or not
    if (!tasks.empty() && (has_adapters(spec.entries) || (has_copies && has_frozen(spec.entries)))) {
        fail(where, fmt::format("{} has frozen layers; tasks are for networks whose layers are all trained", spec.name),
             "the network without them, for example llama-3.1-8b+lora+dpo");
    }
    const std::vector<Entry> base = spec.entries;
    for (const Task task : tasks) {
        if (task == Task::lora || task == Task::qlora) {
            freeze_and_adapt(spec, task, settings, where);
        } else {
            check_tokens(spec, task, where);
        }
        spec.name += fmt::format("+{}", name_of(task));
    }
    spec.post_training.tasks = tasks;
    spec.post_training.settings = settings;
    spec.post_training.together = has(tasks, Task::dpo) ? 2 : 1;
    spec.post_training.group = has(tasks, Task::dpo) ? 2 : has(tasks, Task::grpo) ? settings.answers : 1;
    const std::vector<Entry> policy = spec.entries;
    if (has(tasks, Task::grpo) && settings.old_policy) {
        put_first(forward_pass(policy, kOldPolicy, true), spec);
    }
    if ((has(tasks, Task::dpo) || has(tasks, Task::grpo)) && settings.reference) {
        put_first(forward_pass(base, kReference, spec.adapters_only), spec);
    }
    spec.source += sources(tasks);
    spec.published = {};
    return spec;
}

void store_frozen(NetworkSpec& network, WeightStorage storage) {
    for (Entry& entry : network.entries) {
        if (!entry.block.empty() && entry.storage == WeightStorage::full) {
            entry.storage = storage;
        }
    }
}

}  // namespace dodona::graph
