#include "cli/interrupt.hpp"

#include <csignal>

namespace dodona::cli {

namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t is_interrupted = 0;

extern "C" void note_interrupt(int) { is_interrupted = 1; }

void listen_for(int signal) {
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
}

}  // namespace

void listen_for_interrupt() { listen_for(SIGINT); }

void listen_for_termination() { listen_for(SIGTERM); }

void listen_for_any_end() {
    listen_for_interrupt();
    listen_for_termination();
    listen_for(SIGQUIT);
    struct sigaction before {};
    if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {  // `nohup` ignores it
        listen_for(SIGHUP);
    }
}

void forget_interrupt() { is_interrupted = 0; }

bool interrupted() { return is_interrupted != 0; }

}  // namespace dodona::cli
