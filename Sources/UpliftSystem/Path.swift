/// A path in the form that the operating system uses: bytes in any encoding, without a zero byte.
///
/// A path is never split by `Character`: if a combining mark follows a slash, Swift takes the two
/// for one character, and the operating system does not.
package struct Path: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The path for a message, with U+FFFD for bytes that are not UTF-8.
  package var shown: String { String(decoding: bytes, as: UTF8.self) }

  /// The path for a C function, with a zero byte at the end.
  var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

  package var isAbsolute: Bool { bytes.first == Self.slash }

  /// The bytes after the last slash.
  package var name: ArraySlice<UInt8> {
    bytes[(bytes.lastIndex(of: Self.slash).map { $0 + 1 } ?? bytes.startIndex)...]
  }

  /// The directory that the path lies in: `.` for a bare name, and `/` for the root.
  package var parent: Path {
    guard let last = bytes.lastIndex(of: Self.slash) else { return Path(".") }
    return last == 0 ? Path("/") : Path(Array(bytes[..<last]))
  }

  /// The names between the slashes.
  package var names: [ArraySlice<UInt8>] { bytes.split(separator: Self.slash) }

  /// The path of an entry of this directory.
  ///
  /// Not one generic function: its types would be made at run time, which costs a boot as much as the
  /// rest of its own work.
  package func appending(_ name: [UInt8]) -> Path {
    Path(bytes + (bytes.last == Self.slash ? [] : [Self.slash]) + name)
  }

  /// The path of an entry of this directory.
  package func appending(_ name: ArraySlice<UInt8>) -> Path { appending(Array(name)) }

  /// The path of an entry of this directory.
  package func appending(_ name: String.UTF8View) -> Path { appending(Array(name)) }

  /// The path with a suffix after the name, for example `-journal`.
  package static func + (path: Path, suffix: String) -> Path {
    Path(path.bytes + suffix.utf8)
  }

  private static let slash = UInt8(ascii: "/")
}
