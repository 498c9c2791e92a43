#include "traces/chakra_timeline.hpp"

#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "files/protobuf_message.hpp"

namespace dodona::traces {

namespace {

/// Of one message; nodes with thousands of dependencies have some tens of kilobytes.
constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kLargestMicros = std::uint64_t{1} << 53;

enum NodeType : std::uint64_t { kCompute = 4, kSend = 5, kReceive = 6, kCollective = 7 };

/// By the numbers of CollectiveCommType.
constexpr std::array kCollectives{
    DeviceWork::all_reduce,       DeviceWork::other_collective, DeviceWork::all_gather, DeviceWork::other_collective,
    DeviceWork::other_collective, DeviceWork::other_collective, DeviceWork::all_to_all, DeviceWork::reduce_scatter,
    DeviceWork::reduce_scatter,   DeviceWork::other_collective,
};

struct ChakraNode {
    std::string_view name;
    std::uint64_t type = 0;
    std::uint64_t start = 0;     ///< us
    std::uint64_t duration = 0;  ///< us
    bool on_host = false;
    std::uint64_t collective = 0;
};

/// An attribute's name and its value, 0 where that is none of the integers.
struct ChakraAttribute {
    std::string_view name;
    std::uint64_t value = 0;
};

std::optional<ChakraAttribute> attribute_of(std::string_view bytes) {
    files::ProtobufMessage message(bytes);
    ChakraAttribute attribute;
    while (const auto field = message.next()) {
        if (field->number == 1) {
            attribute.name = field->bytes;
        } else if (field->number > 2 && field->bytes.empty()) {
            attribute.value = field->integer;
        }
    }
    return message.broken() ? std::nullopt : std::optional(attribute);
}

bool take_attribute(ChakraNode& node, std::string_view bytes) {
    const auto attribute = attribute_of(bytes);
    if (!attribute) {
        return false;
    }
    if (attribute->name == "is_cpu_op") {
        node.on_host = attribute->value != 0;
    } else if (attribute->name == "comm_type") {
        node.collective = attribute->value;
    }
    return true;
}

std::optional<ChakraNode> node_of(std::string_view bytes) {
    files::ProtobufMessage message(bytes);
    ChakraNode node;
    while (const auto field = message.next()) {
        switch (field->number) {
            case 2: node.name = field->bytes; break;
            case 3: node.type = field->integer; break;
            case 6: node.start = field->integer; break;
            case 7: node.duration = field->integer; break;
            case 10:
                if (!take_attribute(node, field->bytes)) {
                    return std::nullopt;
                }
                break;
            default: break;
        }
    }
    const bool sane = node.start < kLargestMicros && node.duration < kLargestMicros;
    return message.broken() || !sane ? std::nullopt : std::optional(node);
}

/// Names of kernels have signs that those of layers and passes lack.
bool looks_like_kernel(std::string_view name) {
    return name.find("::") != std::string_view::npos || name.find("kernel") != std::string_view::npos ||
           name.find("triton_") != std::string_view::npos;
}

DeviceWork work_of(const ChakraNode& node) {
    if (node.type == kSend || node.type == kReceive) {
        return DeviceWork::send;
    }
    if (node.type == kCollective) {
        return node.collective < kCollectives.size() ? kCollectives[node.collective] : DeviceWork::other_collective;
    }
    if (node.name.starts_with("Memcpy") || node.name.starts_with("Memset")) {
        return work_of_copy(node.name);
    }
    const DeviceWork work = work_of_kernel(node.name, {});
    return work == DeviceWork::passes && !looks_like_kernel(node.name) ? DeviceWork::unnamed : work;
}

class ChakraReader {
public:
    ChakraReader(ByteStream& bytes, DeviceTimeline& timeline) : bytes_(bytes), timeline_(timeline) {}

    void read() {
        bool is_node = false;  // the first message is about the whole
        while (bytes_.stream().peek() != std::char_traits<char>::eof()) {
            const std::string message = next_message();
            if (is_node) {
                take(message);
            }
            is_node = true;
        }
        bytes_.check();
        if (timeline_.runs.empty()) {
            fail(timeline_.whole, "no node of the trace has a duration on the device",
                 "traces of the execution alone have none: link them with a trace of the profiler (chakra_trace_link)");
        }
    }

private:
    [[noreturn]] void broken() const {
        fail(timeline_.whole, fmt::format("no Chakra trace from byte {} on", at_), "is the file incomplete?");
    }

    int next_byte() {
        const int byte = bytes_.stream().get();
        ++at_;
        return byte == std::char_traits<char>::eof() ? -1 : byte;
    }

    std::string next_message() {
        std::uint64_t length = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const int byte = next_byte();
            if (byte < 0) {
                broken();
            }
            length |= (static_cast<std::uint64_t>(byte) & 0x7fU) << shift;
            if (byte < 0x80) {
                break;
            }
        }
        if (length > kMaxMessageBytes) {
            broken();
        }
        std::string message(length, '\0');
        bytes_.stream().read(message.data(), static_cast<std::streamsize>(length));
        if (static_cast<std::uint64_t>(bytes_.stream().gcount()) != length) {
            broken();
        }
        at_ += length;
        return message;
    }

    void take(const std::string& message) {
        const auto node = node_of(message);
        if (!node) {
            broken();
        }
        first_ = first_.value_or(node->start);
        const Seconds from = (static_cast<double>(node->start) - static_cast<double>(*first_)) * 1_us;
        const Seconds to = from + static_cast<double>(node->duration) * 1_us;
        const bool runs = node->type >= kCompute && node->type <= kCollective;
        if (node->name.starts_with("ProfilerStep")) {
            timeline_.marks.push_back({from, to});
        } else if (runs && !node->on_host && node->duration > 0) {
            timeline_.add({from, to, 0, timeline_.names.number_of(node->name), work_of(*node)});
        }
    }

    ByteStream& bytes_;
    DeviceTimeline& timeline_;
    std::uint64_t at_ = 0;
    std::optional<std::uint64_t> first_;  ///< us: what times count from
};

}  // namespace

bool is_chakra(std::string_view start) {
    files::ProtobufMessage file(start);
    const auto length = file.varint();
    if (!length || *length < 3 || *length > start.size() - file.at()) {
        return false;
    }
    files::ProtobufMessage metadata(start.substr(file.at(), *length));
    const auto version = metadata.next();
    const bool is_version = version && version->number == 1 && !version->bytes.empty() &&
                            std::isdigit(static_cast<unsigned char>(version->bytes.front())) != 0 &&
                            version->bytes.find('.') != std::string_view::npos;
    while (metadata.next()) {
    }
    return is_version && !metadata.broken();
}

DeviceTimeline read_chakra_timeline(ByteStream& bytes) {
    DeviceTimeline timeline;
    timeline.whole = bytes.whole();
    timeline.collectives_wait = false;
    ChakraReader(bytes, timeline).read();
    return timeline;
}

}  // namespace dodona::traces
