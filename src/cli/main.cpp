#include "cli/app.h"

int main(int argc, char** argv) { return plimsoll::cli::run(argc, argv); }
