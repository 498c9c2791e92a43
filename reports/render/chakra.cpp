#include "reports/render/chakra.hpp"

#include <cmath>
#include <string_view>
#include <utility>

#include "base/ranges.hpp"
#include "reports/render/json.hpp"
#include "reports/render/protobuf.hpp"

namespace dodona::reports {

namespace {

// Field numbers of et_def.proto
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMetadataAttribute = 2;
constexpr std::uint32_t kId = 1;
constexpr std::uint32_t kName = 2;
constexpr std::uint32_t kType = 3;
constexpr std::uint32_t kControlDependencies = 4;
constexpr std::uint32_t kDataDependencies = 5;
constexpr std::uint32_t kStart = 6;
constexpr std::uint32_t kDuration = 7;
constexpr std::uint32_t kAttribute = 10;
constexpr std::uint32_t kAttributeName = 1;
constexpr std::uint32_t kInt32 = 7;
constexpr std::uint32_t kInt64 = 9;
constexpr std::uint32_t kBool = 27;
constexpr std::uint32_t kString = 29;

/// Version of the schema that Chakra's own writers give.
constexpr std::string_view kSchemaVersion = "0.0.4";

enum class NodeType : std::uint8_t { compute = 4, send = 5, receive = 6, collective = 7 };
enum class CollectiveType : std::uint8_t { all_reduce = 0, all_gather = 2, all_to_all = 6, reduce_scatter = 7 };

struct NodeKind {
    NodeType type = NodeType::compute;
    CollectiveType collective = CollectiveType::all_reduce;
};

NodeKind kind_of(TraceNodeKind kind) {
    switch (kind) {
        case TraceNodeKind::compute: return {NodeType::compute, {}};
        case TraceNodeKind::send: return {NodeType::send, {}};
        case TraceNodeKind::receive: return {NodeType::receive, {}};
        case TraceNodeKind::all_reduce: return {NodeType::collective, CollectiveType::all_reduce};
        case TraceNodeKind::all_gather: return {NodeType::collective, CollectiveType::all_gather};
        case TraceNodeKind::reduce_scatter: return {NodeType::collective, CollectiveType::reduce_scatter};
        case TraceNodeKind::all_to_all: return {NodeType::collective, CollectiveType::all_to_all};
    }
    return {};
}

std::uint64_t micros(Seconds time) { return static_cast<std::uint64_t>(std::llround(time.in(1_us))); }

void add_attribute(ProtobufMessage& message, std::uint32_t field, std::string_view name, std::uint32_t type,
                   std::uint64_t value) {
    ProtobufMessage attribute;
    attribute.add_bytes(kAttributeName, name);
    attribute.add_integer(type, value, true);
    message.add_message(field, attribute);
}

void add_text_attribute(ProtobufMessage& message, std::uint32_t field, std::string_view name, std::string_view value) {
    ProtobufMessage attribute;
    attribute.add_bytes(kAttributeName, name);
    attribute.add_bytes(kString, value);
    message.add_message(field, attribute);
}

void add_communication(ProtobufMessage& message, const TraceNode& node, std::int64_t rank) {
    const NodeKind kind = kind_of(node.kind);
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    if (kind.type == NodeType::collective) {
        add_attribute(message, kAttribute, "comm_type", kInt64, static_cast<std::uint64_t>(kind.collective));
        add_text_attribute(message, kAttribute, "pg_name", std::to_string(node.group));
    } else {
        const bool sends = kind.type == NodeType::send;
        add_attribute(message, kAttribute, "comm_src", kInt32, number(sends ? rank : node.peer));
        add_attribute(message, kAttribute, "comm_dst", kInt32, number(sends ? node.peer : rank));
        add_attribute(message, kAttribute, "comm_tag", kInt32, number(node.tag));
    }
    add_attribute(message, kAttribute, "comm_size", kInt64, number(std::llround(node.size.in(unit::byte))));
}

ProtobufMessage message_of(const TraceNode& node, std::int64_t rank) {
    const NodeKind kind = kind_of(node.kind);
    ProtobufMessage message;
    message.add_integer(kId, node.id);
    message.add_bytes(kName, node.name);
    message.add_integer(kType, static_cast<std::uint64_t>(kind.type));
    message.add_packed(kControlDependencies, node.order);
    message.add_packed(kDataDependencies, node.data);
    message.add_integer(kStart, micros(node.start));
    message.add_integer(kDuration, micros(node.start + node.duration) - micros(node.start));
    add_attribute(message, kAttribute, "is_cpu_op", kBool, 0);
    if (kind.type != NodeType::compute) {
        add_communication(message, node, rank);
    }
    return message;
}

}  // namespace

std::string chakra_trace(std::int64_t rank, const std::vector<TraceNode>& nodes,
                         const std::vector<std::pair<std::string, std::string>>& about) {
    ProtobufMessage metadata;
    metadata.add_bytes(kVersion, kSchemaVersion);
    for (const auto& [name, value] : about) {
        add_text_attribute(metadata, kMetadataAttribute, name, value);
    }
    return metadata.delimited() +
           concatenated(nodes, [&](const TraceNode& node) { return message_of(node, rank).delimited(); });
}

std::string chakra_groups(const std::vector<TraceGroup>& groups) {
    Record::Fields all;
    for (const TraceGroup& group : groups) {
        all.push_back({std::to_string(group.number), Record(group.ranks)});
    }
    return json_line(Record(std::move(all))) + "\n";
}

}  // namespace dodona::reports
