import Foundation
import TestSupport

/// A directory in which the commands of a page run, one after the other.
///
/// The commands find `uplift` and the programs of the system. A page that names directories of a
/// machine, such as `/opt/guestbook`, gets directories of its own for them.
final class PageDirectory {
  let scratch: Scratch
  /// The directories of a machine that pages name.
  private static let outside = ["/opt", "/var/lib", "/usr/lib", "/data"]

  /// The directory in which the commands run.
  let here: String

  /// Commands run in `here`, or at a path that stands for one on a machine.
  init(at path: String? = nil) throws {
    scratch = try Scratch()
    for directory in ["here", "bin", "root"] { try scratch.removeAll(directory) }
    here = path.map { [scratch] in scratch("root" + $0) } ?? scratch("here")
  }

  /// The path that stands for one on a machine.
  func root(_ path: String) -> String { scratch("root" + path) }

  /// Writes a program that the commands find before those of the system.
  func write(program text: String, named name: String) throws {
    try makeExecutable(scratch.write("#!/bin/sh\n" + text, to: "bin/" + name))
  }

  func makeExecutable(_ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  /// Copies a directory of the package to a path in `here`, or to one that stands for a machine's.
  func copy(_ name: String, to path: String) throws {
    let target = URL(fileURLWithPath: path.hasPrefix("/") ? root(path) : here + "/" + path)
    try FileManager.default.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    // A link may lead to the resources; they must not be changed.
    let source = Page.package.appendingPathComponent(name).resolvingSymlinksInPath()
    try FileManager.default.copyItem(atPath: source.path, toPath: target.path)
  }

  /// Runs commands of a shell, with errors and output in one stream.
  func run(_ commands: String, input: String = "") throws -> Outcome {
    let outcome = try Command("/bin/sh").run(
      "-c", "exec 2>&1\n" + inside(commands), input: input, in: here, environment: environment)
    let output = outcome.withoutDurations.output.replacing(scratch("root"), with: "")
    return Outcome(status: outcome.status, output: output, errors: outcome.errors)
  }

  /// Runs the commands of a transcript, and returns it with the output that they had.
  func run(transcript: String) throws -> String {
    var seen = ""
    for line in transcript.split(separator: "\n") where line.hasPrefix("$ ") {
      seen += try "\(line)\n" + run(String(line.dropFirst(2))).output
    }
    return seen
  }

  var environment: [String: String] {
    let products = URL(fileURLWithPath: Command.product("uplift").path)
      .deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return ["PATH": "\(scratch("bin")):\(products):\(path)", "LC_ALL": "C"]
  }

  /// The same commands with the paths of a machine replaced.
  func inside(_ commands: String) -> String {
    var result = commands
    for directory in Self.outside {
      for before in [" ", "\""] {
        result = result.replacing(before + directory + "/", with: before + root(directory) + "/")
        for after in [" ", "\"", "\n"] {
          result = result.replacing(
            before + directory + after, with: before + root(directory) + after)
        }
      }
    }
    return result
  }
}
