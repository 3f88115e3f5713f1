internal import Foundation

/// The contents of a directory at one moment, to be compared with another: names, bytes, and the
/// identity of each file.
public struct Snapshot: Equatable, Sendable {
  private let entries: [String: Entry]

  private struct Entry: Equatable {
    let bytes: Data?
    let inode: Int
    let modified: Date?
  }

  public init(of directory: String) throws {
    let files = FileManager.default
    var entries: [String: Entry] = [:]
    for name in files.enumerator(atPath: directory)?.compactMap({ $0 as? String }) ?? [] {
      let path = directory + "/" + name
      let facts = try files.attributesOfItem(atPath: path)
      entries[name] = Entry(
        bytes: facts[.type] as? FileAttributeType == .typeRegular
          ? files.contents(atPath: path) : nil,
        inode: facts[.systemFileNumber] as? Int ?? 0,
        modified: facts[.modificationDate] as? Date)
    }
    self.entries = entries
  }

  public var names: [String] { entries.keys.sorted() }
}

extension Site {
  /// The data directory now.
  public func snapshot() throws -> Snapshot { try Snapshot(of: scratch("data")) }
}
