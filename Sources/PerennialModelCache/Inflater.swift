// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CZlib
import Foundation

/// Makes what raw DEFLATE has compressed longer again, up to a limit.
///
/// Safe because zlib gets the addresses of two buffers and their lengths, only while both are lent.
enum Inflater {
  enum Failure: Error {
    case damaged
    case tooLarge
  }

  /// The size of the pieces that are made at once.
  private static let pieceByteCount = 64 * 1024

  /// - Throws: That the bytes are damaged, or stand for more than the limit.
  static func inflate(_ data: Data, limit: Int) throws(Failure) -> Data {
    var stream = z_stream()
    // Negative: there is neither header nor checksum.
    guard czlib_inflate_init(&stream, -15) == Z_OK else { throw .damaged }
    defer { inflateEnd(&stream) }
    var input = Array(data)
    guard !input.isEmpty, let count = UInt32(exactly: input.count) else { throw .damaged }
    var piece = [UInt8](repeating: 0, count: pieceByteCount)
    var output = Data()
    var place = 0
    while true {
      let before = place
      let (result, made) = input.withUnsafeMutableBufferPointer { input in
        piece.withUnsafeMutableBufferPointer { piece in
          stream.next_in = input.baseAddress.map { $0 + place }
          stream.avail_in = count - UInt32(place)
          stream.next_out = piece.baseAddress
          stream.avail_out = UInt32(piece.count)
          let result = CZlib.inflate(&stream, Z_NO_FLUSH)
          place = Int(count - stream.avail_in)
          return (result, piece.count - Int(stream.avail_out))
        }
      }
      output.append(contentsOf: piece[..<made])
      guard output.count <= limit else { throw .tooLarge }
      if result == Z_STREAM_END { return output }
      guard result == Z_OK, made > 0 || place > before else { throw .damaged }
    }
  }
}
