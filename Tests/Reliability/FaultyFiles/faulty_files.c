// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#include "faulty_files.h"
