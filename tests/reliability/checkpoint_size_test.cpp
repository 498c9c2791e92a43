// Sizes of checkpoints, against files that were published and by hand.
#include "reliability/checkpoint_size.hpp"

#include <gtest/gtest.h>

namespace dodona::reliability::testing {
namespace checkpoint_size_test {

/// So many numbers in so many tensors, as far as sizes go: the first has what the others leave.
std::vector<StoredTensor> in_tensors(std::int64_t numbers, std::int64_t tensors) {
    std::vector<StoredTensor> all(static_cast<std::size_t>(tensors), {"t", {1}, 4_B});
    all.front().extents = {numbers - tensors + 1};
    return all;
}

double size(CheckpointFormat format, std::int64_t numbers, std::int64_t tensors) {
    return checkpoint_bytes(format, in_tensors(numbers, tensors)).in(1_B);
}

TEST(CheckpointSize, IsThatOfPublishedFiles) {
    // wushidonguc/distributed_ffn: 638,433 numbers, .data 2,553,784 bytes.
    EXPECT_EQ(size(CheckpointFormat::tensorflow, 638'433, 50), 2'553'784);
    // Keras: the first is what the overhead of a tensor was fitted to, the second is not.
    EXPECT_NEAR(size(CheckpointFormat::hdf5, 25'636'712, 320), 102'967'424, 200);
    EXPECT_NEAR(size(CheckpointFormat::hdf5, 138'357'544, 32), 553'467'096, 6'000);
    // torchvision's ResNet-50: fitted.
    EXPECT_NEAR(size(CheckpointFormat::pytorch, 25'610'152, 267), 102'530'333, 200);
}

TEST(CheckpointSize, IsThatOfTheListOfKeras) {
    // https://keras.io/api/applications: whole MB of 2^20 bytes. 932 tensors: 155 convolutions with biases, 155 norms of
    // four tensors, one dense layer.
    EXPECT_NEAR(size(CheckpointFormat::hdf5, 138'357'544, 32) / 0x1p20, 528, 0.5);
    EXPECT_NEAR(size(CheckpointFormat::hdf5, 25'636'712, 320) / 0x1p20, 98, 0.5);
    EXPECT_NEAR(size(CheckpointFormat::hdf5, 60'419'944, 932) / 0x1p20, 232, 0.5);
}

TEST(CheckpointSize, IsThatOfTheTensorsAloneInRawFiles) {
    const std::vector<StoredTensor> tensors{{"a", {3, 4}, 4_B}, {"b", {5}, 2_B}};
    EXPECT_EQ(checkpoint_bytes(CheckpointFormat::raw, tensors).in(1_B), 58);
    EXPECT_EQ(tensor_bytes(tensors).in(1_B), 58);
}

TEST(CheckpointSize, CountsTheHeaderOfSafetensors) {
    // {"a":{"dtype":"F32","shape":[3,4],"data_offsets":[0,48]}} is 57 characters: 64 with padding, 8 and 48 more.
    const std::vector<StoredTensor> tensors{{"a", {3, 4}, 4_B}};
    EXPECT_EQ(checkpoint_bytes(CheckpointFormat::safetensors, tensors).in(1_B), 8 + 64 + 48);
    EXPECT_EQ(checkpoint_bytes(CheckpointFormat::safetensors, {}).in(1_B), 8 + 8);
}

TEST(CheckpointSize, CountsTheHeadersOfZipAndNumPy) {
    // One array: 30 + 5 + 20 in front, 128 of NumPy, 48 of data, 46 + 5 in the directory, 22 at the end.
    const std::vector<StoredTensor> one{{"a", {3, 4}, 4_B}};
    EXPECT_EQ(npy_header({3, 4}, "<f4").size(), 128U);
    EXPECT_EQ(checkpoint_bytes(CheckpointFormat::npz, one).in(1_B), 55 + 128 + 48 + 51 + 22);
    // Half of it when deflated to half: data and NumPy's header alike.
    EXPECT_EQ(checkpoint_bytes(CheckpointFormat::npz_compressed, one, 0.5).in(1_B), 55 + 88 + 51 + 22);
    // More than 2^31 - 1 bytes: sizes again in the directory, and a directory in 64 bits.
    const std::vector<StoredTensor> large{{"a", {0x20000000}, 4_B}};
    EXPECT_EQ(checkpoint_bytes(CheckpointFormat::npz, large).in(1_B), 55 + 128 + 0x1p31 + 51 + 20 + 76 + 22);
}

/// Two tensors of 1,000 numbers, deflated to 0.92: 2 x (0.92 x 4,000 + 1,314).
TEST(CheckpointSize, OfHdf5WithAFilterIsSmaller) {
    const std::vector<StoredTensor> two(2, {"a", {1000}, 4_B});
    EXPECT_EQ(checkpoint_bytes(CheckpointFormat::hdf5, two, 0.92).in(1_B), 2 * (3680 + 1314));
    EXPECT_TRUE(may_compress(CheckpointFormat::hdf5));
    EXPECT_FALSE(may_compress(CheckpointFormat::safetensors));
}

TEST(CheckpointSize, WritesTheHeaderOfNumPy) {
    const std::string header = npy_header({256}, "<f4");
    EXPECT_EQ(header.substr(0, 6), "\x93NUMPY");
    EXPECT_EQ(header.substr(10, 57), "{'descr': '<f4', 'fortran_order': False, 'shape': (256,),");
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_EQ(header.back(), '\n');
    EXPECT_EQ(static_cast<unsigned char>(header[8]) + 10U, header.size());
}

}  // namespace checkpoint_size_test
}  // namespace dodona::reliability::testing
