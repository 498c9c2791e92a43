// Benchmarks gather and launch.
#include <memory>

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"
#include "calibrate/cuda/movement.hpp"

namespace dodona::calibrate::cuda {

namespace {

std::vector<std::int32_t> indices_of(const DeviceBuffer& buffer, Count count) {
    std::vector<std::int32_t> indices(static_cast<std::size_t>(count));
    check(cudaMemcpy(indices.data(), buffer.get(), indices.size() * 4, cudaMemcpyDeviceToHost), "reading indices");
    return indices;
}

/// A CUDA graph that can be started.
class Executable {
public:
    explicit Executable(cudaGraph_t graph) { check(cudaGraphInstantiate(&graph_, graph, 0), "making a CUDA graph"); }
    Executable(const Executable&) = delete;
    Executable& operator=(const Executable&) = delete;
    ~Executable() { (void)cudaGraphExecDestroy(graph_); }
    void start(cudaStream_t stream) const { check(cudaGraphLaunch(graph_, stream), "starting a CUDA graph"); }

private:
    cudaGraphExec_t graph_ = nullptr;
};

}  // namespace

Work prepare_gather(const Case& asked, BenchmarkContext& context) {
    const Count rows = positive(asked, "rows");
    const Count columns = positive(asked, "width");
    const Count lookups = positive(asked, "lookups");
    const Element element = element_of_precision(precision_of(asked), "a lookup");
    const bool forward = asked.word("direction", "forward") == "forward";
    if (element == Element::fp8 || (!forward && columns % 2 != 0)) {
        throw CannotMeasure("lookups are measured in fp32, fp16 and bf16, adding to rows of an even width");
    }
    const Tensor table = forward ? normal_tensor(context, element, rows * columns, "the table")
                                 : zero_tensor(context, element, rows * columns, "the table");
    const Tensor values = forward ? zero_tensor(context, element, lookups * columns, "the rows looked up")
                                  : normal_tensor(context, element, lookups * columns, "the rows to add");
    const auto indices = index_tensor(context, lookups, static_cast<std::int32_t>(rows));
    auto* const at = static_cast<std::int32_t*>(indices->get());
    Work work;
    work.words["implementation"] = forward ? "own kernel" : "own kernel, atomic additions";
    work.tolerance = element == Element::fp32 ? 1e-5 : 5e-2;  // 16-bit sums round at every addition
    const bool checked = is_checked(asked, (rows + lookups) * columns);
    if (forward) {
        work.run = [=](cudaStream_t stream) {
            (void)indices;
            gather(element, table.get(), at, values.get(), lookups, columns, stream);
        };
    } else {
        work.run = [=](cudaStream_t stream) {
            (void)indices;
            scatter_add(element, values.get(), at, table.get(), lookups, columns, stream);
        };
    }
    if (checked) {
        work.error = [=, &context] {
            const auto where = indices_of(*indices, lookups);
            const auto source = numbers_of(context, forward ? table : values);
            std::vector<double> expected(static_cast<std::size_t>((forward ? lookups : rows) * columns));
            for (Count i = 0; i < lookups; ++i) {
                const Count row = where[static_cast<std::size_t>(i)];
                for (Count c = 0; c < columns; ++c) {
                    const auto from = static_cast<std::size_t>((forward ? row : i) * columns + c);
                    expected[static_cast<std::size_t>((forward ? i : row) * columns + c)] +=
                        static_cast<double>(source[from]);
                }
            }
            return deviation(numbers_of(context, forward ? values : table), expected);
        };
    }
    return work;
}

Work prepare_launch(const Case& asked, BenchmarkContext& context) {
    constexpr int kKernels = 500;  // a stream takes about a thousand before the host has to wait
    const std::string kind = asked.word("kind", "plain");
    Work work;
    work.executions = kKernels;
    // Launched while the GPU runs them: what a kernel costs whoever is slower, the host or the GPU.
    work.queued = false;
    if (kind == "plain") {
        work.run = [](cudaStream_t stream) {
            for (int i = 0; i < kKernels; ++i) {
                empty_kernel(stream);
            }
        };
    } else if (kind == "graph") {
        const Stream recorder;
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(recorder.get(), cudaStreamCaptureModeThreadLocal), "recording a CUDA graph");
        for (int i = 0; i < kKernels; ++i) {
            empty_kernel(recorder.get());
        }
        check(cudaStreamEndCapture(recorder.get(), &graph), "recording a CUDA graph");
        const auto ready = std::make_shared<Executable>(graph);
        (void)cudaGraphDestroy(graph);
        work.run = [ready](cudaStream_t stream) { ready->start(stream); };
    } else {
        throw CannotMeasure(fmt::format("{} is no kind of launch; one is plain or graph", kind));
    }
    (void)context;
    work.words["implementation"] = fmt::format("{} empty kernels", kKernels);
    return work;
}

}  // namespace dodona::calibrate::cuda
