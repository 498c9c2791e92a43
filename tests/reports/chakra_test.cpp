// Execution traces, read back by a reader of their own and played without Dodona's simulator: every rank runs the nodes of
// its file as soon as what they depend on has ended, a receive ends its duration after the send of its pair, a collective
// when all members have come to it.
#include "reports/render/chakra.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "files/library.hpp"
#include "play/step_communication.hpp"
#include "reports/collect/execution_trace.hpp"
#include "schedule/schedule.hpp"

namespace dodona::reports::testing {
namespace chakra_test {

// A reader of Protocol Buffers: field number -> values, integers or bytes.

struct Value {
    std::uint64_t integer = 0;
    std::string bytes;
};
using Fields = std::multimap<std::uint32_t, Value>;

class Reader {
public:
    explicit Reader(const std::string& text) : text_(text) {}
    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(text_.at(at_++));
            value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            if (byte < 0x80) {
                return value;
            }
        }
        throw std::runtime_error("a varint is too long");
    }
    std::string delimited() {
        const std::uint64_t length = varint();
        if (length > text_.size() - at_) {
            throw std::runtime_error("a message is cut off");
        }
        at_ += length;
        return text_.substr(at_ - length, length);
    }
    Fields fields() {
        Fields found;
        while (!at_end()) {
            const std::uint64_t key = varint();
            const auto number = static_cast<std::uint32_t>(key >> 3);
            if ((key & 7U) == 0) {
                found.emplace(number, Value{varint(), {}});
            } else if ((key & 7U) == 2) {
                found.emplace(number, Value{0, delimited()});
            } else {
                throw std::runtime_error("a wire type that no field here has");
            }
        }
        return found;
    }

private:
    const std::string& text_;
    std::size_t at_ = 0;
};

std::uint64_t integer(const Fields& fields, std::uint32_t number) {
    const auto found = fields.find(number);
    return found == fields.end() ? 0 : found->second.integer;
}
std::string text(const Fields& fields, std::uint32_t number) {
    const auto found = fields.find(number);
    return found == fields.end() ? "" : found->second.bytes;
}

enum : std::uint64_t { kCompute = 4, kSend = 5, kReceive = 6, kCollective = 7 };  // NodeType

struct Node {
    std::uint64_t id = 0;
    std::string name;
    std::uint64_t type = 0;
    std::set<std::uint64_t> after;
    double duration = 0;  ///< in microseconds
    std::map<std::string, std::int64_t> numbers;
    std::string group;
};

Node node_of(const std::string& message) {
    const Fields fields = Reader(message).fields();
    Node node{.id = integer(fields, 1), .name = text(fields, 2), .type = integer(fields, 3)};
    node.duration = static_cast<double>(integer(fields, 7));
    for (const std::uint32_t dependencies : {4U, 5U}) {
        const std::string packed = text(fields, dependencies);
        Reader reader(packed);
        while (!reader.at_end()) {
            EXPECT_TRUE(node.after.insert(reader.varint()).second) << "a dependency twice in " << node.name;
        }
    }
    const auto [first, last] = fields.equal_range(10);
    for (auto attribute = first; attribute != last; ++attribute) {
        const Fields value = Reader(attribute->second.bytes).fields();
        EXPECT_EQ(value.size(), 2U) << "a name and one value";
        const std::string name = text(value, 1);
        // The type that ASTRA-sim's readers take for each attribute.
        const std::map<std::string, std::uint32_t> types{{"is_cpu_op", 27}, {"comm_type", 9}, {"comm_size", 9},
                                                         {"comm_src", 7},   {"comm_dst", 7},  {"comm_tag", 7},
                                                         {"pg_name", 29}};
        EXPECT_TRUE(types.contains(name)) << name;
        EXPECT_EQ(value.count(types.at(name)), 1U) << name;
        if (name == "pg_name") {
            node.group = text(value, 29);
        } else {
            node.numbers[name] = static_cast<std::int64_t>(integer(value, types.at(name)));
        }
    }
    return node;
}

std::vector<Node> nodes_of(const std::string& file) {
    Reader reader(file);
    const std::string metadata = reader.delimited();
    EXPECT_EQ(text(Reader(metadata).fields(), 1), "0.0.4");
    std::vector<Node> nodes;
    while (!reader.at_end()) {
        nodes.push_back(node_of(reader.delimited()));
    }
    return nodes;
}

struct Traces {
    std::vector<std::vector<Node>> ranks;
    std::map<std::string, std::vector<std::int64_t>> groups;
    double played = 0;  ///< by Dodona, in microseconds
};

struct Scene {
    std::string name;
    std::string model;
    std::string machine = "selene";
    std::string strategy;
    std::vector<plan::MeshAxis> mesh;
    std::int64_t batch = 1;
    std::int64_t microbatch = 1;
    std::int64_t virtual_stages = 1;
    std::string order{};
    plan::RecomputeKind recompute = plan::RecomputeKind::none;
    plan::Overlap overlap{};
    std::set<std::uint64_t> collectives{};  ///< CollectiveCommType that it has
    bool same_time = true;                  ///< nothing is hidden, so it takes as long as Dodona says
};

Traces traces_of(const Scene& scene) {
    const files::Library library(std::getenv("DODONA_SOURCE"));
    plan::Plan plan;
    plan.strategy = library.strategy(scene.strategy);
    plan.shard = plan.strategy.shard.value_or(plan::ShardLevel::none);
    plan.mesh = scene.mesh;
    plan.fold_axes();
    plan.batch = scene.batch;
    plan.microbatch = scene.microbatch;
    plan.virtual_stages = scene.virtual_stages;
    plan.schedule =
        scene.virtual_stages > 1 ? plan::ScheduleKind::interleaved : plan::ScheduleKind::one_forward_one_backward;
    plan.recompute = scene.recompute;
    plan.overlap = scene.overlap;
    const graph::Graph graph = graph::build(library.model(scene.model));
    const cluster::Cluster cluster = library.cluster(scene.machine);
    const auto order =
        scene.order.empty() ? std::nullopt : std::optional(play::other_order(*schedule::find_schedule(scene.order)));
    const play::SimulatedStep step = play::simulate_step(graph, cluster, plan, order);
    const ExecutionTrace trace(step, play::step_communication(graph, cluster, plan));
    Traces traces;
    for (std::int64_t rank = 0; rank < trace.ranks(); ++rank) {
        traces.ranks.push_back(nodes_of(chakra_trace(rank, trace.of_rank(rank), {{"model", scene.model}})));
    }
    traces.groups = nlohmann::json::parse(chakra_groups(trace.groups(trace.ranks()))).get<decltype(traces.groups)>();
    traces.played = step.timeline.makespan.in(1_us);
    return traces;
}

/// Plays traces. Fails where nodes are left that can never run.
class Replay {
public:
    explicit Replay(const Traces& traces) : traces_(traces) {}

    double time() {
        bool goes_on = true;
        while (goes_on) {
            goes_on = false;
            for (std::size_t rank = 0; rank < traces_.ranks.size(); ++rank) {
                goes_on = advance(rank) || goes_on;
            }
        }
        for (std::size_t rank = 0; rank < traces_.ranks.size(); ++rank) {
            for (const Node& node : traces_.ranks[rank]) {
                EXPECT_TRUE(ends_.contains({rank, node.id})) << "rank " << rank << " never runs " << node.name;
            }
        }
        EXPECT_TRUE(sent_.empty()) << "a send without its receive";
        return last_;
    }

private:
    struct Meeting {
        std::map<std::size_t, std::pair<std::uint64_t, double>> came;  ///< rank -> node, when it was ready
        std::int64_t type = 0;
        std::int64_t size = 0;
    };

    /// Whether any node of the rank has ended or come to its collective.
    bool advance(std::size_t rank) {
        bool moved = false;
        const auto& nodes = traces_.ranks[rank];
        for (std::size_t i = first_[rank]; i < nodes.size(); ++i) {
            moved = (!ends_.contains({rank, nodes[i].id}) && run(rank, nodes[i])) || moved;
        }
        while (first_[rank] < nodes.size() && ends_.contains({rank, nodes[first_[rank]].id})) {
            ++first_[rank];
        }
        return moved;
    }

    bool run(std::size_t rank, const Node& node) {
        double ready = 0;
        for (const std::uint64_t id : node.after) {
            const auto end = ends_.find({rank, id});
            if (end == ends_.end()) {
                return false;
            }
            ready = std::max(ready, end->second);
        }
        if (node.type == kCollective) {
            return meet(rank, node, ready);
        }
        if (node.type == kSend) {
            EXPECT_EQ(node.numbers.at("comm_src"), static_cast<std::int64_t>(rank));
            EXPECT_TRUE(sent_.emplace(channel(node), ready).second) << "two messages with one tag";
        } else if (node.type == kReceive) {
            EXPECT_EQ(node.numbers.at("comm_dst"), static_cast<std::int64_t>(rank));
            const auto message = sent_.find(channel(node));
            if (message == sent_.end()) {
                return false;
            }
            ready = std::max(ready, message->second);
            sent_.erase(message);
        }
        end(rank, node.id, ready + node.duration);
        return true;
    }

    static std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> channel(const Node& node) {
        return {node.numbers.at("comm_src"), node.numbers.at("comm_dst"), node.numbers.at("comm_tag"),
                node.numbers.at("comm_size")};
    }

    bool meet(std::size_t rank, const Node& node, double ready) {
        if (!calls_.contains({rank, node.id})) {
            const auto number = next_call_[{rank, node.group}]++;
            calls_[{rank, node.id}] = number;
            Meeting& meeting = meetings_[{node.group, number}];
            if (meeting.came.empty()) {
                meeting.type = node.numbers.at("comm_type");
                meeting.size = node.numbers.at("comm_size");
            }
            EXPECT_EQ(meeting.type, node.numbers.at("comm_type")) << node.name;
            EXPECT_EQ(meeting.size, node.numbers.at("comm_size")) << node.name;
            meeting.came[rank] = {node.id, ready};
            const auto& members = traces_.groups.at(node.group);
            EXPECT_EQ(std::count(members.begin(), members.end(), static_cast<std::int64_t>(rank)), 1);
            if (meeting.came.size() == members.size()) {
                double start = 0;
                for (const auto& [member, call] : meeting.came) {
                    start = std::max(start, call.second);
                }
                for (const auto& [member, call] : meeting.came) {
                    end(member, call.first, start + node.duration);
                }
            }
            return true;
        }
        return false;
    }

    void end(std::size_t rank, std::uint64_t id, double time) {
        ends_[{rank, id}] = time;
        last_ = std::max(last_, time);
    }

    const Traces& traces_;
    std::map<std::pair<std::size_t, std::uint64_t>, double> ends_;
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, double> sent_;
    std::map<std::pair<std::size_t, std::string>, int> next_call_;
    std::map<std::pair<std::size_t, std::uint64_t>, int> calls_;
    std::map<std::pair<std::string, int>, Meeting> meetings_;
    std::map<std::size_t, std::size_t> first_;
    double last_ = 0;
};

enum : std::uint64_t { kAllReduce = 0, kAllGather = 2, kAllToAll = 6, kReduceScatter = 7 };  // CollectiveCommType

const std::vector<Scene>& scenes() {
    static const std::vector<Scene> all{
        {.name = "Data",
         .model = "resnet18",
         .strategy = "data",
         .mesh = {{"data", 8}},
         .batch = 64,
         .microbatch = 8,
         .collectives = {kAllReduce}},
        {.name = "TensorPipelineData",
         .model = "gpt-2",
         .strategy = "megatron-sequence",
         .mesh = {{"tensor", 2}, {"pipeline", 2}, {"data", 2}},
         .batch = 8,
         .recompute = plan::RecomputeKind::full,
         .collectives = {kAllReduce, kAllGather, kReduceScatter}},
        {.name = "Interleaved",
         .model = "gpt-2",
         .strategy = "megatron",
         .mesh = {{"tensor", 2}, {"pipeline", 2}},
         .batch = 4,
         .virtual_stages = 3,
         .collectives = {kAllReduce, kAllGather}},
        {.name = "TransfersBesideCompute",
         .model = "gpt-2",
         .strategy = "pipeline",
         .mesh = {{"pipeline", 4}},
         .batch = 8,
         .virtual_stages = 3,
         .overlap = {.pipeline = true},
         .collectives = {kAllReduce}},
        {.name = "ZeroBubble",
         .model = "gpt-2",
         .strategy = "pipeline",
         .mesh = {{"pipeline", 4}},
         .batch = 8,
         .order = "zb-h1",
         .collectives = {kAllReduce}},
        {.name = "Zero3",
         .model = "gpt-2",
         .strategy = "zero3",
         .mesh = {{"data", 4}},
         .batch = 8,
         .collectives = {kAllGather, kReduceScatter}},
        {.name = "Zero3Hidden",
         .model = "gpt-2",
         .strategy = "zero3",
         .mesh = {{"data", 4}},
         .batch = 8,
         .overlap = {.gradients = true, .parameters = true},
         .collectives = {kAllGather, kReduceScatter},
         .same_time = false},
        {.name = "Zero1Hidden",
         .model = "gpt-2",
         .strategy = "zero1",
         .mesh = {{"data", 4}},
         .batch = 8,
         .overlap = {.gradients = true, .parameters = true},
         .collectives = {kAllGather, kReduceScatter},
         .same_time = false},
        {.name = "Experts",
         .model = "mixtral-8x7b",
         .strategy = "expert",
         .mesh = {{"data", 8}, {"expert", 4}},
         .batch = 8,
         .collectives = {kAllToAll, kAllReduce}},
        {.name = "Halo",
         .model = "resnet18",
         .strategy = "spatial",
         .mesh = {{"spatial", 4}},
         .batch = 2,
         .collectives = {kAllReduce, kAllGather}},
        {.name = "RingAttention",
         .model = "gpt-2",
         .strategy = "context-ring",
         .mesh = {{"context", 4}},
         .batch = 1,
         .collectives = {kAllReduce, kAllGather},
         .same_time = false},
    };
    return all;
}

class Chakra : public ::testing::TestWithParam<Scene> {};

TEST_P(Chakra, RunsToItsEndInTheTimeOfTheStep) {
    const Traces traces = traces_of(GetParam());
    std::set<std::uint64_t> collectives;
    std::size_t most = 0;
    for (const auto& nodes : traces.ranks) {
        std::set<std::uint64_t> before;
        for (const Node& node : nodes) {
            EXPECT_GE(node.type, kCompute);
            EXPECT_LE(node.type, kCollective);
            EXPECT_EQ(node.numbers.at("is_cpu_op"), 0);
            for (const std::uint64_t id : node.after) {
                EXPECT_TRUE(before.contains(id)) << node.name << " depends on what comes later";
            }
            EXPECT_TRUE(before.insert(node.id).second) << "an identifier twice";
            if (node.type == kCollective) {
                collectives.insert(static_cast<std::uint64_t>(node.numbers.at("comm_type")));
                EXPECT_GT(node.numbers.at("comm_size"), 0) << node.name;
            }
        }
        most = std::max(most, nodes.size());
    }
    EXPECT_EQ(collectives, GetParam().collectives);
    const double time = Replay(traces).time();
    // Each node's duration is rounded to a microsecond.
    const double rounding = 0.5 * static_cast<double>(most);
    if (GetParam().same_time) {
        EXPECT_NEAR(time, traces.played, rounding);
    } else {
        EXPECT_LE(time, 1.5 * traces.played);
        EXPECT_GE(time, 0.5 * traces.played);
    }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Chakra, ::testing::ValuesIn(scenes()),
                         [](const auto& test) { return test.param.name; });

/// Of GPT-2's 124.4 million weights the embeddings, 39.4 million, are in the first segment; the blocks are equal.
TEST(ChakraFile, HasTheExchangeOfTheFirstSegmentAsLargeAsThatIs) {
    const auto found = std::find_if(scenes().begin(), scenes().end(),
                                    [](const Scene& scene) { return scene.name == std::string("Zero1Hidden"); });
    std::int64_t sum = 0;
    std::int64_t largest = 0;
    const Traces traces = traces_of(*found);
    for (const Node& node : traces.ranks.front()) {
        if (node.type == kCollective && node.numbers.at("comm_type") == kReduceScatter) {
            const std::int64_t size = node.numbers.at("comm_size");
            sum += size;
            largest = std::max(largest, size);
        }
    }
    ASSERT_GT(sum, 0);
    EXPECT_NEAR(static_cast<double>(largest) / static_cast<double>(sum), 39.4 / 124.4, 0.01);
}

TEST(ChakraFile, IsTheBytesOfTheSchema) {
    // By hand: length 7, version (1, bytes) "0.0.4"; then length 27: id 1, name "x", type 4, start 2, duration 3, and the
    // attribute is_cpu_op = false, which is there although false is the default.
    const TraceNode node{.id = 1, .name = "x", .start = 2_us, .duration = 3_us};
    const std::string expected(
        "\x07\x0a\x05"
        "0.0.4"
        "\x1b\x08\x01\x12\x01x\x18\x04\x30\x02\x38\x03\x52\x0e\x0a\x09is_cpu_op\xd8\x01\x00",
        36);
    EXPECT_EQ(chakra_trace(0, {node}, {}), expected);
}

}  // namespace chakra_test
}  // namespace dodona::reports::testing
