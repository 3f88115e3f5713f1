internal import UpliftSystem

/// The directory of `--resources`: it holds one seed and the directory `Migrations`.
struct ResourceDirectory {
  private let directory: String
  private let names: [String]

  init(in directory: String) throws(ResourceDirectoryError) {
    self.directory = directory
    let found: [[UInt8]]
    do {
      found = try System.names(in: Path(directory))
    } catch {
      throw ResourceDirectoryError(error, at: directory)
    }
    names = found.map { String(decoding: $0, as: UTF8.self) }.sorted()
    // If bytes were replaced, the name would mean another file.
    if let name = found.first(where: {
      Self.isSeed($0) && String(validating: $0, as: UTF8.self) == nil
    }) {
      throw .notUTF8(Path(directory).appending(name).shown)
    }
  }

  /// The path of the one file whose name ends like a database's; nil if there is none.
  func seed() throws(ResourceDirectoryError) -> String? {
    let seeds = names.filter(Self.isSeed)
    if seeds.count > 1 {
      throw .severalSeeds(first: path(seeds[0]), second: path(seeds[1]))
    }
    return seeds.first.map(path)
  }

  /// The path of the directory of scripts.
  ///
  /// It must exist, even if it is empty.
  ///
  /// Otherwise, if the scripts were forgotten in a release, they would not run and nobody would
  /// notice.
  func migrations() throws(ResourceDirectoryError) -> String {
    let name = "Migrations"
    // Compared with the listing, because some file systems would find `migrations` as well.
    guard names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
      let other = names.first { $0.lowercased() == name.lowercased() }
      throw .noMigrations(path(name), other: other.map(path))
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
