#include "base/file_lock.hpp"

#include <cerrno>
#include <thread>

#include <sys/file.h>

namespace dodona {

namespace {

constexpr auto kBetween = std::chrono::milliseconds(50);

}  // namespace

bool lock(int descriptor, std::chrono::milliseconds patience) {
    for (auto waited = std::chrono::milliseconds(0);; waited += kBetween) {
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        if ((errno != EWOULDBLOCK && errno != EINTR) || waited >= patience) {
            return false;
        }
        std::this_thread::sleep_for(kBetween);
    }
}

}  // namespace dodona
