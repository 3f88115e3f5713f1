internal import Uplift
internal import UpliftSystem

/// The directory of `--each`: the names that end in `.db`, and the journals without a database.
struct DatabaseDirectory: Sendable {
  /// A name that `--each` deals with.
  struct Entry: Sendable {
    enum Kind: Sendable {
      /// It ends in `.db`.
      case database
      /// A journal or a log that is not empty, and whose database is not in the directory.
      case journal
    }

    let name: [UInt8]
    let kind: Kind
    /// True if there may be a temporary file of this database.
    let mayHaveLeftovers: Bool
  }

  /// The directory as the user wrote it.
  let shown: String
  /// The absolute path.
  let path: Path
  /// In the order of their bytes.
  let entries: [Entry]

  /// Lists a directory.
  ///
  /// The ending `.db` may be in upper or lower case. Hidden files are left out, as a shell leaves
  /// them out of `*.db`.
  init(_ directory: String) throws(DatabaseDirectoryError) {
    shown = directory
    var names: [[UInt8]] = []
    var journals: [[UInt8]] = []
    var hasLeftovers = false
    let path: Path
    do throws(SystemError) {
      path = try System.resolve(Path(directory))
      try System.forEachName(in: path) { name in
        if name.first == UInt8(ascii: ".") {
          hasLeftovers = hasLeftovers || Self.ends(name, in: ".uplift")
        } else if Self.ends(name, in: ".db") {
          names.append(Array(name))
        } else if Self.isJournal(name) {
          journals.append(Array(name))
        }
      }
    } catch {
      throw DatabaseDirectoryError(error, at: directory)
    }
    self.path = path
    if !journals.isEmpty {
      let databases = Set(names)
      journals = journals.filter { journal in
        !databases.contains(Self.database(ofJournal: journal))
          && Self.holdsSomething(path.appending(journal))
      }
    }
    let all =
      names.map { Entry(name: $0, kind: .database, mayHaveLeftovers: hasLeftovers) }
      + journals.map { Entry(name: $0, kind: .journal, mayHaveLeftovers: false) }
    // A volume that is not mounted is an empty directory.
    guard !all.isEmpty else { throw .noDatabase(directory) }
    entries = all.sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }

  /// The path of an entry for messages.
  func shown(_ entry: Entry) -> String {
    shown.appending(component: String(decoding: entry.name, as: UTF8.self))
  }

  func path(of entry: Entry) -> Path { path.appending(entry.name) }

  /// The names of each file that has hard links.
  func namesOfLinkedFiles() -> [FileFacts.Identity: [Entry]] {
    var names: [FileFacts.Identity: [Entry]] = [:]
    for entry in entries {
      guard let facts = try? System.facts(of: path(of: entry), followingLinks: false),
        facts.kind == .file, facts.links > 1
      else { continue }
      names[facts.identity, default: []].append(entry)
    }
    return names
  }

  /// The name of the database that a journal belongs to.
  private static func database(ofJournal name: [UInt8]) -> [UInt8] {
    let dash = name.lastIndex(of: UInt8(ascii: "-")) ?? name.endIndex
    return Array(name[..<dash])
  }

  /// True for a file that is not empty, or that cannot be looked at.
  private static func holdsSomething(_ path: Path) -> Bool {
    do {
      guard let facts = try System.facts(of: path, followingLinks: false) else { return false }
      return facts.kind == .file && facts.size > 0
    } catch {
      return true
    }
  }

  private static func isJournal(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    ["-wal", "-journal"].contains { suffix in
      name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        && ends(UnsafeBufferPointer(rebasing: name.dropLast(suffix.utf8.count)), in: ".db")
    }
  }

  /// True if a name has this ending, which is in lower case, and something before it.
  private static func ends(_ name: UnsafeBufferPointer<UInt8>, in ending: StaticString) -> Bool {
    let count = ending.utf8CodeUnitCount
    guard name.count > count else { return false }
    let start = name.count - count
    return (0..<count).allSatisfy { index in
      let byte = name[start + index]
      let isUpper = (0x41...0x5a).contains(byte)
      return (isUpper ? byte | 0x20 : byte) == ending.utf8Start[index]
    }
  }
}
