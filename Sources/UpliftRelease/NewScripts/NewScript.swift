internal import UpliftSQLite
internal import UpliftSystem
package import Uplift

/// Writes the next script of a directory, and never replaces a file.
package struct NewScript {
  private let directory: String
  private let upgrader: Upgrader
  private let released: String?

  /// `released` is the directory of the seeds of earlier releases; nil for `Released` beside the
  /// directory of the seed.
  package init(in directory: String, for upgrader: Upgrader, released: String? = nil) {
    (self.directory, self.upgrader, self.released) = (directory, upgrader, released)
  }

  /// Makes a file for the next script; somebody must fill it in before it can run.
  package func write(_ words: [String]) throws(UpgradeError) -> String {
    try Self.locked(directory) { () throws(UpgradeError) in
      let (style, catalog) = (try style(), try Catalog(of: upgrader.migrations))
      let version = try next(style, in: catalog, try seedVersion())
      return try publish("-- uplift: unfinished\n", style.name(version, words), version)
    }
  }

  /// Writes a script that brings the seed's rows of some tables to existing databases.
  ///
  /// It has the number of the seed, or the next one if another step has that number. It is refused
  /// if a step is above the seed, because the seed may then have fewer columns than the database.
  package func write(
    refreshing tables: [String], overwrites: Bool = false,
    isCancelled: @escaping () -> Bool = { false }
  ) throws(UpgradeError) -> String {
    guard let seed = upgrader.seed else { throw .noSeed }
    return try Self.locked(directory) { () throws(UpgradeError) in
      let scripts = try ShippedScripts(of: upgrader.migrations)
      if let other = scripts.readingSeed.first {
        throw UpgradeError(
          .scripts,
          "\(other.migration.path.quoted) reads the seed already, and only one script may",
          fix: "move it away, then name all tables that are to be refreshed")
      }
      let atSeed = try seedVersion()
      if let step = scripts.all.first(where: { $0.migration.version > atSeed })?.migration {
        throw UpgradeError(
          .scripts, "\(step.path.quoted) is above the seed, which is at \(atSeed)",
          fix: "run uplift bake first: the seed then has all columns")
      }
      let style = try style()
      let writer = ContentWriter(
        for: upgrader, released: released, isCancelled: isCancelled)
      let released = try writer.oldSeeds().last?.version ?? .zero
      let isFree = atSeed > released && !scripts.catalog.contains(atSeed)
      let version = isFree ? atSeed : try next(style, in: scripts.catalog, atSeed)
      let (text, names) = try writer.text(
        refreshing: tables, in: seed, at: version, overwrites: overwrites)
      return try publish(text, style.name(version, Self.words(names)), version)
    }
  }

  /// The words of the name, from the names of the tables.
  private static func words(_ tables: [Name]) -> [String] {
    guard tables.count <= 3 else { return ["refresh"] }
    return ["refresh"]
      + tables.map { table in
        let name = String(decoding: table.bytes, as: UTF8.self).prefix(40)
        return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
      }
  }

  /// The version of the seed; 0 without a seed.
  private func seedVersion() throws(UpgradeError) -> Version {
    guard let seed = upgrader.seed else { return .zero }
    return try SeedFile.header(of: seed).version
  }

  /// The style of the newest script of the directory.
  ///
  /// A step in the program has a number and a name, and no file whose name could be continued.
  private func style() throws(UpgradeError) -> ScriptStyle {
    ScriptStyle(newest: try Catalog(of: .directory(directory)).all.last?.name)
  }

  /// The number after the newest step, the seed, and the newest released version.
  private func next(
    _ style: ScriptStyle, in catalog: Catalog, _ seed: Version
  ) throws(UpgradeError) -> Version {
    let released = try Migrations.directory(directory).newestReleased()
    let latest = max(catalog.newest ?? .zero, seed, released)
    guard let next = style.next(after: latest, today: System.stamp()) else {
      throw .noNumberLeft(after: latest.written(like: catalog.newest ?? latest))
    }
    return next
  }

  /// Writes the file whole under a temporary name, and then gives the file its final name.
  private func publish(
    _ text: String, _ name: String, _ version: Version
  ) throws(UpgradeError) -> String {
    guard !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(where: { $0 < 0x20 }),
      ScriptName.version(of: name) == version
    else {
      throw .path(
        name, "is not a name for a script",
        fix: "use words of letters and digits; the first word must not begin with a digit")
    }
    let path = Path(directory).appending(name.utf8)
    try NewFile.write(Array(text.utf8), to: path)
    return path.shown
  }

  /// Does some work while no other `uplift new` works in the directory.
  static func locked<Result>(
    _ directory: String, _ work: () throws(UpgradeError) -> Result
  ) throws(UpgradeError) -> Result {
    let path = Path(directory)
    let opened: OpenFile
    do {
      opened = try OpenFile.directory(path)
    } catch {
      let isMissing = error.isNotThere || error.isNotADirectory
      throw isMissing ? .missingScripts(directory) : UpgradeError(error, at: path)
    }
    try opened.waitForLock(path)
    return try work()
  }
}

/// The way in which a directory writes the names of its scripts: the digits of the number and the
/// separator after it.
package struct ScriptStyle: Hashable {
  enum Kind: Hashable {
    /// 1, 2, 3
    case count
    /// A date, and a count of so many digits: `2017070101` or `20170701`.
    case date(countDigits: Int)
    /// The number of a release: `1.4.2-1`.
    case dotted
  }

  let kind: Kind
  /// The least number of digits.
  let width: Int
  let separator: String

  /// The style of the newest script; that of `0001_words.sql` if there is none.
  package init(newest name: String?) {
    let (number, rest) = name.map { ScriptName.parts(of: $0) } ?? ("0001", "")
    kind = Self.kind(of: number)
    width = number.utf8.count
    separator = ["-", " "].first { rest.hasPrefix($0) } ?? "_"
  }

  private static func kind(of number: String) -> Kind {
    if number.contains(".") { return .dotted }
    guard number.utf8.count == 8 || number.utf8.count == 10, let year = Int(number.prefix(4)),
      let month = Int(number.dropFirst(4).prefix(2)), let day = Int(number.dropFirst(6).prefix(2)),
      (1900...2146).contains(year), (1...12).contains(month), (1...31).contains(day)
    else { return .count }
    return .date(countDigits: number.utf8.count - 8)
  }

  /// The number of a new script, above `version`; nil if there is none.
  ///
  /// `today` begins with the date in eight digits. A new day begins with the count 1; without a
  /// day, a date is raised by 1, like any other number.
  func next(after version: Version, today: String?) -> Version? {
    let next = version.number == .max ? nil : Version(version.number + 1)
    switch kind {
    case .count: return next
    case .date(let digits):
      let first = today.map { String($0.prefix(8)) + (digits == 2 ? "01" : "") }
      return [first.flatMap { Version($0) }, next].compactMap { $0 }.max()
    case .dotted:
      guard let next, next.number % 100 != 0 else { return nil }
      return next.written(like: version)
    }
  }

  /// The number in a file's name.
  func written(_ version: Version) -> String {
    if kind == .dotted, let release = Version(unchecked: version.number, isDotted: true).release {
      return release
    }
    let digits = String(version.number)
    return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
  }

  /// The file's name for a number and some words.
  func name(_ version: Version, _ words: [String]) -> String {
    ([written(version)] + words).joined(separator: separator) + ".sql"
  }
}
