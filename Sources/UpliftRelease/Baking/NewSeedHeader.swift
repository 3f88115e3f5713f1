internal import Uplift
internal import UpliftSystem

/// The fields in the header of a new seed that do not follow from its content.
///
/// `VACUUM` raises `schema_version` each time, so the seed would change with each bake. The fields
/// are those of sqlite.org/fileformat2.html, section 1.3. The change counter and the
/// version-valid-for number must be equal, or SQLite ignores the size in the header.
struct NewSeedHeader {
  let version: Version
  /// True if the new seed is to be in WAL mode; then each copy of it is, too.
  let usesLog: Bool

  func write(to path: Path) throws(UpgradeError) {
    let mode: UInt8 = usesLog ? 2 : 1
    try UpgradeError.at(path) { () throws(SystemError) in
      let file = try OpenFile.writing(path)
      try Self.write([mode, mode], at: 18, to: file)
      for (offset, number) in [(24, 1), (40, 1), (60, version.number), (92, 1)] {
        try Self.write(Self.bytes(number), at: offset, to: file)
      }
    }
  }

  private static func bytes(_ number: Int32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }

  private static func write(
    _ bytes: [UInt8], at offset: Int, to file: borrowing OpenFile
  ) throws(SystemError) {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in try file.write(buffer, at: offset) }
    }
    try result.get()
  }
}
