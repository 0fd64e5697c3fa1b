#!/bin/sh
# Prepares the programs that compare_lm.py runs beside plimsoll, in a virtual environment of their own.
# Neither the build nor the tests need it.
#
#   bench/peers/prepare.sh [FOLDER]     default: build/peers
set -eu

folder=${1:-"$(dirname "$0")/../../build/peers"}
llama_cpp_python=0.3.36

python3 -m venv "$folder"
# From source and for this very processor: a prebuilt wheel would leave its widest instructions unused.
CMAKE_ARGS="-DGGML_NATIVE=ON" "$folder/bin/pip" install --no-binary llama-cpp-python \
  "llama-cpp-python==$llama_cpp_python"
"$folder/bin/python" -c 'import llama_cpp; print("llama-cpp-python", llama_cpp.__version__, "is ready")'
