// Aliases of built-in names, as people write them: `h100` for a machine, `rtx4090` and `4090` for a device, `gpt3`
// for a model, `fsdp` for a strategy, `llama-2-7b` for what was called llama2-7b.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/description.hpp"
#include "files/document.hpp"

namespace dodona::files {

enum class NameOf { model, cluster, device, strategy, framework, exchange };

struct ResolvedAlias {
    std::string name;  ///< of a built-in
    std::string note;  ///< what else could have been meant; empty: only another spelling
};

/// A line of the file of names.
struct OtherName {
    std::vector<std::string> words;
    std::string means;
    std::string note;
};

/// The file of names: oracle/validate/names.yaml.
struct OtherNames {
    std::string name;
    std::string source;
    std::vector<OtherName> models;
    std::vector<OtherName> clusters;
    std::vector<OtherName> devices;
    std::vector<OtherName> strategies;

    [[nodiscard]] const std::vector<OtherName>& of(NameOf kind) const;
};

template <>
const Description& description<OtherName>();
template <>
const Description& description<OtherNames>();

OtherNames read_other_names(Document document);

/// The only name that differs from the word in nothing but capitals, blanks and punctuation.
std::optional<std::string> respelled(std::string_view word, std::span<const std::string> known);

/// Digits of the number of devices before a name, as in 8xH100; 0: there is none.
std::size_t devices_digits(std::string_view word);

/// The built-in that a word which is no name stands for: a line of `names`, else respelled. None: the word stands for
/// nothing here.
std::optional<ResolvedAlias> resolve_alias(NameOf kind, std::string_view word, std::span<const std::string> known,
                                           const OtherNames& names);

/// The networks that a shortened name can mean: those whose parts, letters and numbers, are the word's in their order, the
/// first as the first and letters maybe cut short, with the fewest others: qwen3-235b, t5-xxl, vit-b16.
struct Shortened {
    std::vector<std::string> names;  ///< newer versions first
    bool is_clear = false;           ///< there is one, or they differ in their version only and the first is newer
};
Shortened shortened_name(std::string_view word, std::span<const std::string> known, const OtherNames& names);

/// Whether a word is ORG/NAME, as networks of the Hugging Face hub are called, and no file that is there.
bool is_hub_name(const std::string& word);

/// "llama-3.1-8b-instruct", "llama-3.1-8b" of "meta-llama/Llama-3.1-8B-Instruct", with or without ORG/: what is trained
/// further has the layers of what it comes from. The longest first.
std::vector<std::string> names_before_training(std::string_view word);

/// "qwen2.5-32b" -> "qwen": the letters that a name starts with.
std::string name_stem(std::string_view name);

/// Small letters and digits only: "RTX 4090" -> "rtx4090".
std::string letters_and_digits(std::string_view text);

}  // namespace dodona::files
