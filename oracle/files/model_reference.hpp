// "llama-3.1-8b+qlora+dpo": a model, by name or path, and tasks of post-training that change it. What `--set` says of a
// task is the task's, also where the model has a parameter of that name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "files/model_file.hpp"
#include "graph/post_training.hpp"

namespace dodona::files {

struct ModelReference {
    std::string model;
    std::vector<graph::Task> tasks;
};

/// Throws InputError where a word after `+` is no task.
ModelReference model_reference(const std::string& text, const Location& where);

/// The tasks as they follow the name of a model: "+qlora+dpo". Empty: none.
std::string suffix_of(const std::vector<graph::Task>& tasks);

/// Settings of a model's parameters, and those of its tasks.
struct TaskedSettings {
    std::vector<Setting> model;
    graph::TaskSettings tasks;
};

/// Throws InputError where a value is not one that the setting takes.
TaskedSettings settings_for(const std::vector<graph::Task>& tasks, std::span<const Setting> settings);

}  // namespace dodona::files
