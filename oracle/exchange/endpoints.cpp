#include "exchange/endpoints.hpp"

#include "cluster/volume.hpp"

namespace dodona::exchange {

namespace {

using cluster::Collective;

Workers limited(Workers workers, BytesPerSecond most) {
    workers.inside.bandwidth = min(workers.inside.bandwidth, most);
    workers.between.bandwidth = min(workers.between.bandwidth, static_cast<double>(workers.per_node) * most);
    workers.near = min(workers.near, most);
    workers.far = min(workers.far, most);
    return workers;
}

}  // namespace

Network network_with(const CoreSplit& split, BytesPerSecond rate, Network network) {
    const BytesPerSecond most = static_cast<double>(split.endpoints) * rate;
    const std::int64_t workers = network.workers.count;
    network.workers = limited(network.workers, most);
    network.collective = [of_links = std::move(network.collective), most, workers](Collective what, Bytes size) {
        return max(of_links(what, size), cluster::sent_share(what, workers) * size / most);
    };
    network.compress = [of_all = std::move(network.compress), split](const Compression& how, const Buffer& buffer) {
        return split.slow_down() * of_all(how, buffer);
    };
    return network;
}

ReplicaWork work_beside(const CoreSplit& split, ReplicaWork work) {
    const double slow_down = split.slow_down();
    for (LayerWork& layer : work.layers) {
        layer.forward = slow_down * layer.forward;
        layer.backward = slow_down * layer.backward;
    }
    work.compute = slow_down * work.compute;
    return work;
}

}  // namespace dodona::exchange
