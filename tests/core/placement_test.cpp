#include "core/placement.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/model_samples.h"

namespace commflow {
namespace {

Workload default_work() {
  Workload work;
  work.model = samples::qwen3_30b_a3b();
  return work;
}

const std::vector<Rank> kEpGroup = {0, 1, 4, 5};

TEST(Placement, UniformAllToAll) {
  // 300 bytes to three peers; nodes of two: one peer is near.
  EXPECT_EQ(link_share(100, 300, kEpGroup, 0, Pattern::all_peers, 2), (LinkShare{100, 100, 200}));
  EXPECT_EQ(link_share(100, 300, kEpGroup, 0, Pattern::all_peers, 1), (LinkShare{100, 0, 300}));
  EXPECT_EQ(link_share(100, 300, kEpGroup, 0, Pattern::all_peers, 4), (LinkShare{100, 100, 200}));
  EXPECT_EQ(link_share(100, 300, kEpGroup, 0, Pattern::all_peers, 8), (LinkShare{100, 300, 0}));
}

TEST(Placement, RingSendsToItsNeighbour) {
  EXPECT_EQ(link_share(0, 300, kEpGroup, 0, Pattern::next, 2), (LinkShare{0, 300, 0}));
  EXPECT_EQ(link_share(0, 300, kEpGroup, 1, Pattern::next, 2), (LinkShare{0, 0, 300}));
  EXPECT_EQ(link_share(0, 300, kEpGroup, 5, Pattern::next, 2), (LinkShare{0, 0, 300})) << "back to rank 0";
  EXPECT_EQ(link_share(0, 300, kEpGroup, 0, Pattern::previous, 2), (LinkShare{0, 0, 300}));
}

TEST(Placement, AGroupOfOneSendsNothing) {
  EXPECT_EQ(link_share(7, 0, {3}, 3, Pattern::all_peers, 2), (LinkShare{7, 0, 0}));
}

TEST(Placement, NoByteIsLostInRounding) {
  for (Bytes bytes = 0; bytes < 50; ++bytes) {
    const LinkShare share = link_share(0, bytes, kEpGroup, 0, Pattern::all_peers, 2);
    EXPECT_EQ(share.nvlink + share.network, bytes);
    EXPECT_LE(std::abs(3 * share.nvlink - bytes), 1);
  }
}

TEST(Placement, DefaultDispatch) {
  constexpr Bytes kMiB = 1 << 20;
  const LinkShare share = link_share(default_work(), QuantityId::dispatch, 0, true);
  EXPECT_EQ(share, (LinkShare{32 * kMiB, 32 * kMiB, 64 * kMiB}));
  Workload one_node = default_work();
  one_node.gpus_per_node = 8;
  EXPECT_EQ(link_share(one_node, QuantityId::dispatch, 0, true), (LinkShare{32 * kMiB, 96 * kMiB, 0}));
}

TEST(Placement, DefaultLinkClasses) {
  const Workload work = default_work();
  EXPECT_EQ(link_share(work, QuantityId::sequence_gather, 0, true).network, 0) << "a TP pair is a node";
  EXPECT_EQ(link_share(work, QuantityId::pp_boundary, 0, true).nvlink, 0);
  EXPECT_EQ(link_share(work, QuantityId::pp_boundary, 0, true).network, 4096 * 2048 * 2);
  EXPECT_EQ(link_share(work, QuantityId::pp_boundary, 2, true), LinkShare{.local = 4096 * 2048 * 2}) << "last stage";
  EXPECT_EQ(link_share(work, QuantityId::dp_gradients, 0, true).nvlink, 0);
}

// Stages 0-2 with nodes of two: stage 1 hands on inside its node, back across.
TEST(Placement, PipelineGoesForwardAndBack) {
  Workload work = default_work();
  work.layout.tp = work.layout.dp = work.layout.ep = 1;
  work.layout.pp = 3;
  EXPECT_EQ(link_share(work, QuantityId::pp_boundary, 1, true).nvlink, 0);
  EXPECT_GT(link_share(work, QuantityId::pp_boundary, 1, true).network, 0);
  EXPECT_GT(link_share(work, QuantityId::pp_boundary_backward, 1, true).nvlink, 0);
  EXPECT_EQ(link_share(work, QuantityId::pp_boundary_backward, 1, true).network, 0);
}

TEST(Placement, SharedKeyValueHeadsLieSideBySide) {
  Workload work = default_work();
  work.layout.tp = 8;
  work.layout.pp = work.layout.dp = 1;
  work.layout.ep = 8;
  EXPECT_EQ(group_of_quantity(work, QuantityId::kv_gradients, 5), (std::vector<Rank>{4, 5}));
  const Quantity kv = count_quantity(work, QuantityId::kv_gradients, 0);
  EXPECT_EQ(kv.group, 2);
  EXPECT_EQ(kv.off_gpu, kv.logical);
  EXPECT_EQ(group_of_quantity(work, QuantityId::tp_gradients, 5).size(), 8U);
}

TEST(Placement, StepTrafficAddsUp) {
  const Workload work = default_work();
  const StepTraffic traffic = traffic_of_step(work, 0, true, false);
  const auto of = [&](Dimension dimension) { return traffic[static_cast<std::size_t>(dimension)]; };
  // Dispatch and combine, forward and backward, 24 layers, 8 micro-batches, and the counts.
  EXPECT_EQ(of(Dimension::ep).nvlink + of(Dimension::ep).network, 192LL * (4 * 100663296LL + 96 * 4));
  EXPECT_EQ(of(Dimension::pp).network, 8LL * 4096 * 2048 * 2) << "stage 1 only sends forward";
  EXPECT_EQ(of(Dimension::dp).network, count_quantity(work, QuantityId::dp_gradients, 0).off_gpu);
  EXPECT_EQ(of(Dimension::expert_dp), LinkShare{.local = 24 * 32 * 3LL * 2048 * 768 * 2});
  const StepTraffic zero = traffic_of_step(work, 0, true, true);
  EXPECT_EQ(zero[static_cast<std::size_t>(Dimension::dp)].network, of(Dimension::dp).network) << "two halves";
}

TEST(Placement, TimeSharesTheNetworkCards) {
  Gpu gpu;
  gpu.nvlink.value = 450'000'000'000;
  gpu.nic.value = 50'000'000'000;
  const LinkShare share{0, 450'000'000, 50'000'000};
  EXPECT_DOUBLE_EQ(time_at_full_speed(share, gpu, 8, 8).nvlink_us, 1000);
  EXPECT_DOUBLE_EQ(time_at_full_speed(share, gpu, 8, 8).network_us, 1000);
  EXPECT_DOUBLE_EQ(time_at_full_speed(share, gpu, 8, 1).network_us, 8000);
}

}  // namespace
}  // namespace commflow
