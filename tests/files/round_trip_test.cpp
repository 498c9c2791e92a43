// What is written reads back as the same object: every file that comes with Dodona, and names that YAML could mistake.
#include <functional>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "files/exchange_file.hpp"
#include "files/memory_profile_file.hpp"
#include "files/profile_file.hpp"
#include "files/read_description.hpp"
#include "files/yaml_writer.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace round_trip_test {

namespace fs = std::filesystem;

fs::path root() { return here().parent_path().parent_path(); }

Library shipped() { return Library(root()); }

template <class T>
T read_again(const std::string& text) {
    return read_file<T>(parse_document(text, "written.yaml"));
}

template <class T>
void expect_same_again(const T& object) {
    const std::string text = to_yaml(object);
    const T again = read_again<T>(text);
    EXPECT_TRUE(same(description<T>(), &object, &again)) << text;
    EXPECT_EQ(to_yaml(again), text);
}

template <class T>
void expect_all_same(const std::vector<std::string>& names, const std::function<T(const std::string&)>& open) {
    EXPECT_FALSE(names.empty());
    for (const std::string& name : names) {
        SCOPED_TRACE(name);
        expect_same_again(open(name));
    }
}

TEST(RoundTrip, OfEveryDevice) {
    expect_all_same<cluster::Device>(shipped().devices(), [](const auto& name) { return shipped().device(name); });
}

TEST(RoundTrip, OfEveryProfile) {
    expect_all_same<cluster::Profile>(shipped().profiles(), [](const auto& name) {
        return read_profile(load_document(root() / "hardware/profiles" / (name + ".yaml"), name, command_line()));
    });
}

TEST(RoundTrip, OfEveryLink) {
    expect_all_same<cluster::Link>(shipped().links(), [](const auto& name) { return shipped().link(name); });
}

TEST(RoundTrip, OfEveryCluster) {
    expect_all_same<cluster::Cluster>(shipped().clusters(), [](const auto& name) { return shipped().cluster(name); });
}

TEST(RoundTrip, OfEveryStrategy) {
    expect_all_same<plan::Strategy>(shipped().strategies(), [](const auto& name) { return shipped().strategy(name); });
}

TEST(RoundTrip, OfEveryFramework) {
    expect_all_same<plan::Framework>(shipped().frameworks(),
                                     [](const auto& name) { return shipped().framework(name); });
}

TEST(RoundTrip, OfEveryExchange) {
    expect_all_same<exchange::Exchange>(shipped().exchanges(),
                                        [](const auto& name) { return shipped().exchange(name); });
}

TEST(RoundTrip, OfEveryMemoryProfile) {
    expect_all_same<plan::MemoryProfile>(shipped().memory_profiles(),
                                         [](const auto& name) { return shipped().memory_profile(name); });
}

/// Everything that a cluster can have, which no cluster that comes with Dodona has at once.
cluster::Cluster with_everything() {
    cluster::Cluster cluster = shipped().cluster("dgx-a100");
    cluster::KernelCurve product{.kind = graph::KernelKind::convolution, .precision = Precision::fp32, .points = {}};
    product.direction = graph::Direction::backward_input;
    product.points = {
        {.m = 12.25, .n = 64, .k = 576.5, .batch = 2, .bytes = 4096_B, .flops = Flop::of_base(1e9), .time = 12.5_us}};
    product.held_out_error = 0.07;
    product.provenance = {.source = "a \"quoted\" source", .date = "2026-11-20", .conditions = "cold"};
    cluster::KernelCurve pass{
        .kind = graph::KernelKind::stream, .precision = Precision::fp32, .exact = true, .points = {}};
    pass.points = {{.bytes = 1048576_B, .flops = Flop::of_base(262144), .time = 80_us}};
    cluster.device.curves = {product, pass};
    cluster.device.sustained = 0.75;
    cluster.device.achieved = {{Precision::fp16, 90_TFLOP_per_s}};
    cluster::Device other = cluster.device;
    other.name = "other";
    const std::int64_t node = cluster.node_size();
    cluster.mixed = {{.first = node, .ranks = node, .device = other}};
    cluster.algorithms = {cluster::Algorithm::ring, cluster::Algorithm::in_network};
    cluster.staging = cluster::Staging{.latency = 3000_us, .bandwidth = 16_GB_per_s};
    cluster.staging->applies_to = {cluster::Collective::send, cluster::Collective::halo};
    cluster.storage = cluster::Storage{.bandwidth = 2_GB_per_s,
                                       .prefetch = false,
                                       .write = 1_GB_per_s,
                                       .system_read = 30_GB_per_s,
                                       .system_write = 20_GB_per_s,
                                       .checkpoints = {{.format = cluster::CheckpointFormat::npz_compressed,
                                                        .encode = 0.03_GB_per_s,
                                                        .decode = 0.2_GB_per_s,
                                                        .ratio = 0.93}},
                                       .source = "a guess"};
    cluster.host = cluster::Host{.memory = 2000_GB, .bandwidth = 64_GB_per_s, .source = "a data sheet"};
    cluster.tiers = {{.name = "host", .memory = 2000_GB, .bandwidth = 200_GB_per_s, .pools = true, .source = "a guess"},
                     {.name = "ssd", .memory = 8000_GB, .bandwidth = 6_GB_per_s}};
    cluster.interference = cluster::Interference{.lost = 0.125, .source = "measured"};
    cluster.parameter_servers = {.place = cluster::ParameterServers::Place::nodes, .count = 3};
    cluster.measured_samples = {{.model = "resnet50", .forward_backward = 3100_us, .update = 0_s, .source = "a paper"}};
    cluster.contention = 2.5;
    cluster.memory_reserve = 0.04;
    cluster.curves = {{.collective = cluster::Collective::all_reduce, .ranks = 16, .ranks_per_node = 8}};
    cluster.curves.front().points = {{.size = 1_MiB, .time = 30_us}, {.size = 2_MiB, .time = 50_us}};
    return cluster;
}

TEST(RoundTrip, OfAClusterWithEverything) { expect_same_again(with_everything()); }

TEST(RoundTrip, DigitsCommentsAndNoteAreWritten) {
    cluster::Link link{.name = "made-up", .source = "a test", .bandwidth = BytesPerSecond::of_base(1e11 / 3)};
    const std::string text =
        to_yaml(link, {.digits = 4, .comments = {"written by a test"}, .note = "a note: with # and \"quotes\""});
    EXPECT_EQ(text,
              "# written by a test\n"
              "link: made-up\n"
              "source: \"a test\"\n"
              "note: \"a note: with # and \\\"quotes\\\"\"\n"
              "bandwidth: 33.33 GB/s\n");
    EXPECT_EQ(read_again<cluster::Link>(text).bandwidth, 33.33 * 1_GB_per_s);
}

void expect_text_kept(const std::string& text) {
    cluster::Device device = with_everything().device;
    device.name = text;
    device.source = text;
    device.profile.source = text;
    device.curves.front().provenance.conditions = text;
    expect_same_again(device);
    plan::Framework framework = shipped().framework("megatron-2024");
    framework.summary = text;
    framework.fitted_to = {text, "another"};
    framework.fitted_level = plan::ShardLevel::gradients;
    framework.fitted_expert_nodes = 4;
    framework.schedules = {plan::ScheduleKind::one_forward_one_backward};
    expect_same_again(framework);
    plan::Strategy strategy = shipped().strategy("megatron");
    strategy.source = text;
    strategy.rules.front().match.names = {text};
    expect_same_again(strategy);
}

TEST(RoundTrip, OfNamesThatYamlCouldMistake) {
    for (const char* text : {"[x]",
                             "{x}",
                             "a: b",
                             "a:",
                             "x # y",
                             "#x",
                             "\"",
                             "'",
                             "it's",
                             "a\"b'c",
                             "\\",
                             "\\n",
                             "null",
                             "~",
                             "true",
                             "No",
                             "1e3",
                             "0x10",
                             "007",
                             "1_000",
                             ".5",
                             "-",
                             "- x",
                             "?",
                             "? x",
                             "&x",
                             "*x",
                             "!x",
                             "|",
                             ">",
                             "%x",
                             "@x",
                             "`x`",
                             "x, y",
                             " x",
                             "x ",
                             "a\tb",
                             "a\nb",
                             "a\n\nb\n",
                             "a\r\nb",
                             "\x01",
                             "\x7f",
                             "=",
                             "<<",
                             "2026-11-01",
                             "12:30:00",
                             "\xC3\xA9",
                             "\xE6\xBC\xA2\xE5\xAD\x97",
                             "\xC2\x85",
                             "\xE2\x80\xA8",
                             "\xF0\x9F\x99\x82",
                             "---",
                             "..."}) {
        SCOPED_TRACE(text);
        expect_text_kept(text);
    }
}

RC_GTEST_PROP(RoundTrip, OfAnyText, ()) {
    const std::string alphabet = "ab1 -:#[]{},&*!|>'\"%@`\\\n\t\x01?=~.";
    const auto text = *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(alphabet)));
    RC_PRE(text.find_first_not_of(" \t\n") != std::string::npos);
    cluster::Profile profile{.name = text, .source = text};
    profile.fits.push_back(
        {.kind = graph::KernelKind::stream, .start = 2_us, .memory = 0.8, .bytes = {1e6, 1e9}, .rows = 7});
    profile.fits.front().error = {.median = 0.1, .p90 = 0.2, .low = 0.5, .high = 2};
    profile.fits.front().provenance.source = text;
    const auto again = read_again<cluster::Profile>(to_yaml(profile));
    RC_ASSERT(same(description<cluster::Profile>(), &profile, &again));
}

}  // namespace round_trip_test
}  // namespace dodona::files::testing
