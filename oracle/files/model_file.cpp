#include "files/model_file.hpp"

#include <algorithm>
#include <utility>

#include "files/blocks.hpp"
#include "files/fields.hpp"
#include "files/heading.hpp"
#include "files/scope.hpp"

namespace dodona::files {

namespace {

using graph::AttributeValue;
using graph::NetworkSpec;

constexpr std::size_t kLongestChain = 8;  ///< of files that extend each other

/// A value that replaces a parameter's default: from `set:` or `--set`.
struct Override {
    std::string name;
    std::string path;  ///< as messages call it
    Written value;
    Location where;
};

bool is_of_one_kind(const AttributeValue& a, const AttributeValue& b) {
    const auto kind = [](const AttributeValue& value) {
        const std::size_t index = value.value.index();
        return index == 1 ? std::size_t{0} : index;  // whole numbers and decimals are both numbers
    };
    return kind(a) == kind(b);
}

std::string kind_in_words(const AttributeValue& value) {
    if (std::holds_alternative<bool>(value.value)) {
        return "true or false";
    }
    return std::holds_alternative<std::string>(value.value) ? "a word" : "a number";
}

graph::Dataset read_dataset(const Value& value) {
    graph::Dataset dataset;
    Fields fields(value);
    if (const Value samples = fields.find("samples")) {
        dataset.samples = static_cast<double>(samples.whole(1));
    }
    if (const Value bytes = fields.find("sample_bytes")) {
        dataset.sample_bytes = bytes.quantity(Sign::positive, Bytes{});
    }
    dataset.source = fields.find("source").text();
    fields.finish();
    return dataset;
}

graph::PublishedCounts read_published(const Value& value) {
    const Range positive{.least = 0, .without_least = true};
    graph::PublishedCounts published;
    Fields fields(value);
    if (const Value parameters = fields.find("parameters")) {
        published.parameters = parameters.number(positive);
    }
    if (const Value trained = fields.find("trained_parameters")) {
        published.trained_parameters = trained.number(positive);
    }
    if (const Value macs = fields.find("forward_macs")) {
        published.forward_macs = macs.number(positive);
    }
    published.tolerance = fields.find("tolerance").number({.least = 0, .most = 1}, published.tolerance);
    fields.finish();
    return published;
}

graph::InputSpec read_input(const Fields::Member& member, const Scope& scope) {
    graph::InputSpec input{.name = member.key, .where = member.where};
    input.tensor.dimensions.push_back({"batch", 1});
    Fields fields(member.value);
    const Value element = fields.find("element");
    if (element && element.choice({"activation", "index"}) == 1) {
        input.tensor.element = graph::Element::index;
    }
    const std::vector<Fields::Member> dimensions = fields.rest();
    for (const Fields::Member& dimension : dimensions) {
        if (dimension.key == "batch") {
            dimension.value.error("the batch is implied", "leave it out: extents are those of one sample");
            continue;
        }
        if (!is_identifier(dimension.key)) {
            dimension.value.error("not a name for a dimension", "dimensions have letters, digits and `_`");
        }
        input.tensor.dimensions.push_back({dimension.key, scope.whole(dimension.value, 1, kMostExtent)});
    }
    if (fields.mapping() && dimensions.empty()) {
        member.value.error("no dimensions", "write them in order: {channel: 3, height: 224, width: 224}");
    }
    return input;
}

std::vector<graph::InputSpec> read_inputs(const Value& value, const Scope& scope) {
    std::vector<graph::InputSpec> inputs;
    Fields fields(value);
    for (const Fields::Member& member : fields.rest()) {
        inputs.push_back(read_input(member, scope));
    }
    if (fields.mapping() && inputs.empty()) {
        value.error("no inputs", "write input: {image: {channel: 3, height: 224, width: 224}}");
    }
    return inputs;
}

/// The value that replaces a default, of the same kind as it.
AttributeValue read_override(const Override& given, const Scope& scope, const AttributeValue* usual,
                             Diagnostics& faults) {
    try {
        AttributeValue value = scope.value(given.value);
        if (usual != nullptr && !is_of_one_kind(value, *usual)) {
            faults.error(given.where,
                         fmt::format("{}: \"{}\" is not {}", given.path, given.value.text, kind_in_words(*usual)));
            return *usual;
        }
        return value;
    } catch (const InputError& error) {
        absorb(faults, error, given.path);
        return usual != nullptr ? *usual : AttributeValue{std::int64_t{1}, given.where};
    }
}

/// Parameters in the order of the file, each an expression of those before it.
Scope read_parameters(const Value& parameters, const std::vector<Override>& overrides, Diagnostics& faults) {
    Scope scope;
    Fields fields(parameters);
    static_cast<void>(fields.find("source").text());
    static_cast<void>(fields.find("note").text());
    std::vector<std::string> names;
    for (const Fields::Member& member : fields.rest()) {
        names.push_back(member.key);
        if (!is_identifier(member.key)) {
            faults.error(member.where, fmt::format("{}: not a name for a parameter", member.value.path()),
                         "parameters have letters, digits and `_`");
            continue;
        }
        const auto given =
            std::find_if(overrides.begin(), overrides.end(), [&](const Override& o) { return o.name == member.key; });
        if (!member.value.is_scalar()) {
            member.value.error("a number, a word, true or false is due");
            scope.set(member.key, {std::int64_t{1}, member.where});
            continue;
        }
        try {
            AttributeValue usual = scope.value(written(member.value));
            scope.set(member.key, given == overrides.end() ? usual : read_override(*given, scope, &usual, faults));
        } catch (const InputError& error) {
            if (given == overrides.end()) {
                absorb(faults, error, member.value.path());
                scope.set(member.key, {std::int64_t{1}, member.where});
            } else {  // a default that only fails beside other overrides does not count
                scope.set(member.key, read_override(*given, scope, nullptr, faults));
            }
        }
    }
    for (const Override& given : overrides) {
        if (std::find(names.begin(), names.end(), given.name) == names.end()) {
            faults.error(
                given.where,
                fmt::format("{}: the model has no such parameter{}", given.path, did_you_mean(given.name, names)),
                names.empty() ? "it has no parameters" : fmt::format("its parameters: {}", join(names)));
        }
    }
    return scope;
}

/// What a file with `layers:` describes.
void read_network(Fields& fields, const std::vector<Override>& overrides, Diagnostics& faults, NetworkSpec& spec) {
    const Scope scope = read_parameters(fields.find("parameters"), overrides, faults);
    for (const std::string& name : scope.names()) {
        spec.parameters.emplace(name, *scope.find(name));
    }
    spec.inputs =
        read_inputs(fields.require("input", "write input: {image: {channel: 3, height: 224, width: 224}}"), scope);
    std::vector<std::string> inputs;
    for (const graph::InputSpec& input : spec.inputs) {
        inputs.push_back(input.name);
    }
    Expansion expansion(fields.find("blocks"), scope);
    const Value layers = fields.require("layers", "a list of layers, or `extends: MODEL`");
    try {
        spec.entries = expansion.entries(layers, inputs);
        if (!faults.has_errors()) {
            expansion.report_unused();
        }
    } catch (const InputError& error) {
        absorb(faults, error);
    }
}

NetworkSpec read(Document document, const std::vector<Override>& overrides, const Opener& open, std::size_t depth);

/// The model that this file extends, with this file's parameters before those of the model.
NetworkSpec read_base(const Value& extends, const Value& set, const Document& document,
                      const std::vector<Override>& outer, const Opener& open, std::size_t depth) {
    std::vector<Override> overrides = outer;
    Fields fields(set);
    for (const Fields::Member& member : fields.rest()) {
        if (!member.value.is_scalar()) {
            member.value.error("a number, a word, true or false is due");
            continue;
        }
        const bool is_replaced =
            std::any_of(outer.begin(), outer.end(), [&](const Override& o) { return o.name == member.key; });
        if (!is_replaced) {
            overrides.push_back({member.key, member.value.path(), written(member.value), member.where});
        }
    }
    if (depth >= kLongestChain) {
        fail(extends.where(), fmt::format("more than {} files that extend each other: a cycle?", kLongestChain));
    }
    const std::string name = extends.text();
    return name.empty() ? NetworkSpec{}
                        : read(open(name, document.folder, extends.where()), overrides, open, depth + 1);
}

NetworkSpec read(Document document, const std::vector<Override>& overrides, const Opener& open, std::size_t depth) {
    Diagnostics& faults = document.faults;
    const Value root(*document.root, "", faults);
    Fields fields(root);
    const Heading heading = read_heading(fields, "model");
    const graph::Dataset dataset = read_dataset(fields.find("dataset"));
    const graph::PublishedCounts published = read_published(fields.find("published"));
    NetworkSpec spec;
    if (const Value extends = fields.find("extends")) {
        try {
            spec = read_base(extends, fields.find("set"), document, overrides, open, depth);
        } catch (const InputError& error) {
            absorb(faults, error);
        }
    } else {
        read_network(fields, overrides, faults, spec);
    }
    fields.finish();
    spec.name = heading.name;
    spec.source = heading.source;
    spec.where = root.where();
    spec.published = published;
    if (dataset.samples || dataset.sample_bytes) {
        spec.dataset = dataset;
    }
    throw_faults(document);
    return spec;
}

}  // namespace

NetworkSpec read_model(Document document, std::span<const Setting> settings, const Opener& open) {
    std::vector<Override> overrides;
    for (const Setting& setting : settings) {
        const std::string path = setting.path.empty() ? fmt::format("--set {}", setting.name) : setting.path;
        const auto repeated =
            std::find_if(overrides.begin(), overrides.end(), [&](const Override& o) { return o.name == setting.name; });
        if (repeated != overrides.end()) {
            fail(setting.where, fmt::format("{}: given twice", path));
        }
        overrides.push_back({setting.name, path, {setting.value, false, setting.where}, setting.where});
    }
    return read(std::move(document), overrides, open, 0);
}

}  // namespace dodona::files
