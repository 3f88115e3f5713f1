internal import UpliftSystem

/// Files that boots which crashed have left of their copies of the seed: a part of a copy, or a
/// second name of the live database.
///
/// A leftover is recognised by its name (``TemporaryName``), and must be a regular file with no
/// other name, except that of the database. It is unlinked and never opened. To remove one is right
/// only if no boot needs it any more: under a lock that holds for everybody, or once the database
/// is there. A boot whose copy was removed all the same makes another.
enum Leftovers {
  /// Removes what there is; what cannot be removed does not stop a boot.
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

  /// The copies in the making, and what is left of others: two looks differ while somebody copies.
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
