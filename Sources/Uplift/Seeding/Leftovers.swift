internal import UpliftSystem

/// What crashes have left of copies of the seed: a torso, or a second name of the live database.
///
/// They are unlinked and never opened. That is right only while no copy is under way that will
/// be needed: under a lock that holds for everybody, or once the database is there.
enum Leftovers {
  static func remove(of place: DatabasePath) throws(UpgradeError) {
    for path in try paths(of: place) {
      do {
        try System.removeFile(path)
      } catch  where error.isNotThere {
        continue
      } catch {
        throw UpgradeError(error, at: path)
      }
    }
  }

  /// The same for a database that is there: what cannot be removed does not stop its boot.
  static func discard(of place: DatabasePath) {
    do {
      for path in try paths(of: place) { System.discard(path) }
    } catch {
      return
    }
  }

  private static func paths(of place: DatabasePath) throws(UpgradeError) -> [String] {
    let directory = place.directory
    let names = try UpgradeError.at(directory) { () throws(SystemError) in
      try System.names(in: directory)
    }
    return names.filter { place.isTemporary(name: $0) }.map { directory + "/" + $0 }
  }
}
