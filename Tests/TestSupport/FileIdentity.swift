internal import Foundation

/// The identity of a file, whatever it holds.
public struct FileIdentity: Equatable, Sendable {
  private let inode: Int

  public init(_ path: String) throws {
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    inode = facts[.systemFileNumber] as? Int ?? 0
  }
}
