// Devices whose files say no more than a data sheet.
#include "cluster/device.hpp"
#include "files/machine_file.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace device_file_test {

constexpr const char* kDataSheet =
    "device: card\nsource: its data sheet\nmemory: 24 GiB\nmemory_bandwidth: 1 TB/s\nmultiprocessors: 100\n"
    "matrix: {fp16: 100 TFLOP/s}\nvector: 50 TFLOP/s\n";

cluster::Device card(const std::string& more) {
    return read_device(parse_document(kDataSheet + more, "card.yaml"), {});
}

TEST(DeviceFile, OfFiveNumbersOfADataSheetIsEnough) {
    const cluster::Device device = card("");
    const cluster::DeviceDefaults defaults;
    EXPECT_EQ(device.launch, defaults.launch);
    EXPECT_EQ(device.context, defaults.context);
    EXPECT_EQ(device.tiles, defaults.tiles);
    EXPECT_EQ(device.family, "");
}

TEST(DeviceFile, SaysMoreThanTheDefaults) {
    const cluster::Device device = card("family: Maker One\ntiles: [[64, 32]]\nlaunch: 0 s\ncontext: 0 B\n");
    EXPECT_EQ(device.launch, Seconds{});
    EXPECT_EQ(device.context, Bytes{});
    EXPECT_EQ(device.tiles, (std::vector<cluster::Tile>{{64, 32}}));
    EXPECT_EQ(device.family, "Maker One");
}

TEST(DeviceFile, HasNoProductsThatNoClockMakes) {
    EXPECT_EQ(card("achieved: {fp16: 9 TFLOP/s}\n").product_rate(Precision::fp16), 9_TFLOP_per_s);
    EXPECT_EQ(card("achieved: {fp16: 150 TFLOP/s}\n").product_rate(Precision::fp16), 150_TFLOP_per_s) << "boost";
    cluster::Device both = card("achieved: {fp16: 50 TFLOP/s}\n");
    both.matrix[Precision::fp32] = 20_TFLOP_per_s;
    EXPECT_EQ(both.product_rate(Precision::fp32), 20_TFLOP_per_s) << "outside matrix units";
    for (const char* wrong : {"achieved: {fp16: 151 TFLOP/s}\n", "achieved: {bf16: 9 TFLOP/s}\n"}) {
        EXPECT_THROW(card(wrong), InputError) << wrong;
    }
}

}  // namespace device_file_test
}  // namespace dodona::files::testing
