// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

var server = PluginServer()
server.run(MessageStream(input: 0, output: 1))
