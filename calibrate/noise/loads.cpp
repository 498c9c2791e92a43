// Source of the sizes: NOIGENA's loads are STREAM, Linktest all-to-all of 16 MiB and IOR with 16 MiB blocks of 1 MiB.
#include "calibrate/noise/loads.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <vector>

namespace dodona::calibrate {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMessage = 16U << 20U;  ///< bytes; of a file, its block
constexpr std::size_t kTransfer = 1U << 20U;

[[noreturn]] void fail_with(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

/// Runs `step` again and again while the load is on; it returns what it did.
template <typename Step>
void loop(PatternClock& clock, Load load, std::atomic<std::uint64_t>& done, const Step& step) {
    clock.ready();
    for (;;) {
        if (clock.on(load)) {
            done.fetch_add(step(), std::memory_order_relaxed);
        }
    }
}

void load_memory(PatternClock& clock, Bytes memory, LoadCounters& counters) {
    const auto count = static_cast<std::size_t>(memory.in(3.0 * Bytes::of_base(sizeof(double))));
    std::vector<double> a(count, 1), b(count, 2), c(count, 3);
    constexpr std::size_t kSlice = std::size_t{1} << 16U;
    std::size_t at = 0;
    loop(clock, Load::memory, counters.bytes, [&] {
        const std::size_t end = std::min(at + kSlice, count);
        const std::size_t begin = at;
        for (; at < end; ++at) {
            a[at] = b[at] + 0.5 * c[at];
        }
        at = end == count ? 0 : end;
        return (end - begin) * 3 * sizeof(double);
    });
}

void load_cpu(PatternClock& clock, LoadCounters& counters) {
    constexpr int kRound = 100'000;
    loop(clock, Load::cpu, counters.spins, [&] {
        volatile double turned = 1;
        for (int i = 0; i < kRound; ++i) {
            turned = turned * 0.999 + 0.001;
        }
        return 1;
    });
}

/// The two ends of a TCP connection over the loop-back interface.
struct Connection {
    int sender = -1, receiver = -1;
};

Connection connection() {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const named = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof address;
    if (listener < 0 || bind(listener, named, length) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, named, &length) != 0) {
        fail_with("a socket for network load");
    }
    Connection made;
    made.sender = socket(AF_INET, SOCK_STREAM, 0);
    if (made.sender < 0 || connect(made.sender, named, length) != 0) {
        fail_with("a connection for network load");
    }
    made.receiver = accept(listener, nullptr, nullptr);
    if (made.receiver < 0) {
        fail_with("a connection for network load");
    }
    close(listener);
    return made;
}

/// One message whole, though its phase may end meanwhile.
void send_messages(PatternClock& clock, int to) {
    const std::vector<char> message(kMessage, 'n');
    std::atomic<std::uint64_t> uncounted{0};  // counted where they arrive
    loop(clock, Load::network, uncounted, [&]() -> std::uint64_t {
        for (std::size_t sent = 0; sent < message.size();) {
            const ssize_t more = send(to, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
            if (more <= 0) {
                return 0;
            }
            sent += static_cast<std::size_t>(more);
        }
        return 0;
    });
}

void receive_messages(int from, LoadCounters& counters) {
    std::vector<char> message(kTransfer);
    for (;;) {
        const ssize_t more = recv(from, message.data(), message.size(), 0);
        if (more <= 0) {
            return;
        }
        counters.bytes.fetch_add(static_cast<std::uint64_t>(more), std::memory_order_relaxed);
    }
}

/// A file without a name: it is gone with the process, however that ends.
int nameless_file(const std::string& directory) {
    const int file = open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0) {
        return file;
    }
    std::string path = directory + "/dodona-noise-XXXXXX";  // file systems without O_TMPFILE
    const int named = mkstemp(path.data());
    if (named < 0) {
        fail_with("a file for load in " + directory);
    }
    unlink(path.c_str());
    return named;
}

void load_files(PatternClock& clock, int file, LoadCounters& counters) {
    const std::vector<char> transfer(kTransfer, 'i');
    std::size_t at = 0;
    loop(clock, Load::files, counters.bytes, [&]() -> std::uint64_t {
        const ssize_t written = pwrite(file, transfer.data(), transfer.size(), static_cast<off_t>(at));
        at += kTransfer;
        if (at >= kMessage) {
            fsync(file);
            at = 0;
        }
        return written > 0 ? static_cast<std::uint64_t>(written) : 0;
    });
}

}  // namespace

void PatternClock::ready() {
    ready_.fetch_add(1);
    ready_.notify_all();
    begun_.wait(false);
}

SteadyClock::time_point PatternClock::begin(int loads) {
    for (int ready = ready_; ready < loads; ready = ready_) {
        ready_.wait(ready);
    }
    begin_ = SteadyClock::now();
    begun_ = true;
    begun_.notify_all();
    return begin_;
}

NoisePattern::Now PatternClock::now() const {
    return pattern_.at(std::chrono::duration<double>(SteadyClock::now() - begin_).count() * 1_s);
}

bool PatternClock::on(Load load) const {
    const NoisePattern::Now current = now();
    if (current.load == load) {
        return true;
    }
    std::this_thread::sleep_until(begin_ + std::chrono::duration_cast<SteadyClock::duration>(
                                               std::chrono::duration<double>(current.until.in(1_s))));
    return false;
}

int start_loads(const NoiseSettings& settings, PatternClock& clock, LoadCounters& counters) {
    int loads = 0;
    if (settings.pattern.has(Load::network)) {
        for (int pair = 0; pair < settings.threads * (settings.threads + 1); ++pair) {  // every rank to every other
            const Connection made = connection();
            std::thread(receive_messages, made.receiver, std::ref(counters)).detach();
            std::thread(send_messages, std::ref(clock), made.sender).detach();
            ++loads;
        }
    }
    if (settings.pattern.has(Load::files)) {
        std::thread(load_files, std::ref(clock), nameless_file(settings.directory), std::ref(counters)).detach();
        ++loads;
    }
    for (int thread = 0; thread < settings.threads; ++thread) {
        if (settings.pattern.has(Load::memory)) {
            std::thread(load_memory, std::ref(clock), settings.memory, std::ref(counters)).detach();
            ++loads;
        }
        if (settings.pattern.has(Load::cpu)) {
            std::thread(load_cpu, std::ref(clock), std::ref(counters)).detach();
            ++loads;
        }
    }
    return loads;
}

}  // namespace dodona::calibrate
