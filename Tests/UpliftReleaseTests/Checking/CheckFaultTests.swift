import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// Each text in `Faults` is a group of cases, each of which has one fault.
///
/// A line `-- case: NAME` begins a case, and a line `-- file: NAME` a file of it, which ends before
/// the next such line. `expected.txt` has the findings. `seed.sql` makes the seed, files with a
/// number are the scripts, other `.sql` files make fixtures.
struct CheckFaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    var files: [String: Data] = [:]
    var testDescription: String { name }

    static let all: [Fault] = {
      let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Faults")
      let texts = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
      return texts.sorted().flatMap { text in
        let data = try? Data(contentsOf: directory.appendingPathComponent(text))
        return faults(in: [UInt8](data ?? Data()), group: String(text.dropLast(4)))
      }
    }()

    /// Lines are looked for among bytes, because some files have CR LF.
    private static func faults(in text: [UInt8], group: String) -> [Fault] {
      var faults: [Fault] = []
      var file = ""
      for line in text.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
        if let name = name(in: line, after: "-- case: ") {
          faults.append(Fault(name: group + "/" + name))
        } else if let name = name(in: line, after: "-- file: ") {
          file = name
          faults[faults.endIndex - 1].files[file] = Data()
        } else {
          faults[faults.endIndex - 1].files[file, default: Data()] += line + [10]
        }
      }
      return faults
    }

    private static func name(in line: ArraySlice<UInt8>, after mark: String) -> String? {
      guard line.starts(with: mark.utf8) else { return nil }
      return String(decoding: line.dropFirst(mark.utf8.count), as: UTF8.self)
    }
  }

  @Test(.tags(.promise16), arguments: Fault.all)
  func `finds the fault, and nothing else`(fault: Fault) throws {
    let scratch = try Scratch()
    let expected = try #require(fault.files["expected.txt"])
    try scratch.write("", to: "M/.keep")
    for (name, data) in fault.files where name != "expected.txt" {
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
    ).check(fixtures: fixtures).all

    let found = findings.map { finding in
      let from = finding.startingPoints.joined(separator: ", ")
      return "\(finding.kind.rawValue) \(finding)"
        + (from.isEmpty ? "" : " (from \(from))") + "\n"
    }.joined().replacingOccurrences(of: scratch(""), with: "")
    #expect(found == String(decoding: expected, as: UTF8.self))
    #expect(findings.allSatisfy { !$0.remedy.isEmpty })
    #expect(scratch.snapshot == before)
  }

  @Test func `finds the cases`() {
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
