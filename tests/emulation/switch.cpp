// A network in one process: a TAP device in each of several network namespaces, and between them links of an exact
// rate.
//
// emulated-switch [--rate BITS_PER_SECOND] [--delay SECONDS] [--queue BYTES]
//                 [--leaf HOSTS --uplink BITS_PER_SECOND] NAMESPACE...
//
// Host i gets the device `net0` with the address 02:d0:0d:00:00:i. A frame from i to j crosses the link up from i,
// where leaves are asked for and i and j are on different ones the leaf's link to the spine and the other leaf's link
// from it, and the link down to j; each link is a virtual clock:
//   start = max(first bit here, link free);  last bit = max(start + 8 * bytes / rate, last bit before);
//   link free = last bit
// so links cut through (one free path costs the bytes once, at its slowest link) and a frame is delivered `delay`
// seconds after its last bit. Bytes are those of the Ethernet frame. A link drops a frame that would wait behind more
// than `queue` bytes. Not modelled: the gap between frames, pauses, errors. Says "ready" once all devices are there; on
// SIGTERM or SIGINT, or once its input ends, one line of JSON about what it carried. Exit 2: wrong arguments. Exit 77:
// the kernel does not let us.
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dodona::emulation {
namespace {

constexpr int kSkip = 77;
constexpr std::size_t kMaxHosts = 250;
constexpr std::array<unsigned char, 5> kAddressStart = {0x02, 0xd0, 0x0d, 0x00, 0x00};

using Nanoseconds = std::chrono::duration<double, std::nano>;  ///< since the start, on the monotonic clock

struct Options {
    double rate = 1e9;     ///< bits/s of a host's link, each way
    double uplink = 1e9;   ///< bits/s of a leaf's link to the spine, each way
    double delay = 20e-6;  ///< seconds, one way, whatever the path
    double queue = 16e6;   ///< bytes that a link holds
    double leaf = 0;       ///< hosts on a leaf; 0: all on one switch
    std::vector<std::string> namespaces;
};

class Refused : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

std::string reason(const std::string& what) { return what + ": " + std::strerror(errno); }

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

Descriptor open_or_refuse(const std::string& path, int flags) {
    Descriptor opened(open(path.c_str(), flags | O_CLOEXEC));
    if (opened.number() < 0) throw Refused(reason(path));
    return opened;
}

/// The device `net0` of a namespace, read and written without waiting. Leaves this thread where it was.
Descriptor make_tap(const std::string& name, unsigned char host) {
    const Descriptor home = open_or_refuse("/proc/self/ns/net", O_RDONLY);
    const Descriptor away = open_or_refuse("/run/netns/" + name, O_RDONLY);
    if (setns(away.number(), CLONE_NEWNET) != 0) throw Refused(reason("entering " + name));
    Descriptor tap = open_or_refuse("/dev/net/tun", O_RDWR | O_NONBLOCK);
    ifreq request{};
    std::strncpy(request.ifr_name, "net0", IFNAMSIZ - 1);
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    if (ioctl(tap.number(), TUNSETIFF, &request) != 0) throw Refused(reason("making a TAP device in " + name));
    request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
    std::copy(kAddressStart.begin(), kAddressStart.end(), request.ifr_hwaddr.sa_data);
    request.ifr_hwaddr.sa_data[kAddressStart.size()] = static_cast<char>(host);
    if (ioctl(tap.number(), SIOCSIFHWADDR, &request) != 0) throw Refused(reason("naming the device of " + name));
    if (setns(home.number(), CLONE_NEWNET) != 0) throw Refused(reason("coming back from " + name));
    return tap;
}

struct Link {
    double bytes_per_ns;
    Nanoseconds free{};
};

struct Frame {
    std::vector<unsigned char> bytes;
    std::vector<std::size_t> path;  ///< of links
    std::size_t to;
    std::size_t hop = 0;  ///< which of the path is next; past its end: to be delivered
    Nanoseconds first{};  ///< bit of it at the next link
    Nanoseconds last{};
    std::uint64_t number = 0;  ///< decides between equal times

    [[nodiscard]] Nanoseconds due() const { return hop < path.size() ? first : last; }
};

struct Later {
    bool operator()(const Frame& a, const Frame& b) const {
        return a.due() != b.due() ? a.due() > b.due() : a.number > b.number;
    }
};

class Switch {
public:
    explicit Switch(const Options& options)
        : options_(options),
          leaf_(options.leaf > 0 ? static_cast<std::size_t>(options.leaf) : options.namespaces.size()),
          hosts_(options.namespaces.size()) {
        const std::size_t leaves = (hosts_ + leaf_ - 1) / leaf_;
        links_.assign(2 * hosts_, Link{options.rate / 8e9});
        links_.insert(links_.end(), 2 * leaves, Link{options.uplink / 8e9});
        for (std::size_t i = 0; i < hosts_; ++i) {
            taps_.push_back(make_tap(options.namespaces[i], static_cast<unsigned char>(i)));
        }
    }

    /// Carries frames until a signal arrives at `signals` or `input` ends.
    void run(int signals, int input) {
        std::vector<pollfd> waiting;
        for (const Descriptor& tap : taps_) waiting.push_back({tap.number(), POLLIN, 0});
        waiting.push_back({signals, POLLIN, 0});
        waiting.push_back({input, POLLIN, 0});
        while (true) {
            const timespec pause = time_to_next();
            const int ready =
                ppoll(waiting.data(), waiting.size(), waiting_frames_.empty() ? nullptr : &pause, nullptr);
            if (ready < 0 && errno != EINTR) throw Refused(reason("waiting for frames"));
            if ((waiting[hosts_].revents | waiting[hosts_ + 1].revents) != 0) return;
            for (std::size_t i = 0; ready > 0 && i < hosts_; ++i) {
                if ((waiting[i].revents & POLLIN) != 0) take_frames(i);
            }
            move_frames();
        }
    }

    [[nodiscard]] std::string report() const {
        std::array<char, 256> text{};
        const int size = std::snprintf(
            text.data(), text.size(),
            R"({"delivered": %llu, "bytes": %llu, "largest": %zu, "dropped": %llu, "mean_lateness": %.3g, "late": %llu})",
            static_cast<unsigned long long>(delivered_), static_cast<unsigned long long>(bytes_), largest_,
            static_cast<unsigned long long>(dropped_),
            delivered_ == 0 ? 0. : lateness_.count() * 1e-9 / double(delivered_),
            static_cast<unsigned long long>(late_));
        return {text.data(), static_cast<std::size_t>(size)};
    }

private:
    [[nodiscard]] Nanoseconds now() const { return std::chrono::steady_clock::now() - start_; }

    [[nodiscard]] timespec time_to_next() const {
        if (waiting_frames_.empty()) return {};
        const double wait = std::max(0., (waiting_frames_.front().due() - now()).count());
        return {static_cast<time_t>(wait / 1e9), static_cast<long>(std::fmod(wait, 1e9))};
    }

    void take_frames(std::size_t from) {
        std::array<unsigned char, 65536> buffer;
        constexpr int kAtOnce = 16;  // of one host before the others have their turn
        for (int i = 0; i < kAtOnce; ++i) {
            const ssize_t size = read(taps_[from].number(), buffer.data(), buffer.size());
            if (size < static_cast<ssize_t>(2 * (kAddressStart.size() + 1))) return;
            const std::vector<unsigned char> bytes(buffer.begin(), buffer.begin() + size);
            if ((bytes[0] & 1) == 0) {
                if (std::equal(kAddressStart.begin(), kAddressStart.end(), bytes.begin())) {
                    send(from, bytes[kAddressStart.size()], bytes);
                }
                continue;
            }
            for (std::size_t to = 0; to < hosts_; ++to) {
                if (to != from) send(from, to, bytes);
            }
        }
    }

    void send(std::size_t from, std::size_t to, std::vector<unsigned char> bytes) {
        if (to >= hosts_ || to == from) return;
        std::vector<std::size_t> path = {from};
        if (from / leaf_ != to / leaf_) {
            const std::size_t leaves = (links_.size() - 2 * hosts_) / 2;
            path.push_back(2 * hosts_ + from / leaf_);
            path.push_back(2 * hosts_ + leaves + to / leaf_);
        }
        path.push_back(hosts_ + to);
        const Nanoseconds here = now();
        wait({std::move(bytes), std::move(path), to, 0, here, here, ++frames_});
    }

    void wait(Frame frame) {
        waiting_frames_.push_back(std::move(frame));
        std::push_heap(waiting_frames_.begin(), waiting_frames_.end(), Later{});
    }

    void move_frames() {
        while (!waiting_frames_.empty() && waiting_frames_.front().due() <= now()) {
            std::pop_heap(waiting_frames_.begin(), waiting_frames_.end(), Later{});
            Frame frame = std::move(waiting_frames_.back());
            waiting_frames_.pop_back();
            if (frame.hop == frame.path.size()) {
                deliver(frame);
                continue;
            }
            Link& link = links_[frame.path[frame.hop]];
            const Nanoseconds start = std::max(frame.first, link.free);
            if ((start - frame.first).count() * link.bytes_per_ns > options_.queue) {
                ++dropped_;
                continue;
            }
            const Nanoseconds length(static_cast<double>(frame.bytes.size()) / link.bytes_per_ns);
            link.free = std::max(start + length, frame.last);
            frame.first = start;
            frame.last = link.free;
            if (++frame.hop == frame.path.size()) frame.last += Nanoseconds(options_.delay * 1e9);
            wait(std::move(frame));
        }
    }

    void deliver(const Frame& frame) {
        const Nanoseconds late = now() - frame.last;
        const ssize_t written = write(taps_[frame.to].number(), frame.bytes.data(), frame.bytes.size());
        if (written != static_cast<ssize_t>(frame.bytes.size())) {
            ++dropped_;  // the device is down, or its queue is full
            return;
        }
        ++delivered_;
        bytes_ += frame.bytes.size();
        largest_ = std::max(largest_, frame.bytes.size());
        lateness_ += late;
        if (late > std::chrono::milliseconds(1)) ++late_;
    }

    Options options_;
    std::size_t leaf_;   ///< hosts of one
    std::size_t hosts_;  ///< links: up of each host, down to each, up of each leaf, down to each
    std::vector<Descriptor> taps_;
    std::vector<Link> links_;
    std::vector<Frame> waiting_frames_;  ///< a heap: the next one due in front
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    Nanoseconds lateness_{};
    std::size_t largest_ = 0;  ///< frame, bytes
    std::uint64_t frames_ = 0, delivered_ = 0, bytes_ = 0, dropped_ = 0, late_ = 0;
};

double positive(std::string_view name, std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0)) {
        throw std::invalid_argument("'" + std::string(text) + "' is no value of " + std::string(name) +
                                    "; give a number without a unit, as in --rate 1e9");
    }
    return value;
}

Options options_of(const std::vector<std::string_view>& words) {
    Options options;
    const std::array<std::pair<std::string_view, double Options::*>, 5> known = {{{"--rate", &Options::rate},
                                                                                  {"--uplink", &Options::uplink},
                                                                                  {"--delay", &Options::delay},
                                                                                  {"--queue", &Options::queue},
                                                                                  {"--leaf", &Options::leaf}}};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto option =
            std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.first == words[i]; });
        if (option != known.end() && i + 1 < words.size()) {
            options.*(option->second) = positive(words[i], words[i + 1]);
            ++i;
        } else if (words[i].starts_with('-')) {
            throw std::invalid_argument("'" + std::string(words[i]) +
                                        "' is not understood; known are --rate, --uplink, --delay, --queue and --leaf, "
                                        "each with a number");
        } else {
            options.namespaces.emplace_back(words[i]);
        }
    }
    if (options.namespaces.size() < 2 || options.namespaces.size() > kMaxHosts) {
        throw std::invalid_argument("name 2 to 250 network namespaces, as `ip netns list` shows them");
    }
    if (options.rate <= 0 || options.uplink <= 0) throw std::invalid_argument("a link needs a rate above 0");
    return options;
}

/// Frames are moved on time also where programs keep all cores busy; where that is not allowed, as timely as it gets.
bool run_before_others() {
    prctl(PR_SET_TIMERSLACK, 1);
    sched_param priority{};
    priority.sched_priority = 10;
    return sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
}

int carry(const std::vector<std::string_view>& words) {
    Switch emulated(options_of(words));
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    sigprocmask(SIG_BLOCK, &ending, nullptr);
    const Descriptor signals(signalfd(-1, &ending, SFD_CLOEXEC));
    if (signals.number() < 0) throw Refused(reason("waiting for signals"));
    std::printf("ready%s\n", run_before_others() ? "" : ", without priority");
    std::fflush(stdout);
    emulated.run(signals.number(), STDIN_FILENO);
    std::printf("%s\n", emulated.report().c_str());
    return 0;
}

}  // namespace
}  // namespace dodona::emulation

int main(int count, char** arguments) {
    try {
        return dodona::emulation::carry({arguments + 1, arguments + count});
    } catch (const std::invalid_argument& wrong) {
        std::fprintf(stderr, "emulated-switch: %s\n", wrong.what());
        return 2;
    } catch (const dodona::emulation::Refused& refused) {
        std::fprintf(stderr, "emulated-switch: %s\n", refused.what());
        return dodona::emulation::kSkip;
    }
}
