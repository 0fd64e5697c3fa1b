#include "lm/checkpoint.h"

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "base/quote.h"

namespace plimsoll::lm {

void Checkpoint::refuse(const std::string& name, const std::string& what) const {
  throw FileError(path_, fmt::format("tensor {}: {}", base::quote(name), what));
}

nn::Weight Checkpoint::take_matrix(Role role, int layer, int rows, int columns) {
  const std::string name = stem(role, layer);
  nn::Weight weight = matrix(name);
  if (weight.rows() != rows || weight.columns() != columns) {
    refuse(name + ".weight", fmt::format("has {} rows of {}, but the model's configuration asks for {} of {}",
                                         weight.rows(), weight.columns(), rows, columns));
  }
  return weight;
}

array Checkpoint::take_norm(Role role, int layer, int length) {
  return take_vector(stem(role, layer) + ".weight", length);
}

array Checkpoint::take_bias(Role role, int layer, int length) {
  return take_vector(stem(role, layer) + ".bias", length);
}

array Checkpoint::take_vector(const std::string& name, int length) {
  array values = vector(name);
  if (values.shape() != Shape{length}) {
    refuse(name, fmt::format("has {} elements in {} dimensions, but the model's configuration asks for {} in one",
                             values.size(), values.ndim(), length));
  }
  if (!issubdtype(values.dtype(), floating)) refuse(name, fmt::format("holds {}, not floats", name_of(values.dtype())));
  return values;
}

void Checkpoint::refuse_leftovers() const {
  for (const std::string& name : names()) {
    if (!taken_.contains(name) && !may_stay(name))
      refuse(name, "is no part of the architecture that the file declares");
  }
}

}  // namespace plimsoll::lm
