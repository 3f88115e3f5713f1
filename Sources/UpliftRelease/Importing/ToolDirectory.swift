internal import Uplift
internal import UpliftSystem

/// The scripts of another tool, by the names in their directory.
///
/// Every name is taken over, reported as passed over, or reported as an error.
struct ToolDirectory {
  private let path: Path
  private(set) var scripts: [ToolScript] = []
  /// The files that are no scripts, and those that undo scripts, by their names.
  private(set) var passedOver: [String] = []
  private(set) var errors: [ReleaseError] = []
  /// Flyway's scripts that undo others; another tool runs such a script like any other.
  private var undoing: [(number: ToolNumber, name: [UInt8])] = []

  init(_ path: Path) throws(ReleaseError) {
    self.path = path
    // Sorted, so that errors come in the same order on every file system.
    for name in try Self.names(in: path).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      add(name)
    }
    let numbers = Set(scripts.lazy.filter { $0.name.style == .flyway }.map(\.name.number))
    for (number, name) in undoing {
      if numbers.contains(number) { passOver(name) } else { refuse(name, .loneUndoScript) }
    }
    passedOver.sort()
  }

  static func names(in path: Path) throws(ReleaseError) -> [[UInt8]] {
    do {
      return try System.names(in: path)
    } catch {
      if error.isNotThere || error.isNotADirectory { throw .missingDirectory(path: path.shown) }
      throw .upgrade(
        error.isDenied
          ? .unreadable(path: path.shown, words: error.words) : UpgradeError(error, at: path))
    }
  }

  private mutating func add(_ name: [UInt8]) {
    if name.first == UInt8(ascii: ".") {
      passOver(name)
    } else if Self.isSQL(name) {
      addFile(name)
    } else if Self.isDirectory(path.appending(name)) {
      do throws(ReleaseError) {
        try addDirectory(name)
      } catch {
        errors.append(error)
      }
    } else if Self.isProgram(name) {
      refuse(name, .notSQL)
    } else {
      passOver(name)
    }
  }

  private mutating func addFile(_ name: [UInt8]) {
    if ScriptName.isForGoingDown(name) { return passOver(name) }
    let stem = name.dropLast(4)
    let up = [".up", ".up.db"].first { stem.hasEnding($0) }
    if let read = ToolName(stem.dropLast(up?.utf8.count ?? 0)) {
      scripts.append(
        ToolScript(
          name: read, layout: up == nil ? .file : .pair, path: path.appending(name),
          from: String(decoding: name, as: UTF8.self), runsAlone: false))
    } else if name.first == UInt8(ascii: "U"), let read = ToolName(flyway: stem.dropFirst()) {
      undoing.append((read.number, name))
    } else if name.starts(with: "R__".utf8) {
      refuse(name, .repeatable)
    } else if name.first == UInt8(ascii: "B"), ToolName(flyway: stem.dropFirst()) != nil {
      refuse(name, .baseline)
    } else {
      refuseOther(name)
    }
  }

  /// Refuses a name that the import does not read, and passes over yoyo's rollbacks.
  ///
  /// For other names of yoyo, the error says how to write them.
  private mutating func refuseOther(_ name: [UInt8]) {
    guard let newName = Self.withoutDot(name) else { return refuse(name, .noNumber) }
    if name[...].hasEnding(".rollback.sql") { return passOver(name) }
    refuse(name, .dotAfterNumber(newName: newName))
  }

  /// The name with `_` instead of the dot after its number; nil if it is wrong in another way, too.
  private static func withoutDot(_ name: [UInt8]) -> String? {
    let digits = name.prefix(while: ScriptName.isDigit)
    let words = name[digits.endIndex...].dropFirst()
    guard !digits.isEmpty, name[digits.endIndex] == UInt8(ascii: "."), let first = words.first,
      !ScriptName.isDigit(first), first != UInt8(ascii: ".")
    else { return nil }
    let new = digits + "_".utf8 + words
    return ToolName(new.dropLast(4)[...]) == nil ? nil : String(decoding: new, as: UTF8.self)
  }

  /// Adds the script in a directory of its own, as Diesel and Prisma have it.
  private mutating func addDirectory(_ name: [UInt8]) throws(ReleaseError) {
    let directory = path.appending(name)
    let names = try Self.names(in: directory)
    guard let read = ToolName(name[...]) else {
      if try Self.hasScripts(directory, names) {
        refuse(name, .directoryOfScripts)
      } else {
        passOver(name + "/".utf8)
      }
      return
    }
    let known = [Array("up.sql".utf8), Array("migration.sql".utf8)].filter(names.contains)
    guard known.count == 1, let script = known.first else {
      return refuse(name, known.isEmpty ? .noScriptInside : .twoScriptsInside)
    }
    let settings = Array("metadata.toml".utf8)
    var runsAlone = false
    if names.contains(settings) {
      let text = try translatingUpgradeError { () throws(UpgradeError) in
        try Script.text(of: directory.appending(settings))
      }
      runsAlone = Self.runsAlone(text)
    }
    for other in names where other != script && other != settings {
      passOver(name + "/".utf8 + other)
    }
    scripts.append(
      ToolScript(
        name: read, layout: .directory, path: directory.appending(script),
        from: String(decoding: name + "/".utf8 + script, as: UTF8.self), runsAlone: runsAlone))
  }

  /// True if a directory, or one in it, holds scripts: Flyway reads them all.
  private static func hasScripts(
    _ directory: Path, _ names: [[UInt8]], depth: Int = 0
  ) throws(ReleaseError) -> Bool {
    for name in names where name.first != UInt8(ascii: ".") {
      if isSQL(name) {
        if name.starts(with: "R__".utf8) || ToolName(name.dropLast(4)[...]) != nil { return true }
      } else if depth < deepest, isDirectory(directory.appending(name)) {
        let inner = directory.appending(name)
        if try hasScripts(inner, Self.names(in: inner), depth: depth + 1) { return true }
      }
    }
    return false
  }

  /// The depth at which the search for scripts ends, because a link may lead to its own directory.
  private static let deepest = 8

  /// Diesel's `run_in_transaction = false`.
  private static func runsAlone(_ settings: [UInt8]) -> Bool {
    settings.split(separator: 0x0a).contains { line in
      line.filter { $0 > 0x20 }.starts(with: "run_in_transaction=false".utf8)
    }
  }

  private mutating func passOver(_ name: [UInt8]) {
    passedOver.append(String(decoding: name, as: UTF8.self))
  }

  private mutating func refuse(_ name: [UInt8], _ problem: ReleaseError.ImportProblem) {
    errors.append(.importing(file: path.appending(name).shown, problem))
  }

  private static func isDirectory(_ path: Path) -> Bool {
    do {
      return try System.facts(of: path, followingLinks: true)?.kind == .directory
    } catch {
      return false
    }
  }

  private static func isSQL(_ name: [UInt8]) -> Bool {
    name.count > 4 && name[...].hasEnding(".sql")
  }

  /// True for a numbered file in another language, which the tool runs as a migration.
  private static func isProgram(_ name: [UInt8]) -> Bool {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), !name[..<dot].hasEnding("_test") else {
      return false
    }
    let stem = name[..<(name.firstIndex(of: UInt8(ascii: ".")) ?? dot)]
    return programs.contains(String(decoding: name[(dot + 1)...], as: UTF8.self).lowercased())
      && (ToolName(name[..<dot]) != nil || ToolName(stem) != nil)
  }

  private static let programs = Set(
    ("class clj cljs conf cjs cr cs cts edn ex exs fizz fs go groovy hs java js json kt kts lisp"
      + " lua mjs mts php pl ps1 py rb rs scala sh swift ts xml yaml yml")
      .split(separator: " ").map(String.init))
}

extension Collection<UInt8> {
  /// True if the text ends so, in upper or lower case; `ending` is in lower case.
  fileprivate func hasEnding(_ ending: String) -> Bool where Self: BidirectionalCollection {
    suffix(ending.utf8.count).elementsEqual(ending.utf8) { byte, wanted in
      byte == wanted || (0x41...0x5a).contains(byte) && byte | 0x20 == wanted
    }
  }
}
