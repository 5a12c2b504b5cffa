// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// File systems under SQLite that fail, and machines that lose their power.
#ifndef FAULTY_FILES_H
#define FAULTY_FILES_H

#endif
