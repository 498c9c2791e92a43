// A network that others describe in a config.json, as a model file of Dodona.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "files/document.hpp"

namespace dodona::files {

struct ReadConfig;

struct ImportedModel {
    std::string text;                   ///< of the model file
    std::string family;                 ///< empty: not of Hugging Face
    std::vector<std::string> ignored;   ///< keys of the config that change no shape
    std::vector<std::string> left_out;  ///< keys of parts of the network that are not read
    std::int64_t parameters = 0;        ///< learnt numbers of a traced graph that its layers have
    std::vector<std::string> notes;     ///< how a traced graph was read
};

struct ModelHeading {
    std::string name;
    std::string source;
};

/// The text of a model file with the layers of an architecture and the parameters that were read. `folder`: models/hf.
std::string written_model(const ModelHeading& heading, const std::string& architecture, const ReadConfig& read,
                          const std::filesystem::path& folder);

/// `name`: of the model; `folder`: models/hf. Throws InputError with every fault found.
ImportedModel import_config(Document config, const std::string& name, const std::filesystem::path& folder);

}  // namespace dodona::files
