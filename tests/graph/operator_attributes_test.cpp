// The attributes that the table of operators lists are those that the builders read.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "graph/operators.hpp"

namespace dodona::graph {
namespace operator_attributes_test {

/// The words in backquotes: `kernel`, `stride` = 1.
std::set<std::string> words_in(std::string_view text) {
    std::set<std::string> words;
    for (std::size_t open = text.find('`'); open != std::string_view::npos;) {
        const std::size_t close = text.find('`', open + 1);
        words.emplace(text.substr(open + 1, close - open - 1));
        open = text.find('`', close + 1);
    }
    return words;
}

std::set<std::string> listed(const OperatorKind& kind) {
    constexpr std::string_view kAsOf = "as of ";
    const std::string_view text = kind.attributes;
    return text.starts_with(kAsOf) ? listed(*find_operator(text.substr(kAsOf.size()))) : words_in(text);
}

/// Inputs that operators could be given: images, sequences, vectors, ids, scores of experts, tables.
std::vector<Tensor> tensors() {
    const TensorDimension batch{"batch", 1};
    return {{.dimensions = {batch, {"channel", 64}, {"height", 16}, {"width", 16}}},
            {.dimensions = {batch, {"sequence", 16}, {"feature", 64}}},
            {.dimensions = {batch, {"feature", 64}}},
            {.dimensions = {batch, {"sequence", 16}}, .element = Element::index},
            {.dimensions = {batch, {"table", 4}, {"lookup", 2}}, .element = Element::index},
            {.dimensions = {batch, {"table", 4}, {"feature", 64}}},
            {.dimensions = {batch, {"sequence", 16}, {"expert", 8}}},
            {.dimensions = {batch, {"sequence", 16}, {"expert", 8}, {"feature", 64}}}};
}

/// Of these words, given as attributes together, those that the builder reads.
std::set<std::string> read_from(const OperatorKind& kind, const std::set<std::string>& words,
                                const std::vector<Tensor>& inputs) {
    std::map<std::string, AttributeValue> values;
    for (const std::string& word : words) {
        values[word] = {std::int64_t{1}, {}};
    }
    Diagnostics faults;
    Attributes attributes("layer", {}, values, faults);
    static_cast<void>(kind.build(attributes, inputs));
    const std::size_t before = faults.all().size();
    attributes.report_unread();
    std::set<std::string> read = words;
    for (std::size_t i = before; i < faults.all().size(); ++i) {
        constexpr std::size_t kStart = std::string_view("layer.").size();
        const std::string& message = faults.all()[i].message;
        read.erase(message.substr(kStart, message.find(": unknown attribute") - kStart));
    }
    return read;
}

/// Those that it reads from some inputs, all words together or one by itself: some are read where others are missing.
std::set<std::string> read_by(const OperatorKind& kind, const std::set<std::string>& words) {
    std::set<std::string> read;
    const auto try_inputs = [&](const std::vector<Tensor>& inputs) {
        read.merge(read_from(kind, words, inputs));
        for (const std::string& word : words) {
            read.merge(read_from(kind, {word}, inputs));
        }
    };
    const std::vector<Tensor> all = tensors();
    for (const Tensor& first : all) {
        if (kind.most_inputs == 1) {
            try_inputs({first});
            continue;
        }
        for (const Tensor& second : all) {
            std::vector<Tensor> inputs(std::max<std::size_t>(kind.least_inputs, 2), second);
            inputs.front() = first;
            try_inputs(inputs);
        }
    }
    return read;
}

TEST(OperatorAttributes, AreThoseThatBuildersRead) {
    std::set<std::string> words;
    for (const OperatorKind& kind : operator_kinds()) {
        words.merge(listed(kind));
    }
    for (const OperatorKind& kind : operator_kinds()) {
        EXPECT_EQ(read_by(kind, words), listed(kind)) << kind.name;
    }
}

TEST(OperatorAttributes, EveryOperatorListsItsDimensions) {
    for (const OperatorKind& kind : operator_kinds()) {
        EXPECT_NE(kind.dimensions, "") << kind.name;
    }
}

}  // namespace operator_attributes_test
}  // namespace dodona::graph
