#include "files/blocks.hpp"

#include <algorithm>
#include <utility>

#include "base/ranges.hpp"
#include "files/heading.hpp"
#include "graph/operators.hpp"

namespace dodona::files {

namespace {

using graph::AttributeValue;
using graph::Entry;

/// From the key to the end of the value, where both are on one line.
Location whole_place(const Fields::Member& member) {
    Location where = member.where;
    const Location& value = member.value.where();
    if (value.source == where.source && value.line == where.line && value.column > where.column) {
        where.length = value.column + value.length - where.column;
    }
    return where;
}

/// How the matrices of a layer or block are kept; absent: in full.
graph::WeightStorage read_storage(const Value& value, const Scope& scope) {
    if (!value) {
        return graph::WeightStorage::full;
    }
    const AttributeValue* parameter = scope.find(value.node().text);
    const auto* word = parameter == nullptr ? &value.node().text : std::get_if<std::string>(&parameter->value);
    const auto storage = word == nullptr ? std::nullopt : value_of<graph::WeightStorage>(*word);
    if (!storage) {
        const std::vector<std::string> known = value_names<graph::WeightStorage>();
        value.error(fmt::format("\"{}\" is not one of {}{}", value.node().text, join(known),
                                did_you_mean(value.node().text, known)));
    }
    return storage.value_or(graph::WeightStorage::full);
}

bool is_small(const AttributeValue& value) {
    const auto* whole = std::get_if<std::int64_t>(&value.value);
    return whole == nullptr || (*whole <= kMaxExtent && *whole >= -kMaxExtent);
}

}  // namespace

AttributeValue read_attribute(const std::string& key, const Value& value, const Scope& scope) {
    if (value.is_list()) {
        const auto numbers = mapped<std::int64_t>(
            value.list(), [&](const Value& item) { return scope.whole(item, -kMaxExtent, kMaxExtent); });
        return {numbers, value.where()};
    }
    if (!value.is_scalar()) {
        value.error("expected a number, a name, true, false or a list of whole numbers");
        return {std::int64_t{1}, value.where()};
    }
    const Written text = written(value);
    if (key == "tied") {
        // A layer's path: it may be called like a parameter that is a number, and have `/` in it.
        const AttributeValue* parameter = scope.find(text.text);
        const bool is_word = parameter != nullptr && std::holds_alternative<std::string>(parameter->value);
        return is_word ? AttributeValue{parameter->value, text.where} : AttributeValue{text.text, text.where};
    }
    try {
        AttributeValue read = scope.value(text);
        if (!is_small(read)) {
            value.error(fmt::format("{} must be at most {}", std::get<std::int64_t>(read.value), kMaxExtent));
        }
        return read;
    } catch (const InputError& error) {
        absorb(value.faults(), error, value.path());
        return {std::int64_t{1}, value.where()};
    }
}

Expansion::Expansion(const Value& blocks, const Scope& scope) : scope_(scope) {
    Fields fields(blocks);
    for (const Fields::Member& member : fields.rest()) {
        Fields body(member.value);
        Block block{.where = member.where, .body = member.value};
        block.parameters = body.find("parameters");
        block.layers = body.require("layers", "a block holds a list of layers");
        body.finish();
        blocks_.emplace(member.key, std::move(block));
        block_names_.push_back(member.key);
    }
}

std::vector<Entry> Expansion::entries(const Value& layers, const std::vector<std::string>& inputs) {
    return list(layers, scope_, inputs);
}

void Expansion::report_unused() const {
    for (const std::string& name : block_names_) {
        const Block& block = blocks_.at(name);
        if (!block.used) {
            block.body.faults().error(block.where, fmt::format("blocks.{}: no layer calls for this block", name),
                                      fmt::format("use it with `block: {}`, or remove it", name));
        }
    }
}

std::vector<Entry> Expansion::list(const Value& layers, const Scope& scope, const std::vector<std::string>& inputs) {
    const std::vector<Value> values = layers.list();
    if (layers.is_list() && values.empty()) {
        layers.error("no layers");
    }
    Siblings siblings{.scope = &scope, .inputs = inputs};
    for (std::size_t i = 0; i < values.size(); ++i) {
        siblings.names.emplace_back();
        if (values[i].is_mapping()) {
            const Value name = Fields(values[i]).find("name");
            siblings.names.back() = name.is_scalar() ? name.node().text : std::string{};
            siblings.positions.emplace(siblings.names.back(), i);
        }
    }
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < values.size(); ++i) {
        siblings.at = i;
        entries.push_back(entry(values[i], siblings));
    }
    return entries;
}

Entry Expansion::entry(const Value& value, const Siblings& siblings) {
    if (++count_ > kMaxEntries) {
        fail(value.where(), fmt::format("more than {} layers after blocks are put in", kMaxEntries),
             "write layers that repeat as a block with `repeat:`");
    }
    Entry entry;
    entry.where = value.where();
    Fields fields(value);
    if (!fields.mapping()) {
        return entry;
    }
    const Value name = fields.require("name", "every entry has a name that others take from");
    if (name) {
        entry.name = read_name(name);
        entry.where = name.where();
        check_name(name, siblings);
    }
    const Value op = fields.find("op");
    const Value block = fields.find("block");
    entry.frozen = siblings.scope->flag(fields.find("frozen"));
    entry.storage = read_storage(fields.find("stored"), *siblings.scope);
    entry.from = read_from(fields.find("from"), siblings);
    if (const Value weights = fields.find("weights")) {
        entry.weights_of = "/" + weights.text();
    }
    if (op && block) {
        block.error("an entry is a layer with `op:` or a block with `block:`, not both");
    } else if (block) {
        entry.block = block.text();
        if (entry.from.size() > 1 && std::count(entry.from.begin() + 1, entry.from.end(), "input") > 0) {
            block.error(fmt::format("a block calls \"{}\", which it reads first, \"input\"", entry.from.front()),
                        "what it reads behind that keeps its name inside: it cannot be called \"input\"");
        }
        read_block(fields, *siblings.scope, entry);
    } else if (op) {
        entry.op = op.text();
        const std::vector<std::string>& known = graph::operator_names();
        if (!entry.op.empty() && graph::find_operator(entry.op) == nullptr) {
            op.error(fmt::format("unknown operator \"{}\"{}", entry.op, did_you_mean(entry.op, known)),
                     fmt::format("operators: {}", join(known)));
        }
        read_layer(fields, *siblings.scope, entry);
    } else {
        value.error("neither `op:` nor `block:`",
                    "a layer: {name: fc, op: linear, out: 10}; a block: {name: stage1, block: bottleneck, repeat: 3}");
    }
    if (!block) {
        fields.rest();
        fields.finish();
    }
    return entry;
}

void Expansion::check_name(const Value& name, const Siblings& siblings) const {
    const std::string& text = name.node().text;
    if (text.empty()) {
        return;
    }
    const std::size_t first = siblings.positions.at(text);
    if (text == "input" || std::find(siblings.inputs.begin(), siblings.inputs.end(), text) != siblings.inputs.end()) {
        name.error(fmt::format("\"{}\" is the name of an input", text), "give the layer another name");
    } else if (first != siblings.at) {
        name.error(fmt::format("\"{}\" is also the name of entry {} of this list", text, first + 1),
                   "names are unique within a list of layers");
    }
}

std::vector<std::string> Expansion::read_from(const Value& from, const Siblings& siblings) const {
    if (!from) {
        return {};
    }
    if (from.is_list() && from.node().items.empty()) {
        from.error("names nothing", "leave `from` out to take the entry before");
    }
    const auto is_before = [&](const std::string& name) {
        const auto entry = siblings.positions.find(name);
        return (entry != siblings.positions.end() && entry->second < siblings.at) || contains(siblings.inputs, name);
    };
    std::vector<std::string> names;
    for (const Value& value : from.is_list() ? from.list() : std::vector<Value>{from}) {
        const std::string name = value.text();
        names.push_back(name);
        if (name.empty() || is_before(name)) {
            continue;
        }
        const auto later = siblings.positions.find(name);
        if (name == siblings.names[siblings.at]) {
            value.error(fmt::format("\"{}\" takes itself as its input", name), "a layer takes from entries before it");
        } else if (later != siblings.positions.end()) {
            value.error(fmt::format("\"{}\" comes later in this list: a cycle", name),
                        "a layer takes from entries before it; move it down, or the other up");
        } else {
            std::vector<std::string> candidates = siblings.inputs;
            candidates.insert(candidates.end(), siblings.names.begin(),
                              siblings.names.begin() + static_cast<std::ptrdiff_t>(siblings.at));
            value.error(fmt::format("no entry \"{}\" before this one{}", name, did_you_mean(name, candidates)),
                        fmt::format("{}: {}", siblings.at == 0 ? "inputs" : "inputs and entries before this one",
                                    join_some(candidates)));
        }
    }
    return names;
}

void Expansion::read_layer(Fields& fields, const Scope& scope, Entry& entry) {
    entry.role = fields.find("role").text();
    static_cast<void>(fields.find("source").text());
    static_cast<void>(fields.find("note").text());
    for (const Fields::Member& member : fields.rest()) {
        AttributeValue value = read_attribute(member.key, member.value, scope);
        value.where = whole_place(member);
        entry.attributes.emplace(member.key, std::move(value));
    }
}

void Expansion::read_block(Fields& fields, const Scope& scope, Entry& entry) {
    const Value repeat = fields.find("repeat");
    if (repeat) {
        entry.repeat = scope.whole(repeat, 1, kMaxRepeats);
    }
    const Value with = fields.find("with");
    const Value called = fields.find("block");
    fields.finish();
    const auto found = blocks_.find(entry.block);
    if (found == blocks_.end()) {
        called.error(fmt::format("unknown block \"{}\"{}", entry.block, did_you_mean(entry.block, block_names_)),
                     block_names_.empty() ? "define it under `blocks:`"
                                          : fmt::format("blocks of this file: {}", join_some(block_names_)));
        return;
    }
    found->second.used = true;
    if (std::find(open_.begin(), open_.end(), entry.block) != open_.end()) {
        called.error(fmt::format("a block that contains itself: {} > {}", join(open_, " > "), entry.block),
                     "blocks may hold other blocks, but not one that holds them");
        return;
    }
    if (open_.size() >= kDeepestBlocks) {
        called.error(fmt::format("blocks nested more than {} deep", kDeepestBlocks));
        return;
    }
    open_.push_back(entry.block);
    put_in(found->second, with, scope, entry);
    open_.pop_back();
}

void Expansion::put_in(Block& block, const Value& with, const Scope& caller, Entry& entry) {
    const Scope scope = block_scope(block, with, caller);
    std::vector<std::string> inputs{"input"};  // the first of what it reads; the others keep their names
    for (std::size_t i = 1; i < entry.from.size(); ++i) {
        inputs.push_back(entry.from[i]);
    }
    entry.children = list(block.layers, scope, inputs);
}

Scope Expansion::block_scope(const Block& block, const Value& with, const Scope& caller) const {
    std::map<std::string, AttributeValue> given;
    std::vector<Fields::Member> overrides = Fields(with).rest();
    std::vector<Fields::Member> defaults = Fields(block.parameters).rest();
    auto names = mapped<std::string>(defaults, &Fields::Member::key);
    for (const Fields::Member& member : overrides) {
        if (std::find(names.begin(), names.end(), member.key) == names.end()) {
            with.faults().error(
                member.where,
                fmt::format("{}: the block has no such parameter{}", member.value.path(),
                            did_you_mean(member.key, names)),
                names.empty() ? "it has no parameters" : fmt::format("its parameters: {}", join_some(names)));
            continue;
        }
        given.emplace(member.key, read_attribute(member.key, member.value, caller));
    }
    Scope scope = scope_;
    for (const Fields::Member& member : defaults) {
        const auto override_value = given.find(member.key);
        if (!is_identifier(member.key)) {
            block.body.faults().error(member.where, fmt::format("{}: not a name for a parameter", member.value.path()),
                                      "parameters have letters, digits and `_`");
        } else if (override_value != given.end()) {
            scope.set(member.key, override_value->second);
        } else {
            scope.set(member.key, read_attribute(member.key, member.value, scope));
        }
    }
    return scope;
}

}  // namespace dodona::files
