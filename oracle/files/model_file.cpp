#include "files/model_file.hpp"

#include <algorithm>
#include <utility>

#include "base/ranges.hpp"
#include "files/blocks.hpp"
#include "files/description_keys.hpp"
#include "files/fields.hpp"
#include "files/heading.hpp"
#include "files/read_description.hpp"
#include "files/scope.hpp"

namespace dodona::files {

template <>
const Description& description<graph::Dataset>();
template <>
const Description& description<graph::PublishedCounts>();

namespace {

constexpr std::size_t kMaxParameters = 1'000;

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

/// A dimension of an input: its extent or, behind tables, a list of extents, one for each table.
graph::TensorDimension read_dimension(const Fields::Member& member, const graph::Tensor& before, const Scope& scope) {
    if (!member.value.is_list()) {
        return {member.key, scope.whole(member.value, 1, kMaxExtent)};
    }
    auto each = mapped<graph::Extent>(member.value.list(),
                                      [&](const Value& extent) { return scope.whole(extent, 1, kMaxExtent); });
    const graph::TensorDimension& last = before.dimensions.back();
    if (last.name != "table" || each.size() != static_cast<std::size_t>(last.extent)) {
        member.value.error(
            fmt::format("a list of {}", each.size()),
            "a list has an extent for each table and stands behind `table`: {table: 3, lookup: [1, 5, 2]}");
        return {member.key, 1};
    }
    return graph::ragged(member.key, std::move(each));
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
        input.tensor.dimensions.push_back(read_dimension(dimension, input.tensor, scope));
    }
    if (fields.mapping() && dimensions.empty()) {
        member.value.error("no dimensions", "write them in order: {channel: 3, height: 224, width: 224}");
    }
    return input;
}

std::vector<graph::InputSpec> read_inputs(const Value& value, const Scope& scope) {
    std::vector<graph::InputSpec> inputs;
    Fields fields(value);
    append(inputs, fields.rest(), [&](const Fields::Member& member) { return read_input(member, scope); });
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
        if (names.size() == kMaxParameters) {
            fail(member.where, fmt::format("more than {} parameters", kMaxParameters),
                 "a model has those that its layers are described by");
        }
        names.push_back(member.key);
        if (!is_identifier(member.key)) {
            faults.error(member.where, fmt::format("{}: not a name for a parameter", member.value.path()),
                         "parameters have letters, digits and `_`");
            continue;
        }
        const auto* given = found_in(overrides, &Override::name, member.key);
        if (!member.value.is_scalar()) {
            member.value.error("expected a number, a name, true or false");
            scope.set(member.key, {std::int64_t{1}, member.where});
            continue;
        }
        try {
            AttributeValue usual = scope.value(written(member.value));
            scope.set(member.key, given == nullptr ? usual : read_override(*given, scope, &usual, faults));
        } catch (const InputError& error) {
            if (given == nullptr) {
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
    const auto inputs = mapped<std::string>(spec.inputs, &graph::InputSpec::name);
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
            member.value.error("expected a number, a name, true or false");
            continue;
        }
        const bool is_replaced = any_of(outer, [&](const Override& o) { return o.name == member.key; });
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

/// A key that has nothing to do with parameters.
void read_part(const Key& key, Fields& fields, NetworkSpec& spec) {
    if (const Value value = fields.find(key.name)) {
        read_value(key.type, value, key.member(&spec), {.folder = {}, .open = {}});
    }
}

NetworkSpec read(Document document, const std::vector<Override>& overrides, const Opener& open, std::size_t depth) {
    Diagnostics& faults = document.faults;
    const Value root(*document.root, "", faults);
    Fields fields(root);
    const Heading heading = read_heading(fields, "model");
    NetworkSpec own;  // the keys of this file, also where it extends another
    read_part(*description<NetworkSpec>().find("dataset"), fields, own);
    read_part(*description<NetworkSpec>().find("published"), fields, own);
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
    if (const Value left_out = fields.find("left_out")) {
        spec.left_out = left_out.texts();
    }
    fields.finish();
    spec.name = heading.name;
    spec.source = heading.source;
    spec.where = root.where();
    spec.published = own.published;
    if (own.dataset.samples || own.dataset.sample_bytes) {
        spec.dataset = own.dataset;
    }
    throw_faults(document);
    return spec;
}

constexpr const char* kLayersSchema = R"({
  "type": "array",
  "minItems": 1,
  "items": {
    "type": "object",
    "required": ["name"],
    "anyOf": [{"required": ["op"]}, {"required": ["block"]}],
    "properties": {
      "name": {"type": "string", "pattern": "^[A-Za-z0-9_.-]+$"},
      "op": {"type": "string"},
      "block": {"type": "string"},
      "repeat": {"type": ["integer", "string"]},
      "with": {"type": "object"},
      "from": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]},
      "role": {"type": "string"},
      "frozen": {"type": ["boolean", "string"]},
      "stored": {"type": "string"},
      "weights": {"type": "string", "minLength": 1},
      "source": {"type": "string"},
      "note": {"type": "string"}
    }
  }
})";

/// Its reader is this file's: values may be expressions over parameters.
Key own_key(std::string_view name, std::string is, std::string schema, std::string_view meaning,
            std::string_view without) {
    return optional_as({OwnType{std::move(is), std::move(schema)}}, name, meaning, {.default_text = without});
}

}  // namespace

template <>
const Description& description<graph::Dataset>() {
    using graph::Dataset;
    static const Description described{
        .noun = "dataset",
        .summary = "The data that the model is trained on.",
        .keys = {optional<&Dataset::samples>("samples", "Samples of one epoch.", {.range = at_least(1), .count = true}),
                 optional<&Dataset::sample_bytes>("sample_bytes", "One sample, as stored.", {.range = kPositive}),
                 optional<&Dataset::source>("source", "Where the numbers come from.")},
        .one_line = true,
        .defaults = default_of<Dataset>};
    return described;
}

template <>
const Description& description<graph::PublishedCounts>() {
    using graph::PublishedCounts;
    static const Description described{
        .noun = "published counts",
        .summary = "What the source says of the model. `dodona check` compares it with what follows from the layers.",
        .keys = {optional<&PublishedCounts::parameters>("parameters", "All parameters.", {.range = kPositive}),
                 optional<&PublishedCounts::trained_parameters>("trained_parameters", "Parameters that are not frozen.",
                                                                {.range = kPositive}),
                 optional<&PublishedCounts::forward_macs>(
                     "forward_macs", "Multiply-accumulates of one sample, forward.", {.range = kPositive}),
                 optional<&PublishedCounts::tolerance>("tolerance", "Relative, of `forward_macs`.", {.range = kShare})},
        .one_line = true,
        .defaults = default_of<PublishedCounts>};
    return described;
}

template <>
const Description& description<NetworkSpec>() {
    const std::string mapping = R"({"type": "object"})";
    static const Description described{
        .noun = "model",
        .summary = "Layers and blocks of layers, from the input of the model to its loss.",
        .keys = {file_name<&NetworkSpec::name>("model"), file_source<&NetworkSpec::source>(),
                 own_key("parameters", "`{name: value}`", mapping,
                         "What `--set name=value` may change: whole numbers, decimals, words, `true`, `false`, or "
                         "expressions over the parameters before (`4*hidden`, `round_up(50257, 1024)`).",
                         "none"),
                 own_key("input", "`{name: {dimension: extent}}`", R"({"type": "object", "minProperties": 1})",
                         "The inputs of the model, each with its dimensions in order; the batch is implied. `element: "
                         "index` beside the dimensions: token ids. Behind `table` a list has an extent for each table.",
                         "required without `extends`"),
                 own_key("blocks", "`{name: {parameters: …, layers: …}}`", mapping,
                         "Lists of layers that `block` of a layer puts in. `parameters` are their defaults, which "
                         "`with` replaces.",
                         "none"),
                 own_key("layers", "a list of layers", kLayersSchema, "The layers, in order.",
                         "required without `extends`"),
                 own_key("extends", "a name or a file", R"({"type": "string"})",
                         "The model that this one has the layers of.", "none"),
                 own_key("set", "`{name: value}`", mapping, "With `extends`: other values of its parameters.", "none"),
                 own_key("left_out", "a list of words", R"({"type": "array", "items": {"type": "string"}})",
                         "Parts of the network that the file does not describe, which every answer says: neither their "
                         "parameters nor their work are counted.",
                         "none"),
                 optional<&NetworkSpec::dataset>("dataset", "The data that it is trained on.",
                                                 {.default_text = "not known"}),
                 optional<&NetworkSpec::published>("published", "Counts to compare with.", {.default_text = "none"})},
        .file_kind = "model",
        .defaults = default_of<NetworkSpec>};
    return described;
}

NetworkSpec read_model(Document document, std::span<const Setting> settings, const Opener& open) {
    std::vector<Override> overrides;
    for (const Setting& setting : settings) {
        const std::string path = setting.path.empty() ? fmt::format("--set {}", setting.name) : setting.path;
        const auto* repeated = found_in(overrides, &Override::name, setting.name);
        if (repeated != nullptr) {
            fail(setting.where, fmt::format("{}: given twice", path));
        }
        overrides.push_back({setting.name, path, {setting.value, false, setting.where}, setting.where});
    }
    return read(std::move(document), overrides, open, 0);
}

}  // namespace dodona::files
