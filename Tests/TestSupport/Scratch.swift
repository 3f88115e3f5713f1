public import Foundation

/// A directory for one test, which is removed when the test has ended.
public final class Scratch: Sendable {
  public let path: String

  /// Makes it among the system's temporary files, or in another directory.
  public init(in parent: String? = nil) throws {
    let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
    let directory = parent.appendingPathComponent("uplift-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = directory.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file or directory in it.
  public func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Writes a file, with the directories above it, and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Data(text.utf8), to: name)
  }

  @discardableResult
  public func write(_ data: Data, to name: String) throws -> String {
    let url = URL(fileURLWithPath: self(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
    return url.path
  }

  /// Copies a file inside it; the directory of the copy is made.
  public func copy(_ name: String, to newName: String) throws {
    try write(Data(contentsOf: URL(fileURLWithPath: self(name))), to: newName)
  }

  /// Gives a file another name, and replaces the file that has it; makes the directories above it.
  public func move(_ name: String, to newName: String) throws {
    let new = URL(fileURLWithPath: self(newName))
    try FileManager.default.createDirectory(
      at: new.deletingLastPathComponent(), withIntermediateDirectories: true)
    guard rename(self(name), new.path) == 0 else { throw POSIXError(.EIO) }
  }

  /// Makes a directory empty.
  public func removeAll(_ name: String) throws {
    try? remove(name)
    try FileManager.default.createDirectory(
      atPath: self(name), withIntermediateDirectories: true)
  }

  public func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: self(name))
  }

  /// The bytes of a file; nil if there is none.
  public func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: self(name)) }

  /// The names in a directory, sorted; empty if there is no directory.
  public func names(_ directory: String = "") -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: self(directory))) ?? []).sorted()
  }
}
