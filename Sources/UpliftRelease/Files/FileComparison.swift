internal import Uplift
internal import UpliftSystem

/// Compares the bytes of two files.
enum FileComparison {
  static func areEqual(_ one: Path, _ other: Path) throws(UpgradeError) -> Bool {
    try UpgradeError.at(other) { () throws(SystemError) in
      let first = try OpenFile.reading(one)
      let second = try OpenFile.reading(other)
      guard try first.facts().size == second.facts().size else { return false }
      let size = 1 << 18
      let left = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
      let right = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
      defer {
        left.deallocate()
        right.deallocate()
      }
      while true {
        let count = try first.read(into: left)
        guard try second.read(into: right) == count else { return false }
        guard left.begins(as: right, count: count) else { return false }
        if count < size { return true }
      }
    }
  }
}
