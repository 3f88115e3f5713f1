import TestSupport
import Testing
import Uplift

/// The search of sixteen bytes at a time gives the answers of a plain loop.
struct ByteSearchTests {
  private static let bytes: [UInt8] = [0, 0x0a, 0x27, 0x2a, 0x5d, 0xff]
  private static let marks = [UInt8](";'\"`[-/".utf8)

  /// The answers of each search from each offset; the text has zero bytes after it, as a script
  /// has.
  private func found(in text: [UInt8]) -> [[Int]] {
    let padded = text + [UInt8](repeating: 0, count: 16)
    return padded.withUnsafeBufferPointer { buffer in
      let search = ByteSearch(UnsafeBufferPointer(rebasing: buffer[..<text.count]))
      return (0...text.count).map { start in
        Self.bytes.map { search.firstIndex(of: $0, from: start) } + [
          search.firstIndex(ofLetter: UInt8(ascii: "r"), from: start),
          search.firstIndexOfMark(from: start), search.firstIndexOfSpecial(from: start),
        ]
      }
    }
  }

  /// The answers of a plain loop.
  private func expected(in text: [UInt8]) -> [[Int]] {
    (0...text.count).map { start in
      func first(_ isWanted: (UInt8) -> Bool) -> Int {
        text[start...].firstIndex(where: isWanted) ?? text.count
      }
      return Self.bytes.map { byte in first { $0 == byte } } + [
        first { $0 == UInt8(ascii: "r") || $0 == UInt8(ascii: "R") },
        first(Self.marks.contains), first { $0 == 0 || $0 == 0x0d || $0 > 0x7f },
      ]
    }
  }

  @Test(
    .tags(.S8), arguments: [(1, 0), (15, 14), (16, 0), (16, 7), (16, 8), (16, 15), (33, 32)])
  func `finds every byte at every place in a block`(count: Int, index: Int) {
    for byte in UInt8.min...UInt8.max {
      var text = [UInt8](repeating: UInt8(ascii: "x"), count: count)
      text[index] = byte

      #expect(found(in: text) == expected(in: text), "\(text)")
    }
  }

  @Test(.tags(.S8), arguments: Dice.seeds(4))
  func `finds the first of many bytes in texts of every length`(seed: UInt64) {
    var dice = Dice(seed)
    let choices = [UInt8]("xxxxxxxxxxxxxxxxxxxxxxxxxxxx;'\"`[]-/*rR\r\n\u{0}ä".utf8)
    for count in 0...70 {
      let text = (0..<count).map { _ in dice.pick(choices) }

      #expect(found(in: text) == expected(in: text), "\(text)")
    }
  }
}
