internal import Uplift
internal import UpliftSystem

/// The directory of `--resources`: it holds one seed and the directory `Migrations`.
struct ResourceDirectory {
  private let directory: String
  private let names: [String]

  init(in directory: String) throws(UpgradeError) {
    self.directory = directory
    let found: [[UInt8]]
    do {
      found = try System.names(in: Path(directory))
    } catch {
      if error.isNotThere || error.isNotADirectory {
        throw UpgradeError(
          .missing,
          "\(directory.quoted) is not \(error.isNotThere ? "there" : "a directory")",
          fix: "name the directory of the seed and the scripts with --resources")
      }
      throw error.isDenied
        ? .unreadable(directory, error.words) : .disk(directory, error.words)
    }
    names = found.map { String(decoding: $0, as: UTF8.self) }.sorted()
    // If bytes were replaced, the name would mean another file.
    if let name = found.first(where: {
      Self.isSeed($0) && String(validating: $0, as: UTF8.self) == nil
    }) {
      throw .seed(
        Path(directory).appending(name).shown, "has a name that is not UTF-8",
        fix: "give it another name")
    }
  }

  /// The path of the one file whose name ends like a database's; nil if there is none and none is
  /// needed.
  func seed(isNeeded: Bool) throws(UpgradeError) -> String? {
    let seeds = names.filter(Self.isSeed)
    if seeds.count > 1 {
      throw UpgradeError(
        .seed, "\(path(seeds[0]).quoted) and \(path(seeds[1]).quoted) could each be the seed",
        fix: "ship one of them, or name it with --seed, together with --resources")
    }
    guard !seeds.isEmpty || !isNeeded else {
      throw UpgradeError(
        .missing, "\(directory.quoted) has no seed, a file that ends in .db, .sqlite or .sqlite3",
        fix: "ship the seed, or name the database with --database to begin with an empty one")
    }
    return seeds.first.map(path)
  }

  /// The path of the directory of scripts.
  ///
  /// It must exist, even if it is empty.
  ///
  /// Otherwise, if the scripts were forgotten in a release, they would not run and nobody would
  /// notice.
  func migrations() throws(UpgradeError) -> String {
    let name = "Migrations"
    // Compared with the listing, because some file systems would find `migrations` as well.
    guard names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
      let other = names.first { $0.lowercased() == name.lowercased() }
      let isMissing = "the directory of scripts \(path(name).quoted) is not there"
      throw UpgradeError(
        .missing, other.map { "\(isMissing), \(path($0).quoted) is" } ?? isMissing,
        fix: other == nil
          ? "ship the scripts in it; if there are none, ship it empty"
          : "rename the directory; its name begins with an upper-case M")
    }
    return path(name)
  }

  private func path(_ name: String) -> String { directory.appending(component: name) }

  private static func isSeed(_ name: [UInt8]) -> Bool {
    isSeed(String(decoding: name, as: UTF8.self))
  }

  private static func isSeed(_ name: String) -> Bool {
    let lowercase = name.lowercased()
    return !name.hasPrefix(".")
      && [".db", ".sqlite", ".sqlite3"].contains { lowercase.hasSuffix($0) }
  }
}
