// Asynchronous and bounded exchanges. One thread computes; the other one sends what it brings, answers others meanwhile,
// and tells all how many steps it has ended.
//
//   servers, master   pushes a part to each server, which updates its weights and sends them back; without servers of
//                     their own each worker is the server of a part. A gradient counts 1/n of the rate, so that a round
//                     of all workers moves as far as a synchronous step
//   tree              the same with the parent in a binomial tree, whose root is a server
//   gossip            with a probability sends its weights to a peer drawn anew, and waits until they are sent
//
// Weights that meet move towards each other: by half of their difference where they are averaged, by moving_rate / n
// where they are elastic. What others bring to a worker's weights counts from the end of its step on.
#include <algorithm>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

#include "lab/replicas/training.hpp"
#include "simulate/random_bits.hpp"

namespace dodona::calibrate {

namespace {

using exchange::Outer;
using exchange::Pattern;
using exchange::Scheduling;

enum Tag { kPush = 1, kReply, kClock, kGossip, kEnd };

class AsynchronousRun {
public:
    AsynchronousRun(const TrainingSettings& settings, Party& party, Worker& worker)
        : settings_(settings),
          exchange_(settings.exchange),
          party_(party),
          worker_(worker),
          replica_(worker.replica),
          owners_(owners()),
          central_(replica_.weights),
          brought_(replica_.weights.size(), 0.0F),
          ended_(party.workers, 0),
          version_seen_(party.workers, -1) {}

    Course run() {
        if (party_.is_server()) {
            communicate();
            return std::move(course_);
        }
        std::thread compute([this] { compute_steps(); });
        communicate();
        compute.join();
        return std::move(course_);
    }

private:
    struct Owner {
        int rank = 0;
        Part part;
    };
    struct Sending {
        std::vector<float> values;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    enum class Wish { none, exchange, gossip, all_ended };

    /// Whom this worker pushes to, and what.
    [[nodiscard]] std::vector<Owner> owners() const {
        const Part whole{0, replica_.weights.size()};
        std::vector<Owner> owners;
        if (party_.is_server() || exchange_.pattern == Pattern::gossip) {
            return owners;
        }
        if (exchange_.pattern == Pattern::tree) {
            const std::size_t parent = (party_.rank() + 1) & party_.rank();
            return {{static_cast<int>(parent == 0 ? party_.workers : parent - 1), whole}};
        }
        const std::size_t servers = party_.servers > 0 ? party_.servers : party_.workers;
        const std::size_t first = party_.servers > 0 ? party_.workers : 0;
        for (std::size_t server = 0; server < servers; ++server) {
            owners.push_back({static_cast<int>(first + server), part_of(whole, server, servers)});
        }
        return owners;
    }

    /// The part that this rank keeps for others; all of it but where each worker has one.
    [[nodiscard]] Part kept() const {
        const Part whole{0, replica_.weights.size()};
        if (exchange_.pattern != Pattern::servers) {
            return whole;
        }
        return party_.servers > 0 ? part_of(whole, party_.rank() - party_.workers, party_.servers)
                                  : part_of(whole, party_.rank(), party_.workers);
    }
    /// Whether what others push moves this worker's own weights.
    [[nodiscard]] bool keeps_own() const { return exchange_.pattern == Pattern::tree && !party_.is_server(); }
    [[nodiscard]] bool sends_gradients() const { return exchange_.sends == exchange::Sent::gradients; }

    [[nodiscard]] float share() const {
        const auto n = static_cast<float>(party_.workers);
        return exchange_.outer == Outer::elastic ? static_cast<float>(exchange_.moving_rate) / n : 0.5F;
    }

    // -- the thread of compute ---------------------------------------------------------------------------------------

    void compute_steps() {
        stagger();
        for (std::int64_t step = 0; step < settings_.steps; ++step) {
            wait_for_slowest(step);
            worker_.start_step(step);
            course_.starts.push_back(Clock::now());
            for (std::size_t layer = 0; layer < worker_.layers(); ++layer) {
                worker_.forward(layer);
            }
            for (std::size_t layer = worker_.layers(); layer-- > 0;) {
                worker_.backward(layer);
            }
            end_step(step);
        }
        course_.starts.push_back(Clock::now());
        wish(Wish::all_ended);
    }

    /// Workers begin one after the other within a step.
    void stagger() const {
        if (settings_.compute) {
            const double share = static_cast<double>(party_.rank()) / static_cast<double>(party_.workers);
            std::this_thread::sleep_for(std::chrono::duration<double>(settings_.compute->in(1_s) * share));
        }
    }

    void wait_for_slowest(std::int64_t step) {
        std::unique_lock lock(mutex_);
        const auto lead = [&] { return step - *std::min_element(ended_.begin(), ended_.end()); };
        if (exchange_.scheduling == Scheduling::bounded) {
            changed_.wait(lock, [&] { return lead() <= exchange_.bound; });
        }
        course_.lead = std::max(course_.lead, lead());
    }

    void end_step(std::int64_t step) {
        if (!sends_gradients()) {
            replica_.apply_gradient();
        }
        merge_brought();
        if ((step + 1) % exchange_.period == 0) {
            replica_.fill_payload();
            wish(exchange_.pattern == Pattern::gossip ? Wish::gossip : Wish::exchange);
        }
        const std::scoped_lock lock(mutex_);
        ended_[party_.rank()] = step + 1;
        tell_clock_ = true;
        if (settings_.distances) {
            course_.snapshots.push_back(replica_.weights);
        }
    }

    void merge_brought() {
        if (!keeps_own() && exchange_.pattern != Pattern::gossip) {
            return;
        }
        const std::scoped_lock lock(mutex_);
        for (std::size_t i = 0; i < brought_.size(); ++i) {
            replica_.weights[i] += brought_[i];
        }
        std::fill(brought_.begin(), brought_.end(), 0.0F);
        central_ = replica_.weights;
    }

    /// Asks the thread of communication for something, and waits for its end.
    void wish(Wish what) {
        std::unique_lock lock(mutex_);
        wish_ = what;
        changed_.wait(lock, [&] { return wish_ == Wish::none; });
    }

    // -- the thread of communication ---------------------------------------------------------------------------------

    void communicate() {
        while (!over()) {
            bool moved = handle_message();
            moved |= drop_ended();
            moved |= follow_wish();
            tell_clock();
            if (!moved) {
                nap();
            }
        }
    }

    /// Whether all workers have ended, and all that was sent has arrived.
    [[nodiscard]] bool over() const {
        return ends_ == party_.workers && (told_end_ || party_.is_server()) && sending_.empty();
    }

    bool handle_message() {
        int there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, party_.messenger.comm(), &there, &status);
        if (there == 0) {
            return false;
        }
        switch (status.MPI_TAG) {
            case kPush: answer(received(status, kept().count), status.MPI_SOURCE); break;
            case kReply: take_reply(status); break;
            case kClock: take_clock(status); break;
            case kGossip: take_gossip(received(status, replica_.weights.size())); break;
            default:
                received(status, 0);
                ++ends_;
                break;
        }
        return true;
    }

    std::vector<float> received(const MPI_Status& status, std::size_t count) {
        std::vector<float> values(count);
        party_.messenger.receive(std::span(values), status.MPI_SOURCE, status.MPI_TAG);
        party_.messenger.wait();
        return values;
    }

    void start(std::vector<float> values, int to, int tag) {
        Sending& sending = sending_.emplace_back(Sending{std::move(values)});
        MPI_Isend(sending.values.data(), static_cast<int>(sending.values.size() * sizeof(float)), MPI_BYTE, to, tag,
                  party_.messenger.comm(), &sending.request);
    }

    bool drop_ended() {
        const std::size_t before = sending_.size();
        sending_.remove_if([](Sending& sending) {
            int ended = 0;
            MPI_Test(&sending.request, &ended, MPI_STATUS_IGNORE);
            return ended != 0;
        });
        return sending_.size() < before;
    }

    /// A server's update, and the weights that go back.
    void answer(const std::vector<float>& values, int worker) {
        const Part part = kept();
        std::vector<float> reply = updated(values, part);
        count_staleness(static_cast<std::size_t>(worker));
        start(std::move(reply), worker, kReply);
    }

    std::vector<float> updated(const std::vector<float>& values, Part part) {
        const std::scoped_lock lock(mutex_);
        std::vector<float> reply(part.count);
        const float rate = replica_.rate / static_cast<float>(party_.workers);
        for (std::size_t i = 0; i < part.count; ++i) {
            float& centre = central_[part.first + i];
            if (sends_gradients()) {
                centre -= rate * values[i];
                reply[i] = centre;
                continue;
            }
            const float change = share() * (values[i] - centre);
            reply[i] = centre;
            centre += change;
            brought_[part.first + i] += keeps_own() ? change : 0;
        }
        return reply;
    }

    /// Updates of others since the last reply to this worker.
    void count_staleness(std::size_t worker) {
        if (version_seen_[worker] >= 0) {
            const auto stale = static_cast<double>(version_ - version_seen_[worker]);
            ++course_.updates;
            course_.staleness += stale;
            course_.most_stale = std::max(course_.most_stale, stale);
        }
        version_seen_[worker] = ++version_;
    }

    void take_reply(const MPI_Status& status) {
        const auto from = std::find_if(owners_.begin(), owners_.end(),
                                       [&](const Owner& owner) { return owner.rank == status.MPI_SOURCE; });
        write_reply(received(status, from->part.count), from->part);
    }

    void write_reply(const std::vector<float>& values, Part part) {
        const std::scoped_lock lock(mutex_);
        for (std::size_t i = 0; i < part.count; ++i) {
            float& own = replica_.weights[part.first + i];
            if (sends_gradients()) {
                own = values[i];
            } else {
                own -= share() * (replica_.payload[part.first + i] - values[i]);
            }
        }
        if (--open_replies_ == 0) {
            fulfil();
        }
    }

    void take_clock(const MPI_Status& status) {
        const std::vector<float> steps = received(status, 1);
        const std::scoped_lock lock(mutex_);
        ended_[static_cast<std::size_t>(status.MPI_SOURCE)] = static_cast<std::int64_t>(steps[0]);
        changed_.notify_all();
    }

    void take_gossip(const std::vector<float>& values) {
        const std::scoped_lock lock(mutex_);
        for (std::size_t i = 0; i < values.size(); ++i) {
            brought_[i] += share() * (values[i] - (central_[i] + brought_[i]));
        }
    }

    /// The compute thread goes on. Under the lock.
    void fulfil() {
        wish_ = Wish::none;
        at_work_ = false;
        changed_.notify_all();
    }

    bool follow_wish() {
        std::unique_lock lock(mutex_);
        if (at_work_ && gossiping_ && sending_.empty()) {
            gossiping_ = false;
            fulfil();
            return true;
        }
        if (wish_ == Wish::none || at_work_) {
            return false;
        }
        at_work_ = true;
        const Wish what = wish_;
        lock.unlock();
        switch (what) {
            case Wish::exchange: push(); break;
            case Wish::gossip: gossip(); break;
            default: tell_end(); break;
        }
        return true;
    }

    void push() {
        open_replies_ = owners_.size();
        for (const Owner& owner : owners_) {
            const std::span<const float> part = replica_.payload_of(owner.part);
            if (owner.rank == party_.messenger.rank()) {
                const std::vector<float> reply = updated({part.begin(), part.end()}, owner.part);
                count_staleness(party_.rank());
                write_reply(reply, owner.part);
            } else {
                start({part.begin(), part.end()}, owner.rank, kPush);
            }
        }
    }

    void gossip() {
        const auto drawn = [&](std::uint64_t what) {
            const std::uint64_t bits = simulate::random_bits(party_.seed, party_.round, party_.rank(), what);
            return static_cast<double>(bits >> 11U) * 0x1p-53;
        };
        const bool sends = drawn(0) < exchange_.probability;
        const auto other = static_cast<std::size_t>(drawn(1) * static_cast<double>(party_.workers - 1));
        ++party_.round;
        if (sends) {
            start(replica_.payload, static_cast<int>(other < party_.rank() ? other : other + 1), kGossip);
        }
        gossiping_ = true;
    }

    void tell_clock() {
        float steps = 0;
        {
            const std::scoped_lock lock(mutex_);
            if (!tell_clock_) {
                return;
            }
            tell_clock_ = false;
            steps = static_cast<float>(ended_[party_.rank()]);
        }
        for (std::size_t worker = 0; worker < party_.workers; ++worker) {
            if (worker != party_.rank()) {
                start({steps}, static_cast<int>(worker), kClock);
            }
        }
    }

    void tell_end() {
        tell_clock();
        for (int rank = 0; rank < party_.messenger.size(); ++rank) {
            if (rank != party_.messenger.rank()) {
                start({}, rank, kEnd);
            }
        }
        ++ends_;
        told_end_ = true;
        const std::scoped_lock lock(mutex_);
        fulfil();
    }

    const TrainingSettings& settings_;
    const exchange::Exchange& exchange_;
    Party& party_;
    Worker& worker_;
    Replica& replica_;
    std::vector<Owner> owners_;
    Course course_;

    // Of both threads, under the lock.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<float> central_;       ///< weights that others meet here
    std::vector<float> brought_;       ///< what they add to this worker's own when its step ends
    std::vector<std::int64_t> ended_;  ///< steps of each worker, as far as known here
    Wish wish_ = Wish::none;
    bool at_work_ = false;
    bool tell_clock_ = false;

    // Of the thread of communication.
    std::list<Sending> sending_;
    std::size_t open_replies_ = 0;
    bool gossiping_ = false;
    std::size_t ends_ = 0;
    bool told_end_ = false;
    std::int64_t version_ = 0;
    std::vector<std::int64_t> version_seen_;  ///< by worker: at its last reply
};

}  // namespace

Course train_asynchronously(const TrainingSettings& settings, Party& party, Worker& worker) {
    return AsynchronousRun(settings, party, worker).run();
}

}  // namespace dodona::calibrate
