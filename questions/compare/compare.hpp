// `compare`: the best plans of several strategies, machines or models, or several given plans, side by side, with what makes
// the difference.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/enumeration.hpp"
#include "files/description.hpp"
#include "questions/question.hpp"
#include "reports/document/document.hpp"
#include "search/answer.hpp"
#include "search/search.hpp"
#include "step/prediction.hpp"

namespace dodona::questions::compare {

/// Kinds of compared items. `settings` are written as --fixed: tensor=8,zero=1; `programs` are training software.
enum class ComparedKind { strategies, machines, models, plans, settings, programs, precisions };
inline constexpr std::array kComparedKindTable{
    Enumerator(ComparedKind::strategies, "strategies", ""), Enumerator(ComparedKind::machines, "machines", ""),
    Enumerator(ComparedKind::models, "models", ""),         Enumerator(ComparedKind::plans, "plans", ""),
    Enumerator(ComparedKind::settings, "settings", ""),     Enumerator(ComparedKind::programs, "programs", ""),
    Enumerator(ComparedKind::precisions, "precisions", "")};
constexpr const auto& enumerators(ComparedKind /*type*/) { return kComparedKindTable; }

/// One that is to be compared: a given plan, or the best one of a space.
struct Item {
    std::string name;  ///< as it was typed
    Workload workload;
    std::variant<plan::Plan, search::Space> of;
};

struct Question {
    ComparedKind kind = ComparedKind::strategies;
    std::vector<Item> items;  ///< two or more
};

/// One of those that are compared.
struct Compared {
    std::string name;  ///< as it was typed
    std::string model;
    std::string machine;
    std::optional<step::Prediction> plan;  ///< its best one; none: nothing fits
    search::Answer answer;                 ///< of the search, for what stops it; of a given plan empty
    bool from_data_sheet = false;          ///< its device's kernels were not measured
};

struct Answer {
    ComparedKind of = ComparedKind::strategies;  ///< what differs
    std::string on;                              ///< "llama-3.1-8b on 64 GPUs of dgx-h100": what does not
    std::vector<Compared> all;
};

/// Before each item: how many are done, of all, and the next one's name. `continues` false: a search has what it found.
struct Progress {
    std::function<void(std::int64_t done, std::int64_t all, const std::string& name)> begins;
    std::function<bool()> continues;
};
Answer ask(const Question& question, const Progress& progress);

/// The one that fits and trains fastest; null where nothing fits.
const Compared* fastest(const Answer& answer);

/// Reasons that stop a search, most frequent first; three at most.
std::string stops(const search::Answer& answer);

reports::Document document(const Answer& answer);

}  // namespace dodona::questions::compare

namespace dodona::files {

template <>
const Description& description<questions::compare::Answer>();

}  // namespace dodona::files
