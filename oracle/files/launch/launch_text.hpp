// What people launch training with, as one mapping of keys to values: flags of a shell script, keys of YAML and JSON
// with dots between the levels, sections of TOML.
#pragma once

#include <string>

#include "files/document.hpp"

namespace dodona::files {

inline constexpr std::size_t kMaxExpanded = std::size_t{1} << 20;  ///< characters of an expanded variable

/// The member of a script's settings that is none of them: a mapping with its words and its variables.
inline constexpr const char* kSurroundings = "$";
/// In it: the words of its commands that are no flags, a blank around each, ` ;` behind each command. Variables are
/// `$NAME`.
inline constexpr const char* kWords = "words";

/// Its mapping of files that here-documents write, by the name that the script gives them.
inline constexpr const char* kHereDocuments = "here-documents";

/// Its mapping of flags that a command before the last gave, to what that said.
inline constexpr const char* kGivenBefore = "given-before";

/// `--flag value`, `--flag=value`, `key.key=value`, `#SBATCH --flag=value`, with variables, arrays and arithmetic of the
/// shell put in; commands are not run. A flag without a value is true; of a repeated one the last value counts. Keys
/// have `-` for `_`, no leading `--`, and `sbatch.` before those of Slurm. The last member is kSurroundings.
Document read_shell(std::string text, const std::string& name);

/// `[section]` and `key = value` as "section.key".
Document read_toml(std::string text, const std::string& name);

/// The settings that software prints into its log: Megatron-LM and DeepSpeed `  name .......... value`, torchtitan and
/// DeepSpeed a block of JSON, NeMo one of YAML; empty where there are none.
Document read_printed(const std::string& text, const std::string& name);

/// YAML or JSON: {a: {b: 1}} as "a.b".
Document flattened(Document document);

/// By the end of the name: .yaml, .yml and .json, .toml, .log, .out and .err, .txt where it has printed settings, or else
/// a shell script.
Document read_launch_text(std::string text, const std::string& name);

}  // namespace dodona::files
