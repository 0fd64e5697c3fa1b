// The weights of a model by their role, whatever a file format calls them. Loading takes each weight once; what is left
// over at the end was not understood.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "plimsoll/array.h"
#include "plimsoll/io.h"
#include "plimsoll/lm/config.h"
#include "plimsoll/nn/weight.h"

namespace plimsoll::lm {

enum class Role {
  kEmbedding,
  kFinalNorm,
  kHead,
  kAttentionNorm,
  kQuery,
  kKey,
  kValue,
  kAttentionOutput,
  kQueryNorm,
  kKeyNorm,
  kFeedForwardNorm,
  kGate,
  kUp,
  kDown,
};

class Checkpoint {
 public:
  explicit Checkpoint(std::string path) : path_(std::move(path)) {}
  virtual ~Checkpoint() = default;
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  // The weight [rows, columns] of a role; `layer` is not looked at for roles outside the layers. FileError naming the
  // tensor when it is missing, of another shape or of a type that is not computed with.
  nn::Weight take_matrix(Role role, int layer, int rows, int columns);

  // The same for norms and biases: [length].
  array take_norm(Role role, int layer, int length);
  array take_bias(Role role, int layer, int length);

  // GGUF's per-frequency divisors of the rotary embedding, if the file has them: [length].
  virtual std::vector<float> take_rope_factors(int length) = 0;

  bool has_matrix(Role role) const { return holds(stem(role, 0) + ".weight"); }

  // FileError naming a tensor that no one took. Tensors that files carry without need (the rotary embedding's inverse
  // frequencies, a second copy of a tied head) may stay.
  void refuse_leftovers() const;

 protected:
  // The tensor's name without ".weight" or ".bias".
  virtual std::string stem(Role role, int layer) const = 0;
  virtual bool holds(const std::string& name) const = 0;
  virtual std::vector<std::string> names() const = 0;
  virtual bool may_stay(const std::string& name) const = 0;
  // Both name the tensor they cannot find or compute with, and mark what they give as taken.
  virtual nn::Weight matrix(const std::string& stem) = 0;
  virtual array vector(const std::string& name) = 0;

  void mark_taken(const std::string& name) { taken_.insert(name); }
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const;

 private:
  array take_vector(const std::string& name, int length);

  std::string path_;
  std::set<std::string> taken_;
};

std::unique_ptr<Checkpoint> open_gguf_checkpoint(const GgufFile& file);
std::unique_ptr<Checkpoint> open_folder_checkpoint(const std::string& folder, const Config& config);

}  // namespace plimsoll::lm
