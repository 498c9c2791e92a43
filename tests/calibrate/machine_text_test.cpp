// Every built-in machine, written and read again, is itself.
#include <cstdlib>

#include <gtest/gtest.h>

#include "calibrate/machine/machine_text.hpp"
#include "files/library.hpp"

namespace dodona::calibrate {
namespace machine_text_test {

files::Library library() { return files::Library(std::getenv("DODONA_SOURCE")); }

cluster::Cluster again(const std::string& text) {
    return files::read_cluster(files::parse_document(text, "written.yaml"), library().machine_openers());
}

TEST(MachineText, EveryBuiltInMachineIsReadAgainAsItWasWritten) {
    for (const std::string& name : library().clusters()) {
        SCOPED_TRACE(name);
        const cluster::Cluster cluster = library().cluster(name);
        const std::string text = machine_text(cluster, {});
        const cluster::Cluster read = again(text);
        EXPECT_EQ(machine_text(read, {}), text);
        EXPECT_EQ(read.devices(), cluster.devices());
        EXPECT_EQ(read.node_level, cluster.node_level);
        EXPECT_EQ(read.levels.size(), cluster.levels.size());
        EXPECT_EQ(read.algorithms, cluster.algorithms);
        EXPECT_EQ(read.device.profile.fits.size(), cluster.device.profile.fits.size());
        EXPECT_EQ(read.device.matrix.size(), cluster.device.matrix.size());
    }
}

TEST(MachineText, InterferenceIsKept) {
    cluster::Cluster cluster = library().cluster("workstation");
    cluster.interference = cluster::Interference{.lost = 0.125, .source = "measured"};
    const cluster::Cluster read = again(machine_text(cluster, {}));
    ASSERT_TRUE(read.interference.has_value());
    EXPECT_EQ(read.interference->lost, 0.125);
    EXPECT_EQ(read.interference->source, "measured");
}

TEST(MachineText, MeasuredCurvesOfEveryKindAreKept) {
    cluster::Cluster cluster = library().cluster("workstation");
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
    EXPECT_EQ(again(machine_text(cluster, {"a note"})).device.curves, cluster.device.curves);
}

}  // namespace machine_text_test
}  // namespace dodona::calibrate
