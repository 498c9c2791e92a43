#include "graph/operators/adapters.hpp"

#include <string_view>
#include <utility>

namespace dodona::graph {

namespace {

constexpr std::string_view kMatrix = "linear";
constexpr std::string_view kSum = "add";
constexpr std::string_view kRow = "row";          // split by input features
constexpr std::string_view kAdapter = "adapter";  // the second factor beside such a layer

Entry factor(const Entry& layer, const std::string& ending, std::int64_t out) {
    Entry entry{.name = layer.name + ending, .where = layer.where, .adapter = true, .op = std::string(kMatrix)};
    entry.attributes.emplace("out", AttributeValue{out, layer.where});
    entry.attributes.emplace("bias", AttributeValue{false, layer.where});
    return entry;
}

void take(const Entry& from, const std::string& key, Entry& entry) {
    const auto found = from.attributes.find(key);
    if (found != from.attributes.end()) {
        entry.attributes.emplace(key, found->second);
    }
}

}  // namespace

std::string base_name(const std::string& layer) { return layer + "_base"; }

bool takes_adapter(const Entry& entry) {
    const auto out = entry.attributes.find("out");
    return entry.op == kMatrix && !entry.attributes.contains("tied") && entry.from.size() <= 1 &&
           out != entry.attributes.end() && std::holds_alternative<std::int64_t>(out->second.value);
}

std::vector<Entry> with_adapter(const Entry& layer, const std::string& input, std::int64_t rank) {
    const bool row = layer.role == kRow;
    Entry base = layer;
    base.name = base_name(layer.name);
    base.from = {input};
    Entry a = factor(layer, "_a", rank);
    a.role = layer.role;
    a.from = {input};
    Entry b = factor(layer, "_b", std::get<std::int64_t>(layer.attributes.at("out").value));
    b.role = row ? std::string(kAdapter) : layer.role;
    b.from = {a.name};
    if (row) {
        take(layer, "in_unit", a);
    } else {
        a.attributes.emplace("replicates", AttributeValue{true, layer.where});
        take(layer, "unit", b);
        take(layer, "replicates", b);
    }
    Entry sum{.name = layer.name, .where = layer.where, .adapter = true, .op = std::string(kSum)};
    sum.role = row ? std::string{} : layer.role;
    sum.from = {base.name, b.name};
    return {std::move(base), std::move(a), std::move(b), std::move(sum)};
}

}  // namespace dodona::graph
