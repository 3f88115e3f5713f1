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
