// Checkpoints become files and come back bit by bit; sizes are those of reliability/checkpoint_size.hpp; damage is seen.
#include "calibrate/storage/checkpoint_file.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reliability/checkpoint_size.hpp"

namespace dodona::calibrate {
namespace checkpoint_file_test {

using cluster::CheckpointFormat;

constexpr std::array kFormats{CheckpointFormat::raw, CheckpointFormat::safetensors, CheckpointFormat::npz,
                              CheckpointFormat::npz_compressed};

/// Infinities, negative zero and subnormal numbers among them; an array without extents and an empty one.
std::vector<Array> arrays() {
    using Limits = std::numeric_limits<float>;
    return {{"layers.0/weight", {2, 3}, {1, -2, 0.5F, -0.0F, Limits::infinity(), Limits::denorm_min()}},
            {"bias", {3}, {Limits::max(), Limits::lowest(), 1e-30F}},
            {"empty", {0, 7}, {}},
            {"step", {}, {42}}};
}

TEST(CheckpointFile, ComesBackAsItWas) {
    for (const CheckpointFormat format : kFormats) {
        EXPECT_EQ(decoded(format, encoded(format, arrays()), arrays()), arrays()) << name(format);
        EXPECT_EQ(decoded(format, encoded(format, {}), {}), std::vector<Array>{}) << name(format);
    }
}

RC_GTEST_PROP(CheckpointFile, ComesBackAsItWasWhateverTheNumbers, ()) {
    std::vector<Array> some;
    const auto count = *rc::gen::inRange(0, 8);
    for (int i = 0; i < count; ++i) {
        const auto numbers = *rc::gen::container<std::vector<float>>(rc::gen::arbitrary<float>());
        some.push_back({"a" + std::to_string(i), {static_cast<std::int64_t>(numbers.size())}, numbers});
    }
    for (const CheckpointFormat format : kFormats) {
        RC_ASSERT(decoded(format, encoded(format, some), some) == some);
    }
}

TEST(CheckpointFile, IsAsLargeAsPredicted) {
    std::vector<reliability::StoredTensor> tensors;
    for (const Array& array : arrays()) {
        tensors.push_back({array.name, array.extents, Bytes::of_base(4)});
    }
    for (const CheckpointFormat format :
         {CheckpointFormat::raw, CheckpointFormat::safetensors, CheckpointFormat::npz}) {
        EXPECT_EQ(static_cast<double>(encoded(format, arrays()).size()),
                  reliability::checkpoint_bytes(format, tensors).in(unit::byte))
            << name(format);
    }
}

TEST(CheckpointFile, IsDeflatedWhereItCompresses) {
    const std::vector<Array> zeros{{"zeros", {100'000}, std::vector<float>(100'000)}};
    EXPECT_GT(encoded(CheckpointFormat::npz, zeros).size(), 400'000U);
    EXPECT_LT(encoded(CheckpointFormat::npz_compressed, zeros).size(), 2'000U);
    EXPECT_EQ(decoded(CheckpointFormat::npz_compressed, encoded(CheckpointFormat::npz_compressed, zeros)), zeros);
}

TEST(CheckpointFile, OfSafetensorsIsAHeaderAndNumbers) {
    const std::string file = encoded(CheckpointFormat::safetensors, std::vector<Array>{{"a", {2}, {1, 2}}});
    const std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    EXPECT_EQ(file.substr(8, header.size()), header);
    EXPECT_EQ(static_cast<unsigned char>(file[0]), (header.size() + 7) / 8 * 8);
    EXPECT_EQ(file.substr(file.size() - 8), std::string("\0\0\x80\x3f\0\0\0\x40", 8));
}

TEST(CheckpointFile, CutOffAnywhereIsDamaged) {
    for (const CheckpointFormat format : kFormats) {
        const std::string file = encoded(format, arrays());
        for (std::size_t size = 0; size < file.size(); ++size) {
            EXPECT_THROW(decoded(format, std::string_view(file).substr(0, size), arrays()), DamagedCheckpoint)
                << name(format) << " " << size;
        }
        EXPECT_THROW(decoded(format, file + "x", arrays()), DamagedCheckpoint) << name(format);
    }
}

TEST(CheckpointFile, WithAnyByteChangedIsNotTakenForTheSame) {
    for (const CheckpointFormat format : kFormats) {
        const std::string file = encoded(format, arrays());
        std::size_t unseen = 0;
        for (std::size_t at = 0; at < file.size(); ++at) {
            std::string damaged = file;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
            try {
                unseen += decoded(format, damaged, arrays()) == arrays() ? 1 : 0;
            } catch (const DamagedCheckpoint&) {
            }
        }
        // Bytes that readers do not need: dates, versions, attributes and second copies of zip's headers.
        const bool is_zip = format == CheckpointFormat::npz || format == CheckpointFormat::npz_compressed;
        EXPECT_LE(unseen, is_zip ? arrays().size() * 120 : 0U) << name(format);
    }
}

TEST(CheckpointFile, WhoseNumbersChangedHasAnotherChecksum) {
    std::string file = encoded(CheckpointFormat::npz, arrays());
    const std::size_t at = file.find("layers.0/weight.npy") + std::string("layers.0/weight.npy").size() + 20 + 128 + 5;
    file[at] = static_cast<char>(file[at] ^ 1);
    try {
        decoded(CheckpointFormat::npz, file);
        FAIL();
    } catch (const DamagedCheckpoint& damage) {
        EXPECT_STREQ(damage.what(), "the checksum of layers.0/weight.npy does not fit");
    }
}

TEST(CheckpointFile, SaysWhatItCannotRead) {
    const auto message = [](CheckpointFormat format, std::string_view file) {
        try {
            decoded(format, file);
        } catch (const DamagedCheckpoint& damage) {
            return std::string(damage.what());
        }
        return std::string();
    };
    const auto safetensors = [](std::string header) {
        std::string file(8, '\0');
        file[0] = static_cast<char>(header.size());
        return file + header;
    };
    EXPECT_EQ(message(CheckpointFormat::npz, std::string(100, 'x')),
              "the file is no zip archive, or its end is cut off");
    EXPECT_EQ(message(CheckpointFormat::safetensors, safetensors("[1]")), "the header is no list of arrays in JSON");
    EXPECT_EQ(message(CheckpointFormat::safetensors,
                      safetensors(R"({"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}})") + "1234"),
              "a is not of fp32 numbers");
    EXPECT_EQ(message(CheckpointFormat::safetensors,
                      safetensors(R"({"a":{"dtype":"F32","shape":[9],"data_offsets":[0,4]}})") + "1234"),
              "a has 4 bytes for 9 numbers");
    EXPECT_EQ(message(CheckpointFormat::safetensors,
                      safetensors(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})") + "1234"),
              "a lies outside of the file");
}

}  // namespace checkpoint_file_test
}  // namespace dodona::calibrate
