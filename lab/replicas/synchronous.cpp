// Synchronous exchanges: one thread computes, the other one exchanges what is ready. Gradients that overlap are messages
// of layers; all else is one message after the step, or beside it.
//
// Newest first: between two chunks all ranks agree on how many messages are ready on every one of them, while a chunk is
// on its way, so that all take the same one next.
#include <algorithm>
#include <limits>
#include <thread>

#include "lab/replicas/gate.hpp"
#include "lab/replicas/training.hpp"

namespace dodona::calibrate {

namespace {

using exchange::Order;
using exchange::Sent;

class SynchronousRun {
public:
    SynchronousRun(const TrainingSettings& settings, Party& party, Worker& worker)
        : settings_(settings),
          exchange_(settings.exchange),
          party_(party),
          worker_(worker),
          messages_(messages(settings, worker)),
          gate_(messages_.size()) {
        worker.replica.beside = beside();
    }

    Course run() {
        if (party_.is_server()) {
            communicate();
            return {};
        }
        std::thread compute([this] { compute_steps(); });
        communicate();
        compute.join();
        return std::move(course_);
    }

private:
    [[nodiscard]] bool sends_gradients() const { return exchange_.sends == Sent::gradients; }
    [[nodiscard]] bool overlaps() const { return exchange_.overlap && exchange_.period == 1; }
    [[nodiscard]] bool beside() const { return overlaps() && !sends_gradients(); }
    [[nodiscard]] bool by_layers() const { return overlaps() && sends_gradients(); }

    static std::vector<exchange::Message> messages(const TrainingSettings& settings, const Worker& worker) {
        const exchange::Exchange& exchange = settings.exchange;
        if (exchange.overlap && exchange.period == 1 && exchange.sends == Sent::gradients) {
            return exchange::messages_of(replica_work(settings).layers, exchange.bucket);
        }
        exchange::Message whole;
        whole.last = worker.layers() - 1;
        return {whole};
    }

    [[nodiscard]] std::size_t rounds() const { return static_cast<std::size_t>(settings_.steps / exchange_.period); }
    [[nodiscard]] Part range_of(std::size_t message) const {
        return worker_.range_of(messages_[message].first, messages_[message].last);
    }

    // -- the thread of compute ---------------------------------------------------------------------------------------

    void compute_steps() {
        for (std::int64_t step = 0; step < settings_.steps; ++step) {
            worker_.start_step(step);
            course_.starts.push_back(Clock::now());
            if (beside()) {
                worker_.replica.fill_payload();
                gate_.make_ready();
            }
            forward();
            backward();
            end_step(step);
            if (settings_.distances) {
                course_.snapshots.push_back(worker_.replica.weights);
            }
        }
        course_.starts.push_back(Clock::now());  // as a next step would start: before it waits for what overlaps
        wait_for_all();
    }

    void forward() {
        if (by_layers() && exchange_.order == Order::barrier) {
            wait_for_all();
        }
        for (std::size_t layer = 0; layer < worker_.layers(); ++layer) {
            for (std::size_t m = 0; by_layers() && m < messages_.size(); ++m) {
                if (messages_[m].first <= layer && layer <= messages_[m].last) {
                    gate_.wait_end(m, exchanged_);
                }
            }
            worker_.forward(layer);
        }
    }

    void backward() {
        std::size_t next = 0;
        for (std::size_t layer = worker_.layers(); layer-- > 0;) {
            worker_.backward(layer);
            if (by_layers() && next < messages_.size() && messages_[next].first == layer) {
                const Part range = range_of(next);
                const auto first = worker_.replica.gradient.begin() + static_cast<std::ptrdiff_t>(range.first);
                std::copy_n(first, range.count,
                            worker_.replica.payload.begin() + static_cast<std::ptrdiff_t>(range.first));
                gate_.make_ready();
                ++next;
            }
        }
        exchanged_ += by_layers() ? 1 : 0;
    }

    /// Updates of this worker alone, and exchanges that wait for the end of a step.
    void end_step(std::int64_t step) {
        if (by_layers()) {
            return;
        }
        if (beside()) {
            ++exchanged_;
            wait_for_all();
            worker_.replica.weights = worker_.replica.result;
            worker_.replica.apply_gradient();
            return;
        }
        if (!sends_gradients()) {
            worker_.replica.apply_gradient();
        } else {
            for (std::size_t i = 0; i < summed_.size(); ++i) {
                summed_[i] += worker_.replica.gradient[i];
            }
        }
        if ((step + 1) % exchange_.period == 0) {
            worker_.replica.fill_payload();
            if (sends_gradients()) {
                worker_.replica.payload = summed_;
                std::fill(summed_.begin(), summed_.end(), 0.0F);
            }
            gate_.make_ready();
            ++exchanged_;
            wait_for_all();
        }
    }

    void wait_for_all() {
        for (std::size_t m = 0; m < messages_.size(); ++m) {
            gate_.wait_end(m, exchanged_);
        }
    }

    // -- the thread of communication ---------------------------------------------------------------------------------

    void communicate() {
        if (exchange_.order == Order::newest_first) {
            newest_first();
            return;
        }
        for (std::size_t round = 0; round < rounds(); ++round) {
            for (std::size_t m = 0; m < messages_.size(); ++m) {
                wait_ready(round * messages_.size() + m);
                exchange(range_of(m), round);
                if (settings_.together && m + 1 == messages_.size()) {
                    wait_for_ranks();
                }
                gate_.end(m);
            }
        }
    }

    void wait_ready(std::size_t before) {
        if (!party_.is_server()) {
            gate_.wait_ready(before);
        }
    }

    /// Until all ranks are here.
    void wait_for_ranks() {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(party_.messenger.comm(), &request);
        wait(request);
    }

    void exchange(Part range, std::size_t round) {
        party_.round = round;
        exchange_range(party_, range);
    }

    void newest_first() {
        const std::size_t all = rounds() * messages_.size();
        std::vector<std::size_t> sent(messages_.size(), 0);  // elements of the message's round
        std::vector<std::size_t> open;                       // messages that all ranks have ready, the newest last
        std::size_t agreed = 0;
        std::size_t ended = 0;
        while (ended < all) {
            if (open.empty()) {
                wait_ready(agreed);
            }
            int own = ready();
            int least = 0;
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Iallreduce(&own, &least, 1, MPI_INT, MPI_MIN, party_.messenger.comm(), &request);
            if (!open.empty()) {
                const std::size_t m = open.back();
                const Part chunk = next_chunk(m, sent[m]);
                exchange(chunk, ended / messages_.size());
                sent[m] += chunk.count;
                if (sent[m] == range_of(m).count) {
                    sent[m] = 0;
                    open.pop_back();
                    ++ended;
                    gate_.end(m);
                }
            }
            wait(request);
            for (; agreed < static_cast<std::size_t>(least) && agreed < all; ++agreed) {
                open.push_back(agreed % messages_.size());
            }
        }
    }

    int ready() { return party_.is_server() ? std::numeric_limits<int>::max() : static_cast<int>(gate_.ready()); }

    [[nodiscard]] Part next_chunk(std::size_t message, std::size_t sent) const {
        const Part range = range_of(message);
        const auto most = static_cast<std::size_t>(exchange_.chunk.in(unit::byte) / sizeof(float));
        return {range.first + sent, std::min(std::max<std::size_t>(most, 1), range.count - sent)};
    }

    static void wait(MPI_Request& request) {
        int ended = 0;
        while (true) {
            MPI_Test(&request, &ended, MPI_STATUS_IGNORE);
            if (ended != 0) {
                return;
            }
            nap();
        }
    }

    const TrainingSettings& settings_;
    const exchange::Exchange& exchange_;
    Party& party_;
    Worker& worker_;
    std::vector<exchange::Message> messages_;
    Gate gate_;
    Course course_;
    std::vector<float> summed_ = std::vector<float>(worker_.elements(), 0.0F);  ///< gradients since the last exchange
    std::size_t exchanged_ = 0;  ///< rounds that this worker has brought its messages to
};

}  // namespace

Course train_synchronously(const TrainingSettings& settings, Party& party, Worker& worker) {
    return SynchronousRun(settings, party, worker).run();
}

}  // namespace dodona::calibrate
