#include "base/file_lock.hpp"

#include <cerrno>
#include <chrono>
#include <thread>

#include <sys/file.h>

namespace dodona {

namespace {

constexpr int kTries = 20;
constexpr auto kBetween = std::chrono::milliseconds(50);

}  // namespace

bool lock(int descriptor) {
    for (int tried = 0; tried < kTries; ++tried) {
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return false;
        }
        std::this_thread::sleep_for(kBetween);
    }
    return false;
}

}  // namespace dodona
