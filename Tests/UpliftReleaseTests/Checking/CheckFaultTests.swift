import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// Each folder in `Faults` has one fault.
///
/// Its `expected.txt` has the findings. `seed.sql` makes the seed, files with a number are the
/// scripts, other `.sql` files make fixtures.
struct CheckFaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let folder: String
    var testDescription: String { folder }

    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Faults")

    static let all: [Fault] = subfolders(of: directory.path).flatMap { group in
      subfolders(of: directory.appendingPathComponent(group).path).map {
        Fault(folder: group + "/" + $0)
      }
    }

    private static func subfolders(of path: String) -> [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
    }

    func text(_ name: String) throws -> Data {
      try Data(contentsOf: Self.directory.appendingPathComponent(folder + "/" + name))
    }
  }

  @Test(.tags(.promise16), arguments: Fault.all)
  func `finds the fault, and nothing else`(fault: Fault) throws {
    let scratch = try Scratch()
    let names = try FileManager.default.contentsOfDirectory(
      atPath: Fault.directory.appendingPathComponent(fault.folder).path)
    try scratch.write("", to: "M/.keep")
    for name in names where name != "expected.txt" {
      let data = try fault.text(name)
      if name.first?.isNumber == true || name == "uplift.lock" {
        try scratch.write(data, to: "M/" + name)
      } else {
        let path = name == "seed.sql" ? "app.db" : "F/" + name.dropLast(4) + ".db"
        try scratch.write("", to: path)
        try Shell.run(scratch(path), String(decoding: data, as: UTF8.self))
      }
    }
    let before = scratch.snapshot
    let fixtures = scratch.names("").contains("F") ? [scratch("F")] : []

    let findings = try Upgrader(
      database: scratch("unused.db"), seed: .file(scratch("app.db")),
      migrations: .directory(scratch("M"))
    ).check(fixtures: fixtures)

    let found = findings.map { finding in
      let from = finding.startingPoints.joined(separator: ", ")
      return "\(finding.severity.rawValue) \(finding.kind.rawValue) \(finding)"
        + (from.isEmpty ? "" : " (from \(from))") + "\n"
    }.joined().replacingOccurrences(of: scratch(""), with: "")
    #expect(found == String(decoding: try fault.text("expected.txt"), as: UTF8.self))
    #expect(findings.allSatisfy { !$0.remedy.isEmpty })
    #expect(scratch.snapshot == before)
  }

  @Test func `finds the folders`() {
    #expect(Fault.all.count > 100)
  }
}

extension Scratch {
  /// The bytes of all files that a check looks at.
  fileprivate var snapshot: [String: Data] {
    var files: [String: Data] = [:]
    for directory in ["", "M/", "F/"] {
      for name in names(directory) where !["M", "F"].contains(name) {
        files[directory + name] = bytes(directory + name)
      }
    }
    return files
  }
}
