// Text from a language model: generate MODEL PROMPT, where MODEL is a GGUF file, a model folder, or a pulled model's
// name.
#include <plimsoll/plimsoll.h>

#include <iostream>

namespace pl = plimsoll;

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cout << "usage: generate MODEL PROMPT\n";
    return argc == 1 ? 0 : 2;
  }
  try {
    const pl::lm::Model model = pl::lm::Model::load(argv[1]);
    pl::lm::GenerateOptions options;
    options.max_tokens = 64;
    options.on_text = [](std::string_view text) {
      std::cout << text << std::flush;
      return true;
    };
    const auto result = pl::lm::generate(model, model.tokenizer().encode(argv[2]), options);
    std::cout << '\n' << result.decode_tokens_per_second() << " tokens/s\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
