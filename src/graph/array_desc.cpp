#include "graph/array_desc.h"

#include <mutex>

namespace plimsoll {
namespace {

std::atomic<size_t> live_nodes{0};

// Nodes whose last owner died while another node was being destroyed on this thread, waiting for their turn. A pointer,
// because arrays of static lifetime die after thread_local objects.
thread_local std::vector<std::shared_ptr<Node>>* dying_nodes = nullptr;

void destroy_without_recursion(std::shared_ptr<Node> node) {
  if (dying_nodes != nullptr) {
    dying_nodes->push_back(std::move(node));
    return;
  }
  std::vector<std::shared_ptr<Node>> pending;
  dying_nodes = &pending;
  pending.push_back(std::move(node));
  while (!pending.empty()) {
    std::shared_ptr<Node> next = std::move(pending.back());
    pending.pop_back();
    next.reset();
  }
  dying_nodes = nullptr;
}

}  // namespace

Node::Node(std::shared_ptr<Primitive> node_primitive, std::vector<array> node_inputs)
    : primitive(std::move(node_primitive)), inputs(std::move(node_inputs)) {
  live_nodes.fetch_add(1, std::memory_order_relaxed);
}

Node::~Node() { live_nodes.fetch_sub(1, std::memory_order_relaxed); }

size_t live_node_count() noexcept { return live_nodes.load(std::memory_order_relaxed); }

array node_output(const std::shared_ptr<Node>& node, int index) {
  static std::mutex mutex;  // two threads may ask for the same lost output; rare, so one lock for all nodes
  const std::lock_guard lock(mutex);
  Node::Output& output = node->outputs[index];
  std::shared_ptr<ArrayDesc> desc = output.desc.lock();
  if (desc == nullptr) {
    desc = std::make_shared<ArrayDesc>(output.shape, output.dtype);
    desc->node = node;
    desc->position = index;
    output.desc = desc;
  }
  return array(std::move(desc));
}

ArrayDesc::ArrayDesc(Shape array_shape, Dtype array_dtype)
    : shape(std::move(array_shape)), dtype(array_dtype), size(element_count(shape)) {}

ArrayDesc::~ArrayDesc() {
  if (node != nullptr && node.use_count() == 1) destroy_without_recursion(std::move(node));
}

}  // namespace plimsoll
