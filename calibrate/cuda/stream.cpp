// Benchmarks stream and copy.
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"
#include "calibrate/cuda/movement.hpp"

namespace dodona::calibrate::cuda {

namespace {

constexpr float kFactor = 3.0F;

/// Every value of a tensor against f of the two others at the same place.
template <typename F>
double streamed_error(const BenchmarkContext& context, const Tensor& a, const Tensor& b, const Tensor& result, F f) {
    const auto first = numbers_of(context, a);
    const auto second = numbers_of(context, b);
    const auto measured = numbers_of(context, result);
    std::vector<double> expected;
    expected.reserve(measured.size());
    for (std::size_t i = 0; i < measured.size(); ++i) {
        expected.push_back(f(static_cast<double>(first[i]), static_cast<double>(second[i])));
    }
    return deviation(measured, expected);
}

/// Arrays that a pattern touches: all bytes of the case are spread over them.
int arrays_of(const std::string& pattern) {
    if (pattern == "read" || pattern == "write") {
        return 1;
    }
    if (pattern == "copy") {
        return 2;
    }
    if (pattern == "triad") {
        return 3;
    }
    throw CannotMeasure(fmt::format("{} is no pattern of a stream; one is read, write, copy or triad", pattern));
}

}  // namespace

Work prepare_stream(const Case& asked, BenchmarkContext& context) {
    const std::string pattern = asked.word("pattern", "copy");
    const int arrays = arrays_of(pattern);
    const Count elements = positive(asked, "bytes") / (4 * arrays) / 4 * 4;
    if (elements == 0) {
        throw CannotMeasure(fmt::format("a stream needs at least {} bytes", 16 * arrays));
    }
    const Tensor a = normal_tensor(context, Element::fp32, elements, "the first array");
    const Tensor b = normal_tensor(context, Element::fp32, arrays > 1 ? elements : 4, "the second array");
    const Tensor c = zero_tensor(context, Element::fp32, arrays > 2 ? elements : 4, "the third array");
    Work work;
    work.tolerance = 1e-6;
    const bool checked = is_checked(asked, elements * arrays);
    if (pattern == "read") {
        work.run = [=](cudaStream_t to) { stream_read(a.as<float>(), elements, c.as<float>(), to); };
    } else if (pattern == "write") {
        work.run = [=](cudaStream_t to) { stream_write(a.as<float>(), elements, kFactor, to); };
        if (checked) {
            work.error = [=, &context] {
                return streamed_error(context, a, a, a, [](double, double) { return kFactor; });
            };
        }
    } else if (pattern == "copy") {
        work.run = [=](cudaStream_t to) { stream_copy(a.as<float>(), b.as<float>(), elements, to); };
        if (checked) {
            work.error = [=, &context] { return streamed_error(context, a, a, b, [](double x, double) { return x; }); };
        }
    } else {
        work.run = [=](cudaStream_t to) {
            stream_triad(a.as<float>(), b.as<float>(), c.as<float>(), kFactor, elements, to);
        };
        if (checked) {
            work.error = [=, &context] {
                return streamed_error(context, a, b, c, [](double x, double y) { return x + kFactor * y; });
            };
        }
    }
    work.values["bytes_moved"] = 4.0 * static_cast<double>(elements) * arrays;
    work.words["implementation"] = "own kernel";
    return work;
}

Work prepare_copy(const Case& asked, BenchmarkContext& context) {
    const auto bytes = static_cast<std::size_t>(positive(asked, "bytes"));
    const Bytes size = Bytes::of_base(static_cast<double>(bytes));
    struct Side {
        std::shared_ptr<void> owner;
        void* memory = nullptr;
    };
    const auto side = [&](const std::string& word) -> Side {
        if (word == "device") {
            const auto buffer = std::make_shared<DeviceBuffer>(size, "the copied bytes");
            return {buffer, buffer->get()};
        }
        if (word == "pinned") {
            const auto buffer = std::make_shared<PinnedBuffer>(size);
            return {buffer, buffer->get()};
        }
        if (word == "pageable") {
            const auto buffer = std::make_shared<std::vector<char>>(bytes, '\1');
            return {buffer, buffer->data()};
        }
        throw CannotMeasure(fmt::format("{} is no side of a copy; one is pageable, pinned or device", word));
    };
    const std::string from = asked.word("from", "pinned");
    const std::string to = asked.word("to", "device");
    if (from != "device" && to != "device") {
        throw CannotMeasure("a copy from host to host does not involve the GPU");
    }
    const Side source = side(from);
    const Side target = side(to);
    if (from == "device") {
        fill_normal(source.memory, Element::fp8, static_cast<Count>(bytes), 1.0F, context.settings.seed,
                    context.stream.get());
    } else {
        for (std::size_t i = 0; i < bytes; ++i) {
            static_cast<unsigned char*>(source.memory)[i] = static_cast<unsigned char>(i * 2654435761U >> 24);
        }
    }
    Work work;
    work.queued = from != "pageable" && to != "pageable";
    work.run = [=](cudaStream_t stream) {
        check(cudaMemcpyAsync(target.memory, source.memory, bytes, cudaMemcpyDefault, stream), "copying");
    };
    if (is_checked(asked, static_cast<Count>(bytes))) {
        work.error = [=] {  // cudaMemcpy takes any side
            std::vector<char> before(bytes);
            std::vector<char> after(bytes);
            check(cudaMemcpy(before.data(), source.memory, bytes, cudaMemcpyDefault), "reading a copy");
            check(cudaMemcpy(after.data(), target.memory, bytes, cudaMemcpyDefault), "reading a copy");
            return std::memcmp(before.data(), after.data(), bytes) == 0 ? 0.0 : 1.0;
        };
    }
    work.words["implementation"] = "cudaMemcpyAsync";
    return work;
}

}  // namespace dodona::calibrate::cuda
