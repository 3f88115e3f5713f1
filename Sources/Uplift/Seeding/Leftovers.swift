internal import UpliftSystem

/// Temporary files that crashed boots have left in the data directory.
///
/// Such a file is a part of a copy of the seed, or a second name of the live database. It is
/// recognised by its name (``TemporaryName``). It must be a regular file, and may have no other
/// name than the database's. It is unlinked and never opened.
///
/// The copy of a boot that is still running looks the same. So leftovers are removed only under a
/// lock that every process respects, or after the database exists. If a running boot loses its copy
/// nevertheless, it makes another.
enum Leftovers {
  /// Removes the leftovers.
  ///
  /// A leftover that cannot be removed does not stop a boot.
  static func discard(of file: DatabaseFile) {
    let database: FileFacts?
    do {
      database = try System.facts(of: file.path, followingLinks: false)
    } catch {
      return
    }
    for (path, facts) in found(of: file)
    where facts.links == 1 || facts.identity == database?.identity {
      System.discard(path)
    }
  }

  /// The facts of all temporary files.
  ///
  /// They change while another process copies a seed.
  static func facts(of file: DatabaseFile) -> Set<FileFacts> {
    Set(found(of: file).map(\.facts))
  }

  private static func found(of file: DatabaseFile) -> [(path: Path, facts: FileFacts)] {
    let name = TemporaryName(of: file.path.name)
    do {
      var found: [(path: Path, facts: FileFacts)] = []
      for other in try System.names(in: file.directory) where name.matches(other) {
        let path = file.directory.appending(other)
        guard let facts = try System.facts(of: path, followingLinks: false), facts.kind == .file
        else { continue }
        found.append((path, facts))
      }
      return found
    } catch {
      return []
    }
  }
}

/// The name of the file in which a new database is made: `.app.db.hkmtwzxxrpgnvskj.uplift`.
///
/// A later boot removes every file with such a name, so no other file may have one by chance. The
/// file is hidden, and its name contains sixteen random letters from `g` to `z`. No word and no
/// hexadecimal number looks like that.
package struct TemporaryName {
  /// The part before the letters, the same for every copy of one database.
  private let start: [UInt8]

  /// The database's name is cut if it is very long, because a file's name has at most 255 bytes.
  package init(of database: some Collection<UInt8>) {
    start = Array(".".utf8) + database.prefix(200) + Array(".".utf8)
  }

  /// A new random name.
  ///
  /// Two processes that copied into one file would spoil each other's copy.
  package func next() -> [UInt8] {
    start + (0..<Self.count).map { _ in Self.letters[Int.random(in: Self.letters.indices)] }
      + Self.end
  }

  /// True if this type has made the name, in this or another process.
  package func matches(_ name: some Collection<UInt8>) -> Bool {
    name.count == start.count + Self.count + Self.end.count && name.starts(with: start)
      && name.suffix(Self.end.count).elementsEqual(Self.end)
      && name.dropFirst(start.count).prefix(Self.count).allSatisfy(Self.letters.contains)
  }

  private static let count = 16
  private static let letters = Array(UInt8(ascii: "g")...UInt8(ascii: "z"))
  private static let end = Array(".uplift".utf8)
}
