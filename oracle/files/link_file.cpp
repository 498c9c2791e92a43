#include "files/link_file.hpp"

#include "files/curves.hpp"
#include "files/read_description.hpp"

namespace dodona::files {

namespace {

using cluster::CollectiveCurve;
using cluster::Link;
using cluster::LinkTiming;
using cluster::Protocol;

}  // namespace

template <>
const Description& description<Protocol>() {
    static const Description described{
        .noun = "protocol",
        .summary =
            "One way to drive the links. A collective in s steps with b bytes out of a child takes start + s x step + "
            "b / (efficiency x bandwidth), and the library takes the quickest protocol for the size at hand.",
        .keys = {required<&Protocol::name>("name", "Its name: low-latency, simple.",
                                           {.help = "low-latency, simple", .form = &kName}),
                 required<&Protocol::timing, &LinkTiming::start>(
                     "start", "Start-up time of a collective, including the launch of its kernel.",
                     {.range = kNotNegative, .help = "once a collective: 8 us"}),
                 required<&Protocol::timing, &LinkTiming::step>(
                     "step", "Time of one message between children.",
                     {.range = kNotNegative, .help = "of one message: 1 us"}),
                 required<&Protocol::timing, &LinkTiming::efficiency>(
                     "efficiency", "Share of the level's bandwidth that it reaches.",
                     {.range = kPositiveShare, .help = "the share of the bandwidth that it reaches: 0.9"})},
        .one_line = true,
        .defaults = default_of<Protocol>};
    return described;
}

template <>
const Description& description<Link>() {
    static const Description described{
        .noun = "link",
        .summary =
            "A class of links, and what a communication library was measured to make of it. A curve answers for groups "
            "of its ranks that have the level's links for themselves: tensor groups inside a node, or one rank of each "
            "node with an adapter of its own. For other numbers of ranks the protocols answer, corrected by what they "
            "miss the measured neighbours by; for groups over several levels, the protocols of each level.",
        .keys =
            {file_name<&Link::name>("link"), file_source<&Link::source>(),
             optional<&Link::wiring>("wiring", "What joined the devices that were measured."),
             required<&Link::bandwidth>(
                 "bandwidth",
                 "Of one device, all its links together, one way; between nodes, of one adapter. A level that names "
                 "the link has the same bandwidth.",
                 {.range = kPositive, .help = "of one device, all its links, one way: 300 GB/s"}),
             optional<&Link::error>("error",
                                    "90th-percentile relative error of the protocols alone on the measured tables.",
                                    {.range = kNotNegative}),
             optional<&Link::borrowed>("borrowed",
                                       "Added to every error, where the link is not the one that was measured.",
                                       {.range = kNotNegative, .help = "the error that this adds: 0.1"}),
             optional<&Link::protocols>("protocols", "Ordered by start-up time; the fastest for a message size counts.",
                                        {.distinct = true}),
             optional_as<&Link::curves>(list_type<CollectiveCurve>(record_type(link_curve)), "curves",
                                        "Measured collectives.")},
        .file_kind = "link",
        .defaults = default_of<Link>};
    return described;
}

Link read_link(Document document) { return read_file<Link>(std::move(document)); }

}  // namespace dodona::files
