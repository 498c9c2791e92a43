#include "files/model_reference.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "files/number.hpp"

namespace dodona::files {

namespace {

constexpr std::int64_t kMaxRank = 65'536;
constexpr std::int64_t kMaxAnswers = 1'000'000;

/// Where the tasks of a reference begin; none. A file may have a `+` in its name.
std::size_t tasks_of(const std::string& text) {
    const std::size_t of_file = text.find_last_of("/.");  // names of files may have a plus of their own
    return text.find('+', of_file == std::string::npos ? 0 : of_file);
}

std::string called(const Setting& setting) {
    return setting.path.empty() ? fmt::format("--set {}", setting.name) : setting.path;
}

std::int64_t whole_of(const Setting& setting, std::int64_t most) {
    const auto read = whole_from(setting.value);
    const auto* value = std::get_if<std::int64_t>(&read);
    if (value == nullptr || *value < 1 || *value > most) {
        fail(setting.where,
             fmt::format("{}: \"{}\" is not a whole number from 1 to {}", called(setting), setting.value, most));
    }
    return *value;
}

bool flag_of(const Setting& setting) {
    if (setting.value != "true" && setting.value != "false") {
        fail(setting.where, fmt::format("{}: \"{}\" is not true or false", called(setting), setting.value));
    }
    return setting.value == "true";
}

graph::WeightStorage storage_of(const Setting& setting) {
    const auto storage = value_of<graph::WeightStorage>(setting.value);
    if (!storage || *storage == graph::WeightStorage::full) {
        std::vector<std::string> known = value_names<graph::WeightStorage>();
        std::erase(known, name_of(graph::WeightStorage::full));
        fail(setting.where, fmt::format("{}: \"{}\" is not {}", called(setting), setting.value, join(known, " or ")));
    }
    return *storage;
}

void set(const Setting& setting, graph::TaskSettings& tasks) {
    if (setting.name == "rank") {
        tasks.rank = whole_of(setting, kMaxRank);
    } else if (setting.name == "storage") {
        tasks.storage = storage_of(setting);
    } else if (setting.name == "reference") {
        tasks.reference = flag_of(setting);
    } else if (setting.name == "old_policy") {
        tasks.old_policy = flag_of(setting);
    } else if (setting.name == "answers") {
        tasks.answers = whole_of(setting, kMaxAnswers);
    }
}

}  // namespace

ModelReference model_reference(const std::string& text, const Location& where) {
    std::size_t end = tasks_of(text);
    ModelReference reference{.model = text.substr(0, end), .tasks = {}};
    while (end != std::string::npos) {
        const std::size_t begin = end + 1;
        end = text.find('+', begin);
        const std::string word = text.substr(begin, end == std::string::npos ? end : end - begin);
        const auto task = value_of<graph::Task>(word);
        if (!task) {
            const std::vector<std::string> known = value_names<graph::Task>();
            fail(where, fmt::format("{}: \"{}\" is no task{}", text, word, did_you_mean(word, known)),
                 fmt::format("tasks: {}", join(known)));
        }
        reference.tasks.push_back(*task);
    }
    return reference;
}

std::string suffix_of(const std::vector<graph::Task>& tasks) {
    return concatenated(tasks, [](const graph::Task task) { return fmt::format("+{}", name_of(task)); });
}

TaskedSettings settings_for(const std::vector<graph::Task>& tasks, std::span<const Setting> settings) {
    TaskedSettings found;
    for (const Setting& setting : settings) {
        const bool of_task = std::any_of(tasks.begin(), tasks.end(), [&](graph::Task task) {
            const std::vector<std::string> names = graph::settings_of(task);
            return std::find(names.begin(), names.end(), setting.name) != names.end();
        });
        if (of_task) {
            set(setting, found.tasks);
        } else {
            found.model.push_back(setting);
        }
    }
    return found;
}

}  // namespace dodona::files
