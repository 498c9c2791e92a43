// Measured curves of collectives and kernels, made up so that the answers are known.
#include <math.h>  // before Boost 1.74's pchip, which calls isnan unqualified

#include <boost/math/interpolators/pchip.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <utility>

#include "cost/collective_curve.hpp"
#include "cost/device_time.hpp"
#include "scenes.hpp"

namespace dodona::cost {
namespace curve_test {

using cluster::Collective;
using namespace dodona::literals;

/// 10 us + n / 100 GB/s, doubled at every point: what a real log would disagree with alpha-beta about.
cluster::CollectiveCurve curve(int points, double error = 0.05) {
    cluster::CollectiveCurve result{.ranks = 16, .ranks_per_node = 8, .held_out_error = error};
    Bytes size = 1024_B;
    for (int i = 0; i < points; ++i) {
        result.points.push_back({size, 2 * (10_us + size / 100_GB_per_s)});
        size *= 4;
    }
    return result;
}

CollectiveRequest request(Bytes size, cluster::Group group = {{{1, 16}}}, std::int64_t ranks = 16) {
    return {.collective = Collective::all_reduce, .group = std::move(group), .size = size, .ranks = ranks};
}

// The cubic is our own, without allocation, for a search asks it millions of times. Boost has other slopes at the ends.
TEST(CollectiveCurve, is_the_monotone_cubic_of_boost) {
    const cluster::CollectiveCurve ours = curve(7);
    std::vector<double> xs, ys;
    for (const auto& point : ours.points) {
        xs.push_back(std::log(point.size.in(unit::byte)));
        ys.push_back(std::log(point.time.in(unit::second)));
    }
    const std::vector<double> at = xs;
    const boost::math::interpolators::pchip<std::vector<double>> boosts(std::move(xs), std::move(ys));
    for (std::size_t i = 1; i < at.size(); ++i) {
        for (const double share : {0.2, 0.5, 0.9}) {
            const double x = at[i - 1] + share * (at[i] - at[i - 1]);
            const double time = curve_time(ours, Bytes::of_base(std::exp(x))).time.value.in(unit::second);
            const bool at_an_end = i == 1 || i + 1 == at.size();
            EXPECT_NEAR(std::log(time), boosts(x), at_an_end ? 0.05 : 1e-9) << i << " " << share;
        }
    }
}

/// Sizes of 1, 2, 4 ... MB, so that slopes are powers of two from point to point.
cluster::CollectiveCurve of_times(const std::vector<double>& microseconds) {
    cluster::CollectiveCurve made;
    Bytes size = 1'000'000_B;
    for (const double time : microseconds) {
        made.points.push_back({size, time * 1_us});
        size *= 2;
    }
    return made;
}

double half_way(const cluster::CollectiveCurve& curve, std::size_t left) {
    const Bytes size = std::sqrt(2.0) * curve.points[left].size;
    return curve_time(curve, size).time.value.in(1_us);
}

// With pieces of equal width and slopes s (at the end) and r (next to it) the slope at the end is (3 s - r) / 2, 0 if it has
// the other sign, 3 s at most. At the inner point it is 0 at an extremum, else 2 s r / (s + r). Half-way log2 of the time is
// s/2 + (slope at the end - slope at the inner point) / 8 above the end.
TEST(CollectiveCurve, slopes_at_its_ends_keep_it_monotone) {
    const std::vector<std::pair<std::vector<double>, double>> cases{
        {{1, 2, 0.5, 4}, 0.5 + 2.5 / 8},         // s = 1, r = -2: 2.5
        {{1, 4, 1. / 256, 4}, 1 + 6. / 8},       // s = 2, r = -10: 8, so 6
        {{1, 2, 64, 128}, 0.5 - 10. / 6 / 8},    // s = 1, r = 5: -1, so 0; 10/6 at the inner point
        {{1, 4, 8, 4}, 1 + (2.5 - 4. / 3) / 8},  // s = 2, r = 1: 2.5; 4/3 at the inner point
    };
    for (const auto& [times, exponent] : cases) {
        EXPECT_NEAR(half_way(of_times(times), 0), std::exp2(exponent), 1e-9);
        // Backwards the last piece is the first one's mirror image.
        const std::vector<double> reversed(times.rbegin(), times.rend());
        EXPECT_NEAR(half_way(of_times(reversed), 2), std::exp2(exponent), 1e-9);
    }
    EXPECT_NEAR(half_way(of_times({1, 2, 64}), 0), std::sqrt(2.0), 1e-9) << "three points: straight";
}

// The last point of half the size or less: from 4 to 10 MB 6 MB in 3 us, so that 10 MB more take 5 us.
TEST(CollectiveCurve, goes_on_with_the_bandwidth_of_its_last_octave) {
    cluster::CollectiveCurve made;
    made.points = {{1'000'000_B, 1_us}, {4'000'000_B, 2_us}, {10'000'000_B, 5_us}};
    EXPECT_NEAR(curve_time(made, 20'000'000_B).time.value.in(1_us), 10, 1e-9);
    made.points = {{1'000'000_B, 1_us}, {5'000'000_B, 2_us}, {10'000'000_B, 5_us}};
    EXPECT_NEAR(curve_time(made, 20'000'000_B).time.value.in(1_us), 5 + 10 / (5. / 3), 1e-9)
        << "half the size is an octave";
    made.points = {{4'000'000_B, 5_us}, {10'000'000_B, 5_us}};
    EXPECT_NEAR(curve_time(made, 20'000'000_B).time.value.in(1_us), 10, 1e-9)
        << "no slower: the bandwidth of the whole";
}

TEST(CollectiveCurve, answers_with_its_own_points) {
    cluster::Cluster cluster = scene::two_levels();
    cluster.curves = {curve(8)};
    for (const auto& point : cluster.curves[0].points) {
        const auto found = collective_time(cluster, request(point.size));
        EXPECT_EQ(found.evidence, Evidence::measured);
        EXPECT_EQ(found.time.value, point.time);
        EXPECT_NEAR(found.time.hi / point.time, 1.05, 1e-12);
    }
}

TEST(CollectiveCurve, between_points_is_between_their_times) {
    for (const int points : {2, 3, 4, 8}) {
        const auto measured = curve(points);
        for (std::size_t i = 0; i + 1 < measured.points.size(); ++i) {
            const auto& left = measured.points[i];
            const auto& right = measured.points[i + 1];
            const auto found = curve_time(measured, 2 * left.size);
            EXPECT_EQ(found.evidence, Evidence::interpolated);
            EXPECT_GT(found.time.value, left.time);
            EXPECT_LT(found.time.value, right.time);
            EXPECT_NEAR(found.time.value / (2 * (10_us + 2 * left.size / 100_GB_per_s)), 1, 0.08);
        }
    }
}

// A straight line in log-log, t = s^(1/2) us: cubic and linear alike give it back.
TEST(CollectiveCurve, gives_a_power_law_back) {
    for (const std::size_t points : {3u, 6u}) {
        cluster::CollectiveCurve power;
        double size = 1024;
        for (std::size_t i = 0; i < points; ++i, size *= 4) {
            power.points.push_back({Bytes::of_base(size), std::sqrt(size) * 1_us});
        }
        for (const double between : {1500.0, 5000.0, 16000.0}) {
            EXPECT_NEAR(curve_time(power, Bytes::of_base(between)).time.value.in(1_us), std::sqrt(between), 1e-9);
        }
    }
}

TEST(CollectiveCurve, beyond_its_end_keeps_the_last_bandwidth_and_below_its_start_the_first_time) {
    const auto measured = curve(8);
    const auto& last = measured.points.back();
    const auto twice = curve_time(measured, 2 * last.size);
    EXPECT_NEAR(twice.time.value.in(1_us), (last.time + last.size / 50_GB_per_s).in(1_us), 1e-6);
    EXPECT_NEAR(twice.time.hi / twice.time.value, 1.10, 1e-12) << "an octave out: twice the error";
    const auto half = curve_time(measured, 512_B);
    EXPECT_EQ(half.time.value, measured.points.front().time);
    EXPECT_NEAR(half.time.hi / half.time.value, 1.10, 1e-12);
    EXPECT_EQ(curve_time(measured, Bytes{}).time.value, measured.points.front().time);
    EXPECT_EQ(half.evidence, Evidence::interpolated);
    EXPECT_NEAR(curve_time(measured, Bytes{}).time.hi / measured.points.front().time, 1.10, 1e-12) << "none is finite";
}

TEST(CollectiveCurve, of_one_point_holds_its_bandwidth) {
    const auto single = curve(1);
    EXPECT_NEAR(curve_time(single, 4096_B).time.value / single.points[0].time, 4, 1e-12);
}

TEST(CollectiveCurve, whose_last_times_fall_holds_the_whole_message_s_bandwidth) {
    auto noisy = curve(4);
    noisy.points.back().time = noisy.points[2].time;
    const auto& last = noisy.points.back();
    EXPECT_NEAR(curve_time(noisy, 2 * last.size).time.value / last.time, 2, 1e-12);
}

TEST(CollectiveCurve, without_a_held_out_error_is_not_taken_for_exact_between_its_points) {
    const auto found = curve_time(curve(8, 0), 2048_B);
    EXPECT_NEAR(found.time.hi / found.time.value, 1.22, 1e-12);
}

TEST(CollectiveCurve, answers_only_for_its_collective_ranks_and_placement) {
    cluster::Cluster cluster = scene::two_levels();
    cluster.curves = {curve(8)};
    const auto evidence = [&](const CollectiveRequest& asked) { return collective_time(cluster, asked).evidence; };
    EXPECT_EQ(evidence(request(2048_B)), Evidence::interpolated);
    EXPECT_EQ(evidence(request(2048_B, {{{1, 8}}})), Evidence::data_sheet);
    EXPECT_EQ(evidence(request(2048_B, {{{1, 16}}}, 32)), Evidence::interpolated);
    EXPECT_EQ(evidence(request(2048_B, {{{8, 16}}}, 128)), Evidence::data_sheet) << "one rank a node";
    CollectiveRequest gather = request(2048_B);
    gather.collective = Collective::all_gather;
    EXPECT_EQ(evidence(gather), Evidence::data_sheet);
    EXPECT_EQ(collective_time(cluster, request(2048_B), cluster::Algorithm::ring).evidence, Evidence::data_sheet)
        << "a forced algorithm is a question about the model";
}

TEST(CollectiveCurve, is_not_asked_where_the_job_s_groups_share_links) {
    cluster::Cluster cluster = scene::two_levels(2);
    cluster.curves = {{.ranks = 16, .ranks_per_node = 1, .points = curve(8).points}};
    EXPECT_EQ(collective_time(cluster, request(2048_B, {{{8, 16}}}, 128)).evidence, Evidence::data_sheet);
    cluster.levels[1].links = 8;
    EXPECT_EQ(collective_time(cluster, request(2048_B, {{{8, 16}}}, 128)).evidence, Evidence::interpolated);
}

TEST(CollectiveCurve, of_a_send_is_between_two_ranks_however_long_the_pipeline) {
    cluster::Cluster cluster = scene::two_levels();
    cluster.curves = {{.collective = Collective::send, .ranks = 2, .ranks_per_node = 1, .points = curve(8).points}};
    CollectiveRequest send = request(1024_B, {{{8, 16}}}, 128);
    send.collective = Collective::send;
    EXPECT_EQ(collective_time(cluster, send).evidence, Evidence::measured);
    EXPECT_EQ(collective_time(cluster, send, cluster::Algorithm::ring).evidence, Evidence::measured)
        << "a ring cannot be forced on a send";
}

RC_GTEST_PROP(CollectiveCurveProperty, is_monotone_where_its_points_are, ()) {
    cluster::CollectiveCurve measured;
    double size = 8;
    double time = 1e-6;
    const int points = *rc::gen::inRange(1, 12);
    for (int i = 0; i < points; ++i) {
        measured.points.push_back({Bytes::of_base(size), Seconds::of_base(time)});
        size *= *rc::gen::element(1.5, 2.0, 4.0);
        time *= *rc::gen::element(1.0, 1.01, 2.0, 5.0);
    }
    const double at = *rc::gen::inRange(1, 1 << 20);
    const auto less = curve_time(measured, Bytes::of_base(at));
    const auto more = curve_time(measured, Bytes::of_base(at * *rc::gen::element(1.001, 1.1, 3.0)));
    RC_ASSERT(less.time.value <= (1 + 1e-12) * more.time.value);
}

}  // namespace curve_test
}  // namespace dodona::cost
