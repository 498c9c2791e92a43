// When the messages of a step go over the network, and what of their time shows.
//
// Layer l computes forward in order 1 ... L, then backward L ... 1. Its gradient is ready at the end of its backward
// pass and joins a message (Exchange::bucket), which the network serves one at a time:
//
//   barrier        in the order in which they become ready; the next step waits for all of them
//   first-ready    in the same order; layer l of the next step waits for its own message only
//   newest-first   the newest overtakes at the next chunk, so layer 1, which the next step needs first, waits least
//
// The exposed time is what a step then takes beyond its compute, in the steady state of many steps. Newest-first serves
// by the order of deadlines, which no other order betters where it may interrupt anywhere; with chunks it may lose up to
// the time of one chunk.
// Source: Das et al., arXiv:1602.06709, section on overlap, and the documentation of Intel MLSL (intel/MLSL: message
// priority, the newest request first); Jackson's rule for one machine.
#pragma once

#include <vector>

#include "exchange/exchange.hpp"

namespace dodona::exchange {

/// A layer of the network on one worker. `bytes`: of its gradient.
struct LayerWork {
    Seconds forward;
    Seconds backward;
    Bytes bytes;
    double elements = 0;
};

/// A message of gradients of neighbouring layers.
struct Message {
    std::size_t first = 0;  ///< the layer that it is ready with, and that waits for it first
    std::size_t last = 0;
    Bytes bytes;
    double elements = 0;
    Seconds time;  ///< on the network
};

/// The layers in messages, last layers first; each but the first layers' has at least `bucket` bytes. Their times are
/// not set. Layers without gradients join the message of a later layer.
std::vector<Message> messages_of(const std::vector<LayerWork>& layers, Bytes bucket);

/// Exposed time of a step. `chunk`: time between two looks at newer messages.
Seconds exposed_messages(const std::vector<LayerWork>& layers, const std::vector<Message>& messages, Order order,
                         Seconds chunk);

}  // namespace dodona::exchange
