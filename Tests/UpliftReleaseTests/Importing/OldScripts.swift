import Foundation
import TestSupport
import Uplift
import UpliftRelease

/// The scripts of another tool, in the directory `old`, become scripts in the directory `new`.
struct OldScripts {
  let scratch: Scratch

  init(_ files: [String: String], in parent: String? = nil) throws {
    scratch = try Scratch(in: parent)
    try scratch.removeAll("old")
    try scratch.removeAll("new")
    for (name, text) in files { try scratch.write(text, to: "old/" + name) }
  }

  @discardableResult
  func importAll() throws -> ImportedScripts {
    try ScriptImport(of: scratch("old"), into: scratch("new")).write()
  }

  /// The new name of each script that an import wrote, and the name that it comes from.
  func importNames() throws -> [String] {
    try importAll().scripts.map { "\($0.name) \($0.from)" }
  }

  /// The errors of an import, without the path of the directory.
  func refusals() -> [String] {
    do {
      try importAll()
      return []
    } catch let error as ImportFailure {
      return error.errors.map {
        $0.description.replacingOccurrences(of: scratch.path + "/", with: "")
      }
    } catch {
      return ["\(error)"]
    }
  }

  /// The texts of the new scripts.
  var written: [String: String] {
    var texts: [String: String] = [:]
    for name in scratch.names("new") {
      texts[name] = String(decoding: scratch.bytes("new/" + name) ?? Data(), as: UTF8.self)
    }
    return texts
  }
}
