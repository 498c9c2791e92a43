#include "calibrate/cpu/tensor_factory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <string>

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

namespace {

// Prime, so that copies of it side by side don't fall into step with rows of a tensor.
constexpr std::size_t kPool = 262'139;
constexpr Bytes kCheckedFrom = 16_MiB;
constexpr double kUsable = 0.9;

constexpr std::size_t kLine = 64;
constexpr std::size_t kPage = 4096;

/// The value of "MemAvailable:" in /proc/meminfo; zero where there is none.
double memory_of_system() {
    std::ifstream file("/proc/meminfo");
    std::string name;
    double kibibytes = 0;
    while (file >> name >> kibibytes) {
        if (name == "MemAvailable:") {
            return kibibytes * 1024;
        }
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

/// What the control group (version 2) leaves; infinite where it sets no limit.
double memory_of_group() {
    std::ifstream most_file("/sys/fs/cgroup/memory.max");
    std::ifstream used_file("/sys/fs/cgroup/memory.current");
    double most = 0;
    double used = 0;
    if (most_file >> most && used_file >> used) {
        return std::max(most - used, 0.0);
    }
    return std::numeric_limits<double>::infinity();
}

void check_room(Bytes wanted) {
    if (wanted < kCheckedFrom) {
        return;
    }
    const Bytes at_hand = available_memory();
    if (at_hand > Bytes{} && wanted > kUsable * at_hand) {
        throw CannotMeasure(fmt::format("needs {:.1f} GB more memory where {:.1f} GB are free; ask for a smaller one",
                                        wanted.in(1_GB), at_hand.in(1_GB)));
    }
}

std::shared_ptr<void> allocate(std::size_t bytes) {
    check_room(Bytes::of_base(static_cast<double>(bytes)));
    const std::size_t alignment = bytes >= kPage ? kPage : kLine;
    const std::size_t whole = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, whole);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return {memory, [](void* freed) { std::free(freed); }};
}

/// `pool` over and over.
template <typename T>
void repeat(const std::vector<T>& pool, T* to, std::size_t count) {
    for (std::size_t done = 0; done < count; done += pool.size()) {
        std::memcpy(to + done, pool.data(), std::min(pool.size(), count - done) * sizeof(T));
    }
}

std::shared_ptr<float> floats(std::int64_t count) {
    const std::shared_ptr<void> memory = allocate(static_cast<std::size_t>(count) * sizeof(float));
    return {memory, static_cast<float*>(memory.get())};
}

}  // namespace

Bytes available_memory() { return Bytes::of_base(std::min(memory_of_system(), memory_of_group())); }

TensorFactory::TensorFactory(std::uint64_t seed) : seed_(seed), pool_(kPool), narrow_(kPool) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    std::generate(pool_.begin(), pool_.end(), [&] { return normal(random); });
    std::transform(pool_.begin(), pool_.end(), narrow_.begin(), [](float wide) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &wide, sizeof bits);
        return static_cast<std::uint16_t>(bits >> 16U);  // bf16 is the upper half of fp32
    });
}

void TensorFactory::expect(std::int64_t floats) {
    check_room(static_cast<double>(floats) * Bytes::of_base(sizeof(float)));
}

Floats TensorFactory::random(std::int64_t count) const {
    Floats made = floats(count);
    repeat(pool_, made.get(), static_cast<std::size_t>(count));
    return made;
}

std::shared_ptr<void> TensorFactory::random(Precision precision, std::size_t bytes) const {
    if (precision != Precision::fp32 && precision != Precision::bf16) {
        throw CannotMeasure(
            fmt::format("{} is no precision of this CPU back end; it knows fp32 and bf16", name(precision)));
    }
    const std::shared_ptr<void> made = allocate(bytes + sizeof(float));
    if (precision == Precision::bf16) {
        repeat(narrow_, static_cast<std::uint16_t*>(made.get()), bytes / sizeof(std::uint16_t));
    } else {
        repeat(pool_, static_cast<float*>(made.get()), bytes / sizeof(float));
    }
    return made;
}

Floats TensorFactory::zeros(std::int64_t count) const {
    Floats made = floats(count);
    std::fill_n(made.get(), count, 0.0F);
    return made;
}

Indices TensorFactory::indices(std::int64_t count, std::int64_t below) const {
    const std::shared_ptr<void> memory = allocate(static_cast<std::size_t>(count) * sizeof(std::int64_t));
    Indices made{memory, static_cast<std::int64_t*>(memory.get())};
    std::mt19937_64 random(seed_ + 1);
    std::uniform_int_distribution<std::int64_t> any(0, below - 1);
    std::generate_n(made.get(), count, [&] { return any(random); });
    return made;
}

}  // namespace dodona::calibrate::cpu
