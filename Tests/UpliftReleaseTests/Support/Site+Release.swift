import Foundation
import TestSupport
import Uplift
import UpliftRelease

extension Site {
  /// A dictionary at version 1 whose words come with the program, and notes of its users.
  static let dictionary = """
    CREATE TABLE Word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, gloss TEXT);
    CREATE TABLE note(id INTEGER PRIMARY KEY, word INTEGER REFERENCES Word(id), text);
    INSERT INTO Word VALUES (1, 'ant', 'an insect'), (2, 'bee', 'buzzes');
    PRAGMA user_version = 1;
    """

  /// The same, with two scripts that are pending.
  static func release() throws -> Site {
    try Site(
      seed: dictionary,
      scripts: [
        "0002_add_kind.sql": "ALTER TABLE Word ADD COLUMN kind TEXT;",
        "0003_index_notes.sql": "CREATE INDEX note_word ON note(word);",
      ])
  }

  /// The same after a bake with new content: the seed is at 4, and the script 4 reads it.
  static func releaseWithContent() throws -> Site {
    let site = try release()
    try site.bake()
    _ = try site.overwrite("Word")
    try site.bake { $0.hasNewContent = true }
    return site
  }

  /// The upgrader of the program; a release does not use its database.
  func upgrader(target: Version? = nil) -> Upgrader {
    Upgrader(
      database: database, seed: .file(seed), migrations: .directory(scripts), target: target)
  }

  @discardableResult
  func bake(
    target: Version? = nil, _ choose: (inout Upgrader.BakeOptions) -> Void = { _ in }
  ) throws(UpgradeError) -> Bake {
    var options = Upgrader.BakeOptions()
    choose(&options)
    return try upgrader(target: target).bake(options)
  }

  /// The error of a bake; nil if there is none.
  func failure(
    target: Version? = nil, _ choose: (inout Upgrader.BakeOptions) -> Void = { _ in }
  ) -> UpgradeError? {
    do {
      try bake(target: target, choose)
      return nil
    } catch {
      return error
    }
  }

  /// Writes a script that refreshes tables from the seed, and returns its name.
  func refresh(_ tables: String...) throws -> String {
    try refresh(tables, beside: [], overwrites: false)
  }

  /// Writes a script that makes tables equal to those of the seed, and returns its name.
  func overwrite(_ tables: String...) throws -> String {
    try refresh(tables, beside: [], overwrites: true)
  }

  /// The same for a program that has steps of its own.
  func overwrite(_ tables: [String], beside steps: Upgrader.Migrations) throws -> String {
    try refresh(tables, beside: steps, overwrites: true)
  }

  private func refresh(
    _ tables: [String], beside steps: Upgrader.Migrations, overwrites: Bool
  ) throws -> String {
    let migrations = .directory(scripts) + steps
    let upgrader = Upgrader(database: database, seed: .file(seed), migrations: migrations)
    let path = try NewScript(in: scripts, for: upgrader)
      .write(refreshing: tables, overwrites: overwrites)
    return URL(fileURLWithPath: path).lastPathComponent
  }

  func ship(_ name: String, _ text: String) throws {
    try scratch.write(text, to: "resources/scripts/" + name)
  }

  func rename(_ name: String, _ newName: String) throws {
    try FileManager.default.moveItem(
      atPath: scripts + "/" + name, toPath: scripts + "/" + newName)
  }

  var scriptNames: [String] { scratch.names("resources/scripts") }

  /// Every file of the resources, with its bytes.
  var resources: [String: Data] {
    var files: [String: Data] = [:]
    for name in scratch.names("resources") where name != "scripts" {
      files[name] = scratch.bytes("resources/" + name)
    }
    for name in scriptNames {
      files["scripts/" + name] = scratch.bytes("resources/scripts/" + name)
    }
    return files
  }
}

extension Check {
  /// What was found, and what was not tried.
  var all: [Finding] { findings + notTried }
}
