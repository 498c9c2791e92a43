#include "calibrate/cuda/ranks.hpp"

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"

namespace dodona::calibrate::cuda {

namespace {

std::string name_of(int device) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "asking for a device's properties");
    return properties.name;
}

void expect_equal_devices(int count) {
    int devices = 0;
    check(cudaGetDeviceCount(&devices), "counting devices");
    if (count < 2 || count > devices) {
        throw CannotMeasure(fmt::format("{} ranks need as many GPUs, at least 2; this host has {}", count, devices));
    }
    for (int device = 1; device < count; ++device) {
        if (name_of(device) != name_of(0)) {
            throw CannotMeasure(fmt::format("ranks would run on unequal GPUs: {} and {}; choose equal ones", name_of(0),
                                            name_of(device)));
        }
    }
}

}  // namespace

void check(ncclResult_t answer, std::string_view doing) {
    if (answer != ncclSuccess) {
        throw CannotMeasure(fmt::format("{}: NCCL says {}", doing, ncclGetErrorString(answer)));
    }
}

Ranks::Ranks(int count) : flags_(128_B) {
    expect_equal_devices(count);
    std::vector<ncclComm_t> communicators(static_cast<std::size_t>(count));
    check(ncclCommInitAll(communicators.data(), count, nullptr), "starting NCCL");
    ranks_.resize(communicators.size());
    each([&](int rank) {
        Rank& one = ranks_[static_cast<std::size_t>(rank)];
        one.device = rank;
        one.communicator = communicators[static_cast<std::size_t>(rank)];
        one.stream = std::make_unique<Stream>();
        one.begin = std::make_unique<Event>();
        one.end = std::make_unique<Event>();
    });
}

Ranks::~Ranks() {
    for (const Rank& rank : ranks_) {
        (void)ncclCommDestroy(rank.communicator);
    }
}

Ranks& Ranks::of(Bench& bench, int count) {
    if (!bench.ranks || bench.ranks->count() != count) {
        bench.ranks.reset();
        bench.ranks = std::make_shared<Ranks>(count);
    }
    return *bench.ranks;
}

void Ranks::each(const std::function<void(int rank)>& f) const {
    for (int rank = 0; rank < count(); ++rank) {
        check(cudaSetDevice(rank), "choosing a device");
        f(rank);
    }
    check(cudaSetDevice(0), "choosing a device");
}

void Ranks::enqueue(const std::function<void()>& work, cudaStream_t after) const {
    work();
    const Rank& first = ranks_.front();
    first.end->record(*first.stream);
    check(cudaStreamWaitEvent(after, first.end->get(), 0), "waiting for a collective");
}

Seconds Ranks::time(const std::function<void()>& work) const {
    auto* const released = static_cast<volatile std::int32_t*>(flags_.get());
    auto* const late = static_cast<std::int32_t*>(flags_.get()) + 16;
    *released = 0;
    each([&](int rank) {
        hold_queue(released, late, kLongestHold, (*this)[rank].stream->get());
        (*this)[rank].begin->record(*(*this)[rank].stream);
    });
    try {
        work();
    } catch (...) {
        *released = 1;
        throw;
    }
    each([&](int rank) { (*this)[rank].end->record(*(*this)[rank].stream); });
    *released = 1;
    Seconds longest;
    each([&](int rank) {
        (*this)[rank].end->wait();
        longest = max(longest, between(*(*this)[rank].begin, *(*this)[rank].end));
    });
    return longest;
}

}  // namespace dodona::calibrate::cuda
