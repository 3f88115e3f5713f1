/// A path as the operating system has it: bytes, in whatever encoding, without a zero byte.
///
/// Nothing here goes by `Character`: to Swift a slash and the combining mark that follows it are
/// one character, and to the operating system they are the end of a directory and the first byte of
/// a name.
package struct Path: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  package init(_ text: String) {
    self.init(text.utf8)
  }

  /// The path for a message; bytes that are not UTF-8 are shown as U+FFFD.
  package var shown: String { String(decoding: bytes, as: UTF8.self) }

  package var isAbsolute: Bool { bytes.first == Self.slash }

  /// The bytes after the last slash.
  package var name: ArraySlice<UInt8> {
    bytes[(bytes.lastIndex(of: Self.slash).map { $0 + 1 } ?? bytes.startIndex)...]
  }

  /// The directory that the path lies in, never empty: `.` for a bare name, `/` for the root.
  package var parent: Path {
    guard let last = bytes.lastIndex(of: Self.slash) else { return Path(".") }
    return last == 0 ? Path("/") : Path(bytes[..<last])
  }

  /// The path of something that lies in this directory.
  package func appending(_ name: some Sequence<UInt8>) -> Path {
    Path(bytes + (bytes.last == Self.slash ? [] : [Self.slash]) + name)
  }

  /// The path of the file beside this one whose name is longer by a suffix, as in `-journal`.
  package static func + (path: Path, suffix: String) -> Path {
    Path(path.bytes + suffix.utf8)
  }

  /// Lends the path to a C function, with a zero byte after it.
  package func withCString<Result, Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let terminated = bytes + [0]
    // `withUnsafeBufferPointer` of an array infers no typed error through a rebinding closure.
    var result: Swift.Result<Result, Failure>?
    terminated.withUnsafeBytes { buffer in
      let characters = buffer.assumingMemoryBound(to: CChar.self)
      guard let start = characters.baseAddress else { return }
      result = Swift.Result { () throws(Failure) in try body(start) }
    }
    guard let result else { preconditionFailure("an array of one byte has an address") }
    return try result.get()
  }

  private static let slash = UInt8(ascii: "/")
}
