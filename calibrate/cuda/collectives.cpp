#include "calibrate/cuda/collectives.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "calibrate/cuda/collective_shape.hpp"
#include "calibrate/cuda/fault.hpp"
#include "calibrate/cuda/ranks.hpp"

namespace dodona::calibrate::cuda {

namespace {

/// Buffers of all ranks, fp32.
struct Buffers {
    std::vector<Tensor> send, receive;  ///< the same where a collective is in place
};

Tensor on_rank(const BenchmarkContext& context, const Ranks& ranks, int rank, Count elements, bool filled) {
    const Bytes size = Bytes::of_base(4.0 * static_cast<double>(std::max<Count>(elements, 1)));
    Tensor tensor{std::make_shared<DeviceBuffer>(size, "a rank's buffer"), Element::fp32, elements};
    if (filled) {
        fill_normal(tensor.get(), Element::fp32, elements, 1.0F,
                    context.settings.seed + static_cast<std::uint64_t>(rank), ranks[rank].stream->get());
        check(cudaStreamSynchronize(ranks[rank].stream->get()), "filling a rank's buffer");
    }
    return tensor;
}

Buffers buffers_of(const BenchmarkContext& context, const Ranks& ranks, const CollectiveShape& shape) {
    Buffers buffers;
    ranks.each([&](int rank) {
        if (!shape.in_place) {
            buffers.send.push_back(on_rank(context, ranks, rank, shape.sent, true));
            buffers.receive.push_back(on_rank(context, ranks, rank, shape.received, false));
            return;
        }
        buffers.send.push_back(on_rank(context, ranks, rank, std::max(shape.sent, shape.received), true));
        buffers.receive.push_back(buffers.send.back());
    });
    return buffers;
}

/// Averages in place: sums would grow with every sample until they overflow.
ncclRedOp_t reduction_of(const CollectiveShape& shape) { return shape.in_place ? ncclAvg : ncclSum; }

/// What one rank asks of NCCL.
void start(const Ranks& ranks, const CollectiveShape& shape, const Buffers& buffers, int rank) {
    const auto at = static_cast<std::size_t>(rank);
    const auto part = static_cast<std::size_t>(shape.part);
    float* const send = buffers.send[at].as<float>();
    float* const receive = buffers.receive[at].as<float>();
    float* const own_send = shape.in_place ? send + at * part : send;
    float* const own_receive = shape.in_place ? receive + at * part : receive;
    ncclComm_t const to = ranks[rank].communicator;
    cudaStream_t const stream = ranks[rank].stream->get();
    const ncclRedOp_t sum = reduction_of(shape);
    switch (shape.kind) {
        case CollectiveKind::all_reduce:
            check(ncclAllReduce(send, receive, part, ncclFloat, sum, to, stream), "starting a collective");
            break;
        case CollectiveKind::reduce_scatter:
            check(ncclReduceScatter(send, own_receive, part, ncclFloat, sum, to, stream), "starting a collective");
            break;
        case CollectiveKind::all_gather:
            check(ncclAllGather(own_send, receive, part, ncclFloat, to, stream), "starting a collective");
            break;
        case CollectiveKind::broadcast:
            check(ncclBroadcast(send, receive, part, ncclFloat, 0, to, stream), "starting a collective");
            break;
        case CollectiveKind::all_to_all:
            for (int other = 0; other < ranks.count(); ++other) {
                const std::size_t offset = static_cast<std::size_t>(other) * part;
                check(ncclSend(send + offset, part, ncclFloat, other, to, stream), "starting a collective");
                check(ncclRecv(receive + offset, part, ncclFloat, other, to, stream), "starting a collective");
            }
            break;
    }
}

std::function<void()> in_a_group(const Ranks& ranks, std::function<void(int)> of_rank) {
    return [&ranks, of_rank = std::move(of_rank)] {
        check(ncclGroupStart(), "starting a collective");
        try {
            for (int rank = 0; rank < ranks.count(); ++rank) {
                of_rank(rank);
            }
        } catch (...) {
            (void)ncclGroupEnd();
            throw;
        }
        check(ncclGroupEnd(), "starting a collective");
    };
}

/// The last rank's result against the host's. The buffers are those of the first execution.
double collective_error(const CollectiveShape& shape, const Buffers& buffers) {
    constexpr std::size_t kCompared = 4096;
    const auto host = [](const Tensor& tensor) {
        std::vector<float> numbers(static_cast<std::size_t>(tensor.elements));
        check(cudaMemcpy(numbers.data(), tensor.get(), numbers.size() * 4, cudaMemcpyDefault), "reading a result");
        return numbers;
    };
    std::vector<std::vector<float>> sent;
    for (const Tensor& tensor : buffers.send) {
        sent.push_back(host(tensor));
    }
    auto measured = host(buffers.receive.back());
    measured.resize(std::min(measured.size(), kCompared));
    return deviation(measured, expected_of_last(shape, sent, measured.size()));
}

/// Peers beyond this host, other groups and forced algorithms are not this process's.
void expect_plain(const Case& asked, int ranks) {
    if (asked.number("ranks_per_node", ranks) != ranks || asked.number("groups", 1) != 1) {
        throw CannotMeasure(
            "this back end measures collectives of one group among the GPUs of one host: "
            "ranks_per_node = ranks, groups = 1; for others import a log of nccl-tests");
    }
    const std::string algorithm = asked.word("algorithm", "free");
    if (algorithm != "free") {
        throw CannotMeasure(fmt::format("NCCL chooses its algorithm by itself here; {} can't be forced", algorithm));
    }
}

}  // namespace

Work prepare_collective(const Case& asked, BenchmarkContext& context) {
    const int count = static_cast<int>(positive(asked, "ranks"));
    expect_plain(asked, count);
    const CollectiveShape shape =
        collective_shape(asked.word("collective"), positive(asked, "bytes"), count, asked.number("in_place") != 0);
    Ranks& ranks = Ranks::of(context, count);
    const Buffers buffers = buffers_of(context, ranks, shape);
    const auto all = in_a_group(ranks, [=, &ranks](int rank) { start(ranks, shape, buffers, rank); });
    Work work;
    work.run = [=, &ranks](cudaStream_t stream) { ranks.enqueue(all, stream); };
    work.timed = [=, &ranks] { return ranks.time(all); };
    work.tolerance = 1e-5;
    if (!shape.in_place && is_checked(asked, shape.sent + shape.received)) {
        work.error = [=] { return collective_error(shape, buffers); };
    }
    work.words["implementation"] = "NCCL, one process";
    return work;
}

Work prepare_send(const Case& asked, BenchmarkContext& context) {
    constexpr int kWindow = 64;  // messages under way at once, as OSU's bandwidth test
    const std::string pattern = asked.word("pattern", "ping-pong");
    if ((pattern != "ping-pong" && pattern != "window") || asked.number("groups", 1) != 1) {
        throw CannotMeasure("between GPUs the patterns ping-pong and window of one pair are measured");
    }
    const Count bytes = positive(asked, "bytes");
    Ranks& ranks = Ranks::of(context, 2);
    std::vector<Tensor> buffers;
    ranks.each([&](int rank) { buffers.push_back(on_rank(context, ranks, rank, (bytes + 3) / 4, true)); });
    const auto message = [=, &ranks](int rank, bool sends) {
        void* const memory = buffers[static_cast<std::size_t>(rank)].get();
        const auto size = static_cast<std::size_t>(bytes);
        check(sends ? ncclSend(memory, size, ncclChar, 1 - rank, ranks[rank].communicator, ranks[rank].stream->get())
                    : ncclRecv(memory, size, ncclChar, 1 - rank, ranks[rank].communicator, ranks[rank].stream->get()),
              "sending a message");
    };
    const bool there_and_back = pattern == "ping-pong";
    const auto there = in_a_group(ranks, [=](int rank) {
        for (int i = 0; i < (there_and_back ? 1 : kWindow); ++i) {
            message(rank, rank == 0);
        }
    });
    const auto back = in_a_group(ranks, [=](int rank) { message(rank, rank == 1); });
    const std::function<void()> all = [=] {
        there();
        if (there_and_back) {
            back();
        }
    };
    const double messages = there_and_back ? 2 : kWindow;
    Work work;
    work.run = [=, &ranks](cudaStream_t stream) { ranks.enqueue(all, stream); };
    work.timed = [=, &ranks] { return ranks.time(all) / messages; };
    work.executions = static_cast<int>(messages);
    work.words["implementation"] = "NCCL, one process";
    return work;
}

std::size_t nccl_version() {
    int version = 0;
    (void)ncclGetVersion(&version);
    return static_cast<std::size_t>(version);
}

}  // namespace dodona::calibrate::cuda
