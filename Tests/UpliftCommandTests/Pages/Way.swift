/// The way in which a block of a page is checked.
enum Way: Sendable {
  /// Its commands are run, and their output is compared.
  case transcript
  /// Its commands are run, and the last one must succeed, as must each line before it.
  case commands
  /// It is run as a program in Python.
  case python
  /// It is run as a script, after those of the guestbook.
  case script
  /// It compiles as the body of a function.
  case statements
  /// It compiles as a file.
  case declarations
  /// It is the manifest of a package, which SwiftPM reads.
  case manifest
  /// It is a program, which is compiled, linked, and run by each `swift run` after it.
  case program
  /// `systemd-analyze verify` has nothing to say about it.
  case unit
  /// Its files are copied, and its entry point is run.
  case image
  /// Each line is a command line, whose options are in the help of the verb.
  case synopsis
  /// It names files of the package, which are there; to run it takes minutes. `Scripts/package
  /// --test` runs it.
  case files
  /// A test in this file checks it.
  case test(String)
  /// It is code of another tool, shown for comparison; if it is Swift, it can be parsed.
  case otherTool

  /// The language that such a block may have; empty for none.
  var languages: [String] {
    switch self {
    case .transcript: ["console"]
    case .commands, .files: ["sh"]
    case .python: ["python"]
    case .script: ["sql"]
    case .statements, .declarations, .manifest, .program: ["swift"]
    case .unit: ["ini"]
    case .image: ["dockerfile"]
    case .synopsis: [""]
    case .test: ["sql", "swift"]
    case .otherTool: ["objc", "swift"]
    }
  }

  var isCompiled: Bool {
    switch self {
    case .statements, .declarations: true
    default: false
    }
  }
}

extension Page {
  /// For each page of the documentation, the way in which each of its blocks is checked.
  static let ways: [String: [Way]] = [
    "Check.md": [.transcript, .statements, .statements],
    "ComingFrom.md": [
      .commands, .otherTool, comingFrom, .otherTool, comingFrom, .otherTool, comingFrom,
      .otherTool, comingFrom, .otherTool, comingFrom, .otherTool, comingFrom,
    ],
    "Command.md": [.synopsis, .commands, .commands, .transcript, .transcript],
    "Errors.md": [.transcript, .statements, .unit],
    "GettingStarted.md": [
      .transcript, .transcript, .transcript, .commands, .python, .transcript, .transcript,
      .manifest, .program, .transcript,
    ],
    "Guarantees.md": [],
    "Testing.md": [],
    "Installing.md": [.files, .files, .files, .image, .statements],
    "NewContent.md": [.transcript, .transcript, .transcript],
    "Operating.md": [.unit, .unit, .image, .commands],
    "Performance.md": [],
    "Scripts.md": [.script, .script, .test("UpliftTests/Interface/FloorTests.swift")],
    "ServicesInSwift.md": [
      .statements, .statements, .statements, .commands, .statements, .statements, .declarations,
      .statements,
      .declarations, .statements, .statements, .statements, .statements, .statements,
      .statements, .statements, .declarations, .statements, .declarations, .declarations,
      .declarations,
    ],
    "Uplift.md": [
      .statements, .statements, .test("UpliftTests/Interface/PublicInterfaceTests.swift"),
    ],
  ]

  private static let comingFrom = Way.test("UpliftTests/Interface/ComingFromTests.swift")
}
