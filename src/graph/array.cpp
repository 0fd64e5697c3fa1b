#include "plimsoll/array.h"

#include <stdexcept>
#include <string>

#include "plimsoll/transforms.h"
#include "graph/array_desc.h"
#include "graph/evaluation.h"
#include "graph/tracing.h"

namespace plimsoll {
namespace {

const std::vector<array> kNoInputs;
const std::shared_ptr<Primitive> kNoPrimitive;

std::string shape_text(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  return text + ")";
}

// Attaches the array to output `index` of the node.
std::shared_ptr<ArrayDesc> make_output(const std::shared_ptr<Node>& node, int index, Shape shape, Dtype dtype) {
  auto desc = std::make_shared<ArrayDesc>(std::move(shape), dtype);
  desc->node = node;
  desc->position = index;
  node->outputs.push_back({desc->shape, dtype, desc});
  for (const array& input : node->inputs) {
    if (input.is_tracer()) desc->tracer.store(true, std::memory_order_relaxed);
  }
  return desc;
}

}  // namespace

array::array(const std::complex<float>& value, Dtype dtype) : array(Uninitialized{}, Shape{}, dtype) { fill(&value); }

array::array(std::initializer_list<float> data)
    : array(Uninitialized{}, Shape{static_cast<ShapeElem>(data.size())}, float32) {
  fill(data.begin());
}

array::array(std::initializer_list<int> data, Dtype dtype)
    : array(Uninitialized{}, Shape{static_cast<ShapeElem>(data.size())}, dtype) {
  fill(data.begin());
}

array::array(Uninitialized, Shape shape, Dtype dtype) : desc_(std::make_shared<ArrayDesc>(std::move(shape), dtype)) {
  desc_->data = evaluation::allocate(nbytes(), "array");
  desc_->layout = row_major_layout(desc_->shape);
  desc_->status.store(available, std::memory_order_release);
}

array::array(void* data, Shape shape, Dtype dtype, const std::function<void(void*)>& deleter)
    : desc_(std::make_shared<ArrayDesc>(std::move(shape), dtype)) {
  desc_->data = std::make_shared<Data>(data, nbytes(), Data::Kind::kForeign, [data, deleter] {
    if (deleter) deleter(data);
  });
  desc_->layout = row_major_layout(desc_->shape);
  desc_->status.store(available, std::memory_order_release);
}

array::array(Shape shape, Dtype dtype, std::shared_ptr<Data> data, int64_t offset_bytes)
    : desc_(std::make_shared<ArrayDesc>(std::move(shape), dtype)) {
  desc_->layout = row_major_layout(desc_->shape);
  desc_->layout.offset = offset_bytes;
  desc_->data = std::move(data);
  desc_->status.store(evaluated, std::memory_order_release);
}

array::array(Shape shape, Dtype dtype, std::shared_ptr<Primitive> primitive, std::vector<array> inputs)
    : desc_(make_output(std::make_shared<Node>(std::move(primitive), std::move(inputs)), 0, std::move(shape), dtype)) {}

std::vector<array> array::make_arrays(std::vector<Shape> shapes, const std::vector<Dtype>& dtypes,
                                      const std::shared_ptr<Primitive>& primitive, const std::vector<array>& inputs) {
  const auto node = std::make_shared<Node>(primitive, inputs);
  node->outputs.reserve(shapes.size());
  std::vector<array> outputs;
  outputs.reserve(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    outputs.push_back(array(make_output(node, static_cast<int>(i), std::move(shapes[i]), dtypes[i])));
  }
  return outputs;
}

size_t array::size() const { return desc_->size; }
const Shape& array::shape() const { return desc_->shape; }
Dtype array::dtype() const { return desc_->dtype; }

namespace {

size_t checked_axis(int dim, size_t ndim) {
  const int axis = dim < 0 ? dim + static_cast<int>(ndim) : dim;
  if (axis < 0 || axis >= static_cast<int>(ndim)) {
    throw std::out_of_range("[array] axis " + std::to_string(dim) + " is out of range for " + std::to_string(ndim) +
                            " dimensions");
  }
  return static_cast<size_t>(axis);
}

}  // namespace

ShapeElem array::shape(int dim) const { return desc_->shape[checked_axis(dim, ndim())]; }
int64_t array::strides(int dim) const { return desc_->layout.strides[checked_axis(dim, ndim())]; }

void array::eval() {
  if (status() == unscheduled) {
    plimsoll::eval(std::vector<array>{*this});
  } else {
    wait();
  }
}

std::uintptr_t array::primitive_id() const { return reinterpret_cast<std::uintptr_t>(primitive_ptr().get()); }
bool array::has_primitive() const { return desc_->node != nullptr; }
Primitive& array::primitive() const { return *desc_->node->primitive; }
const std::shared_ptr<Primitive>& array::primitive_ptr() const {
  return desc_->node == nullptr ? kNoPrimitive : desc_->node->primitive;
}
const std::vector<array>& array::inputs() const { return desc_->node == nullptr ? kNoInputs : desc_->node->inputs; }
int array::output_index() const { return desc_->position; }

std::vector<array> array::outputs() const {
  if (desc_->node == nullptr) return {*this};
  std::vector<array> all;
  for (size_t i = 0; i < desc_->node->outputs.size(); ++i) {
    all.push_back(static_cast<int>(i) == desc_->position ? *this : node_output(desc_->node, static_cast<int>(i)));
  }
  return all;
}

void array::detach() { desc_->node.reset(); }

const Strides& array::strides() const { return desc_->layout.strides; }
const array::Flags& array::flags() const { return desc_->layout.flags; }
size_t array::data_size() const { return desc_->layout.data_size; }
int64_t array::offset() const { return desc_->layout.offset; }
size_t array::buffer_size() const { return desc_->data == nullptr ? 0 : desc_->data->buffer.bytes; }
const std::shared_ptr<Data>& array::data_shared_ptr() const { return desc_->data; }

void* array::raw_data() const {
  if (desc_->data == nullptr || desc_->data->buffer.bytes == 0) return nullptr;
  std::byte* const host = desc_->data->buffer.host != nullptr ? static_cast<std::byte*>(desc_->data->buffer.host)
                                                              : evaluation::host_address(desc_->data);
  return host + desc_->layout.offset;
}

array::Status array::status() const { return desc_->status.load(std::memory_order_acquire); }

bool array::is_available() const {
  const Status now = status();
  return now == available || (now == evaluated && evaluation::is_done(desc_->data->written));
}

void array::wait() const {
  if (status() != evaluated) return;
  evaluation::wait(desc_->data->written);
  desc_->status.store(available, std::memory_order_release);
}

bool array::is_tracer() const { return desc_->tracer.load(std::memory_order_relaxed) && tracing::is_active(); }
void array::set_tracer(bool tracer) { desc_->tracer.store(tracer, std::memory_order_relaxed); }

void array::check_count(size_t count) const {
  if (count != size()) {
    throw std::invalid_argument("[array] " + std::to_string(count) + " values do not fill the shape " +
                                shape_text(shape()));
  }
}

}  // namespace plimsoll
