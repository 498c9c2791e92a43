#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../cost/scenes.hpp"
#include "../graph/networks.hpp"
#include "../worlds/drawn_world.hpp"
#include "cost/collective_curve.hpp"
#include "cost/collective_time.hpp"
#include "cost/convolution_algorithms.hpp"
#include "cost/device_time.hpp"
#include "cost/error_source.hpp"
#include "cost/kernel_fit.hpp"
#include "cost/measured_bandwidth.hpp"
#include "cost/moved_tables.hpp"
#include "records.hpp"

namespace dodona::signature {

namespace {

namespace costs {

using namespace cost;
using cluster::Algorithm;
using cluster::Collective;
using cluster::LevelKind;
using drawn::Draw;
using graph::Direction;
using graph::Kernel;
using graph::KernelKind;

cluster::KernelFit drawn_fit(Draw& draw, KernelKind kind) {
    cluster::KernelFit fit{.kind = kind,
                           .precision = draw.of({Precision::bf16, Precision::fp16, Precision::fp32, Precision::fp8}),
                           .start = draw.of({0.0, 2.0, 4.0}) * 1_us,
                           .compute = draw.of({0.4, 0.8}),
                           .edge = draw.of({0.0, 20.0}),
                           .ramp = draw.of({0.0, 100.0}),
                           .tail = draw.of({0.25, 1.0}),
                           .memory = draw.of({0.5, 0.9}),
                           .overlap = draw.of({1.0, 3.0, 64.0}),
                           .window_gain = draw.of({1.0, 2.0, 0.5}),
                           .backward = draw.of({1.0, 1.5}),
                           .side = {draw.of({32.0, 256.0}), draw.of({2048.0, 65536.0})},
                           .depth = {64, draw.of({1024.0, 65536.0})},
                           .work = {1e6, draw.of({1e12, 1e15})},
                           .bytes = {1e4, draw.of({1e8, 1e12})},
                           .rows = 100,
                           .error = {.median = 0.05, .p90 = 0.15, .low = 0.9, .high = 1.2}};
    if (draw.one_in(3)) {
        fit.direction = draw.of({Direction::forward, Direction::backward_input, Direction::backward_weight});
    }
    if (draw.one_in(4)) {
        fit.benchmark_cast = cluster::InputCast{.start = 3_us, .bytes = 6};
    }
    return fit;
}

Kernel drawn_kernel(Draw& draw) {
    const auto extent = [&] {
        return draw.of({0.0, 1.0, 3.0, 8.0, 12.0, 20.0, 31.0, 32.0, 64.0, 150.0, 256.0, 500.0, 1024.0, 1536.0, 4096.0,
                        9000.0, 131072.0});
    };
    const double m = std::max(1.0, extent()), n = std::max(1.0, extent()), k = std::max(1.0, extent());
    const KernelKind kind =
        draw.of({KernelKind::matmul, KernelKind::matmul, KernelKind::convolution, KernelKind::attention,
                 KernelKind::stream, KernelKind::gather, KernelKind::recurrent});
    Kernel kernel = kind == KernelKind::stream ? graph::stream(m * n, draw.of({1.0, 50.0}))
                                               : graph::matmul(m, n, k, draw.of({1.0, 2.0, 12.0, 108.0, 3000.0}));
    kernel.kind = kind;
    kernel.times = draw.of({1.0, 1.0, 3.0});
    kernel.direction = draw.of({Direction::forward, Direction::backward_input, Direction::backward_weight});
    kernel.causal = draw.one_in(2);
    kernel.pooled = draw.one_in(2);
    kernel.window = draw.of({1.0, 9.0});
    if (draw.one_in(4)) {
        kernel.fixed_bytes = draw.of({1e5, 1e9}) * unit::byte;
    }
    if (draw.one_in(6)) {
        kernel.m = kernel.n = kernel.k = 0;
    }
    if (draw.one_in(8)) {
        kernel.flops *= 0.5;
    }
    return kernel;
}

cluster::KernelCurve drawn_curve(Draw& draw, const cluster::Device& device) {
    cluster::KernelCurve curve{.kind = draw.of({KernelKind::matmul, KernelKind::attention, KernelKind::stream,
                                                KernelKind::convolution, KernelKind::recurrent}),
                               .precision = draw.of({Precision::bf16, Precision::fp32}),
                               .exact = draw.one_in(5),
                               .held_out_error = draw.of({0.0, 0.08})};
    if (draw.one_in(3)) {
        curve.direction = draw.of({Direction::forward, Direction::backward_weight});
    }
    const std::size_t points = draw.of<std::size_t>({1, 2, 5, 9});
    double bytes = 1e5;
    for (std::size_t i = 0; i < points; ++i) {
        // One by one: the order in which arguments are evaluated is the compiler's.
        const double m = draw.of({64.0, 256.0, 1024.0, 4096.0});
        const double n = draw.of({64.0, 1024.0, 1536.0});
        const double k = draw.of({64.0, 512.0, 2048.0});
        const Kernel kernel = graph::matmul(m, n, k, draw.of({1.0, 12.0}));
        const bool pass = curve.kind == KernelKind::stream;
        bytes *= draw.of({3.0, 10.0, 40.0});
        cluster::KernelPoint point{.m = kernel.m, .n = kernel.n, .k = kernel.k, .batch = kernel.batch};
        point.bytes = pass || draw.one_in(3) ? Bytes::of_base(bytes) : Bytes{};
        point.flops = draw.one_in(3) ? 0.5 * kernel.flops : Flop{};
        point.time = pass ? Bytes::of_base(bytes) / (0.7 * device.memory_bandwidth) + 1_us
                          : kernel.flops / (0.3 * device.peak(Precision::bf16)) + 7_us;
        curve.points.push_back(point);
    }
    return curve;
}

cluster::Device drawn_device(Draw& draw) {
    cluster::Device device = scene::a100();
    device.matrix[Precision::fp16] = draw.of({312.0, 19.5, 78.0}) * 1_TFLOP_per_s;
    if (draw.one_in(2)) {
        device.matrix[Precision::tf32] = 156_TFLOP_per_s;
        device.matrix[Precision::fp8] = 624_TFLOP_per_s;
        device.matrix[Precision::mxfp8] = 624_TFLOP_per_s;
        device.matrix[Precision::nvfp4] = 1248_TFLOP_per_s;
    }
    device.tiles = draw.one_in(4)   ? std::vector<cluster::Tile>{}
                   : draw.one_in(2) ? device.tiles
                                    : cluster::DeviceDefaults{}.tiles;
    device.sustained = draw.of({1.0, 0.75});
    device.typical = draw.one_in(2);
    device.launch = draw.of({0.0, 5.0}) * 1_us;
    if (draw.one_in(6)) {
        device.vector = {};
    }
    if (draw.one_in(5)) {
        device.achieved = {{Precision::bf16, 200_TFLOP_per_s}};
    }
    device.profile.borrowed = draw.one_in(4);
    for (const KernelKind kind : {KernelKind::matmul, KernelKind::convolution, KernelKind::attention,
                                  KernelKind::stream, KernelKind::gather, KernelKind::recurrent}) {
        for (std::size_t i = draw.below(3); i > 0; --i) {
            device.profile.fits.push_back(drawn_fit(draw, kind));
        }
    }
    for (std::size_t i = draw.below(4); i > 0; --i) {
        device.curves.push_back(drawn_curve(draw, device));
    }
    return device;
}

cluster::CollectiveCurve drawn_collective_curve(Draw& draw) {
    const std::int64_t ranks = draw.of<std::int64_t>({2, 4, 8, 16});
    cluster::CollectiveCurve curve{
        .collective = draw.of({Collective::all_reduce, Collective::all_gather, Collective::send,
                               Collective::reduce_scatter, Collective::all_to_all}),
        .ranks = ranks,
        .ranks_per_node = draw.of<std::int64_t>({1, std::min<std::int64_t>(ranks, 8)}),
        .held_out_error = draw.of({0.0, 0.05})};
    double size = draw.of({1e3, 1e6});
    double time = draw.of({1e-5, 1e-4});
    for (std::size_t i = draw.of<std::size_t>({1, 2, 3, 6}); i > 0; --i) {
        curve.points.push_back({Bytes::of_base(size), Seconds::of_base(time)});
        size *= draw.of({4.0, 30.0});
        time *= draw.of({0.9, 1.0, 1.5, 4.0, 20.0});
    }
    return curve;
}

cluster::Level drawn_level(Draw& draw, bool inner) {
    cluster::Level level{
        .name = "level",
        .size = draw.of<std::int64_t>({2, 3, 4, 6, 8}),
        .kind = draw.of({LevelKind::switched, LevelKind::all_to_all, LevelKind::ring, LevelKind::fat_tree,
                         LevelKind::rail, LevelKind::bus, LevelKind::torus, LevelKind::dragonfly}),
        .links = draw.of<std::int64_t>({1, 2, 8}),
        .bandwidth = draw.of({3.0, 25.0, 300.0}) * 1_GB_per_s,
        .latency = draw.of({0.0, 3.0, 10.0}) * 1_us,
        .taper = draw.of({1.0, 1.0, 2.0}),
        .routing = draw.of({cluster::Routing::minimal, cluster::Routing::valiant, cluster::Routing::adaptive}),
        .efficiency = draw.of({1.0, 0.8})};
    if (level.kind == LevelKind::torus) {
        level.sizes = draw.of<std::vector<std::int64_t>>({{4, 4}, {2, 4, 2}, {8}, {3, 2}});
        level.size = 1;
        for (const std::int64_t size : level.sizes) {
            level.size *= size;
        }
    }
    if (draw.one_in(4)) {
        level.in_network = {.bandwidth = 0.6 * level.bandwidth, .latency = 4_us};
    }
    if (draw.one_in(3)) {
        level.link = cluster::Link{.name = "made-up", .bandwidth = level.bandwidth, .error = 0.1};
        level.link->borrowed = draw.of({0.0, 0.2});
        level.link->wiring = draw.of({cluster::Wiring::any, cluster::Wiring::pairs, cluster::Wiring::ring});
        level.link->protocols = {{"low-latency", {10_us, 1_us, 0.25}}, {"simple", {40_us, 2_us, 0.75}}};
        for (std::size_t i = inner ? draw.below(4) : 0; i > 0; --i) {
            level.link->curves.push_back(drawn_collective_curve(draw));
        }
    }
    return level;
}

cluster::Cluster drawn_cluster(Draw& draw) {
    cluster::Cluster cluster;
    cluster.name = "drawn";
    cluster.device = drawn_device(draw);
    const std::size_t levels = 1 + draw.below(3);
    for (std::size_t i = 0; i < levels; ++i) {
        cluster.levels.push_back(drawn_level(draw, i == 0));
    }
    cluster.node_level = levels > 2 && draw.one_in(3) ? 1 : 0;
    if (draw.one_in(2)) {
        cluster.collectives = draw.of({cluster::CollectiveLibrary::nccl, cluster::CollectiveLibrary::gloo,
                                       cluster::CollectiveLibrary::mpi, cluster::CollectiveLibrary::deepep});
    }
    if (draw.one_in(6)) {
        cluster.staging = cluster::Staging{
            .latency = 20_us, .bandwidth = 6_GB_per_s, .applies_to = {Collective::send, Collective::halo}};
    }
    if (draw.one_in(6)) {
        cluster.contention = draw.of({1.0, 2.0, 5.0});
    }
    for (std::size_t i = draw.below(5); i > 0; --i) {
        cluster.curves.push_back(drawn_collective_curve(draw));
    }
    using Place = cluster::ParameterServers::Place;
    cluster.parameter_servers = {.place = draw.of({Place::device, Place::host, Place::nodes}),
                                 .count = draw.of<std::int64_t>({1, 2, 4})};
    cluster.host = cluster::Host{.memory = 100_GiB, .bandwidth = 12_GB_per_s, .source = "drawn"};
    if (draw.one_in(4)) {
        std::int64_t ranks = 2;
        for (auto& measured : {1, 2}) {
            static_cast<void>(measured);
            ranks = std::min(ranks * draw.of<std::int64_t>({2, 4, 8}), cluster.devices());
            cluster.measured[draw.of({Collective::all_reduce, Collective::all_gather, Collective::all_to_all})] = {
                {ranks, draw.of({1.0, 5.0, 90.0}) * 1_GB_per_s}};
        }
        cluster.slow_downs = slow_downs(cluster);
    }
    return cluster;
}

CollectiveRequest drawn_request(Draw& draw, const cluster::Cluster& cluster) {
    const std::int64_t devices = cluster.devices();
    CollectiveRequest request{
        .collective = draw.of({Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                               Collective::all_to_all, Collective::send, Collective::halo}),
        .size = draw.of({1.0, 1e3, 3e5, 1e6, 1e9}) * unit::byte,
        .messages = draw.of({1, 2})};
    std::int64_t stride = draw.of<std::int64_t>({1, 1, 2, 3, 4, 8});
    stride = 2 * stride <= devices ? stride : 1;
    const std::int64_t size = std::min(draw.of<std::int64_t>({1, 2, 3, 4, 8, 16, 64}), devices / stride);
    request.group.strides = {{stride, size}};
    request.ranks = stride * size;
    if (draw.one_in(4) && 4 * request.ranks <= devices) {
        request.group.strides.push_back({request.ranks * 2, 2});
        request.ranks *= 4;
    }
    request.ranks *= 2 * request.ranks <= devices ? draw.of<std::int64_t>({1, 1, 2}) : 1;
    if (draw.one_in(2)) {
        request.routing = {.experts = draw.of({8, 64}), .chosen = draw.of({1, 2, 8})};
    }
    return request;
}

void add(Records& records, const std::string& what, const Estimate& estimate) {
    records.add(what, estimate.value.in(1_us));
    records.add("interval of " + what + ": low", estimate.lo.in(1_us));
    records.add("interval of " + what + ": high", estimate.hi.in(1_us));
}

void add(Records& records, const std::string& what, const KernelTime& found) {
    add(records, what, found.time);
    records.add("evidence of kernels", static_cast<double>(found.evidence));
}

void add(Records& records, const std::string& what, const CollectiveTime& found) {
    add(records, what, found.time);
    records.add("algorithm of collectives", name(found.algorithm));
    records.add("evidence of collectives", static_cast<double>(found.evidence));
    records.add("contention", found.contention);
    records.add("level of collectives", static_cast<double>(found.level));
    records.add("bytes sent", found.sent.in(unit::byte));
}

/// A kernel at a measured point of a curve, or near it.
Kernel kernel_near(Draw& draw, const cluster::KernelCurve& curve, const cluster::KernelPoint& point) {
    const double m = point.m * draw.of({1.0, 1.3});
    const double n = point.n * draw.of({1.0, 1.0, 1.5, 8.0});
    const double k = point.k * draw.of({1.0, 0.7});
    Kernel kernel = graph::matmul(m, n, k, point.batch);
    kernel.kind = curve.kind;
    kernel.direction = draw.of({Direction::forward, Direction::backward_weight});
    kernel.times = draw.of({1.0, 2.0});
    if (curve.kind == KernelKind::stream) {
        const double elements = point.bytes.in(unit::byte) / 2 * draw.of({1.0, 1.4});
        kernel = graph::stream(elements, draw.of({1.0, 80.0}));
    } else if (draw.one_in(2)) {
        kernel.flops = 0.5 * kernel.flops;
    }
    return kernel;
}

std::string family(KernelKind kind) { return fmt::format("kernels: {}", name(kind)); }
std::string cause(KernelKind kind) { return fmt::format("kernel {}", name(kind)); }

void add_kernels(Records& records) {
    Draw draw(1);
    for (int world = 0; world < 40; ++world) {
        const cluster::Device device = drawn_device(draw);
        for (int i = 0; i < 16; ++i) {
            const Kernel kernel = drawn_kernel(draw);
            const Precision precision = draw.of({Precision::bf16, Precision::fp16, Precision::fp32, Precision::tf32,
                                                 Precision::mxfp8, Precision::nvfp4});
            if (device.supports(precision)) {
                records.ask(family(kernel.kind), fmt::format("device {}, kernel {} {}", world, i, name(precision)));
                add(records, cause(kernel.kind), kernel_time(device, kernel, precision));
            }
        }
        for (std::size_t i = 0; i < device.curves.size(); ++i) {
            const cluster::KernelCurve& curve = device.curves[i];
            for (std::size_t point = 0; point < curve.points.size(); ++point) {
                const Kernel kernel = kernel_near(draw, curve, curve.points[point]);
                const KernelTime found = kernel_time(device, kernel, curve.precision);
                records.ask(family(curve.kind), fmt::format("device {}, near point {} of curve {}", world, point, i));
                add(records, cause(curve.kind), found);
                add(records, cause(curve.kind) + " as a whole", systematic(found));
            }
        }
        records.ask("kernels: of a device", fmt::format("device {}", world));
        add(records, cause(KernelKind::stream), stream_time(device, 12'345'678_B));
        for (const KernelKind kind :
             {KernelKind::matmul, KernelKind::convolution, KernelKind::attention, KernelKind::stream}) {
            records.add(fmt::format("most of the peak: {}", name(kind)),
                        most_of_peak(device, kind, Precision::bf16).value_or(-1));
        }
        for (const cluster::KernelFit& fit : device.profile.fits) {
            if (device.supports(fit.precision) && fit.kind == KernelKind::matmul) {
                records.add("kernel in a benchmark",
                            benchmark_seconds(device, fit, graph::matmul(1000, 300, 700), fit.precision).in(1_us));
            }
        }
    }
}

void add_collectives(Records& records) {
    Draw draw(2);
    for (int world = 0; world < 100; ++world) {
        const cluster::Cluster cluster = drawn_cluster(draw);
        for (const cluster::SlowDown& slow : cluster.slow_downs) {
            records.ask("collectives: measured", fmt::format("machine {}", world));
            records.add(fmt::format("measured bandwidth: {} of {}", name(slow.collective), slow.ranks), slow.factor);
        }
        for (int i = 0; i < 6; ++i) {
            CollectiveRequest request = drawn_request(draw, cluster);
            const std::string where = fmt::format("machine {}, request {}", world, i);
            const std::string family = fmt::format("collectives: {}", name(request.collective));
            const std::string what = fmt::format("collective {}", name(request.collective));
            records.ask(family, where);
            add(records, what, collective_time(cluster, request));
            const Algorithm forced =
                draw.of({Algorithm::ring, Algorithm::tree, Algorithm::double_tree, Algorithm::hierarchical,
                         Algorithm::direct, Algorithm::torus, Algorithm::in_network, Algorithm::parameter_server});
            records.ask(family, fmt::format("{}, {} forced", where, name(forced)));
            add(records, what, collective_time(cluster, request, forced));
            request.collective = Collective::all_reduce;
            records.ask("collectives: parameter servers", where);
            add(records, "collective all-reduce", collective_time(cluster, request, Algorithm::parameter_server));
        }
    }
}

/// Measured tables of a machine, scaled to one whose links and memory differ.
void add_tables(Records& records) {
    Draw draw(3);
    for (int world = 0; world < 25; ++world) {
        cluster::Cluster was = drawn_cluster(draw);
        was.mixed = {{.first = 0, .ranks = 2, .device = drawn_device(draw)}};
        cluster::Cluster is = was;
        for (cluster::Level& level : is.levels) {
            level.bandwidth *= draw.of({1.0, 2.0});
            level.latency *= draw.of({1.0, 3.0});
        }
        is.mixed[0].device.memory_bandwidth *= 2;
        is.device.memory_bandwidth *= draw.of({1.0, 2.0});
        const cluster::Cluster moved = moved_tables(was, is);
        records.ask("scaled measurements", fmt::format("machine {}", world));
        const auto add_curves = [&](const std::string& of, const std::vector<cluster::CollectiveCurve>& curves) {
            for (std::size_t i = 0; i < curves.size(); ++i) {
                for (const auto& point : curves[i].points) {
                    records.add(fmt::format("scaled {}: {}", of, i), point.time.in(1_us));
                }
            }
        };
        add_curves("curve of a machine", moved.curves);
        for (const cluster::Device* device : {&moved.device, &moved.mixed[0].device}) {
            for (const cluster::KernelCurve& curve : device->curves) {
                for (const cluster::KernelPoint& point : curve.points) {
                    records.add(fmt::format("scaled curve of kernels: {}", name(curve.kind)), point.time.in(1_us));
                }
            }
        }
        for (const cluster::Level& level : moved.levels) {
            if (level.link) {
                add_curves("curve of a link", level.link->curves);
            }
        }
    }
}

void add_convolutions(Records& records) {
    Draw draw(4);
    for (int i = 0; i < 40; ++i) {
        Convolution c{.samples = draw.of({1.0, 32.0}),
                      .groups = draw.of({1.0, 1.0, 4.0}),
                      .channels = draw.of({3.0, 64.0}),
                      .filters = draw.of({16.0, 128.0}),
                      .height = draw.of({16.0, 58.0, 256.0, 300.0}),
                      .width = draw.of({15.0, 58.0}),
                      .kernel_height = draw.of({1.0, 3.0, 5.0}),
                      .kernel_width = draw.of({3.0, 3.0, 7.0}),
                      .dense = !draw.one_in(4),
                      .input_gradient = !draw.one_in(4)};
        c.rows = c.height - c.kernel_height + 1;
        c.columns = c.width - c.kernel_width + 1;
        Kernel product = graph::matmul(c.samples * c.rows * c.columns, c.filters,
                                       c.channels * c.kernel_height * c.kernel_width, c.groups);
        product.kind = KernelKind::convolution;
        c.work = {.forward = {product}, .backward_input = {product}, .backward_weight = {product}};
        records.ask("algorithms of convolutions", fmt::format("convolution {}", i));
        for (const AlgorithmCost& cost : algorithm_costs(drawn_device(draw), c, Precision::fp32)) {
            records.add(fmt::format("algorithm of a convolution: {}, workspace", name(cost.algorithm)),
                        cost.workspace.in(unit::byte));
            records.add(fmt::format("algorithm of a convolution: {}, time", name(cost.algorithm)), cost.time.in(1_us));
        }
    }
    using graph::test::layer;
    for (const std::int64_t stride : {1, 2}) {
        for (const std::int64_t dilation : {1, 2}) {
            const graph::Graph network = graph::build(graph::test::network(
                graph::test::tensor({{"channel", 8}, {"height", 32}, {"width", 24}}),
                {layer("conv", "conv",
                       {{"filters", std::int64_t{16}},
                        {"kernel", std::int64_t{3}},
                        {"pad", std::int64_t{1}},
                        {"stride", stride},
                        {"dilation", dilation}}),
                 layer("grouped", "conv",
                       {{"filters", std::int64_t{16}}, {"kernel", std::int64_t{3}}, {"groups", std::int64_t{4}}}),
                 layer("pool", "max_pool", {{"kernel", std::int64_t{2}}}), layer("relu", "relu")}));
            records.ask("algorithms of convolutions", fmt::format("stride {}, dilation {}", stride, dilation));
            for (graph::Vertex v = 0; v < network.layers.size(); ++v) {
                const auto c = convolution_of(network, network.layer(v), 4);
                records.add(fmt::format("convolution of a layer: {}", network.layer(v).name),
                            !c ? "none"
                               : fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", c->samples, c->groups, c->channels,
                                             c->filters, c->height, c->width, c->rows, c->columns, c->kernel_height,
                                             c->kernel_width, c->dense, c->input_gradient));
            }
        }
    }
}

}  // namespace costs

}  // namespace

void add_costs(Records& records) {
    costs::add_kernels(records);
    costs::add_collectives(records);
    costs::add_tables(records);
    costs::add_convolutions(records);
}

}  // namespace dodona::signature
