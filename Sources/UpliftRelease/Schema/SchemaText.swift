internal import Uplift
internal import UpliftSQLite

/// The schema of a database as text that people can review.
enum SchemaText {
  /// The first bytes of each such text.
  static let start = Array("PRAGMA user_version = ".utf8)

  /// A line for the version, one for the `application_id` if there is one, and each statement.
  ///
  /// The statements are sorted by their tables: a table comes before its indexes and triggers.
  static func read(from seed: Seed) throws(UpgradeError) -> [UInt8] {
    let connection = try SeedConnection.open(seed)
    do throws(SQLiteError) {
      let version = try connection.integer("PRAGMA user_version")
      let owner = try connection.integer("PRAGMA application_id")
      var text = start + "\(version);\n".utf8
      if owner != 0 { text += "PRAGMA application_id = \(owner);\n".utf8 }
      let rows = try connection.prepare(
        """
        SELECT sql FROM sqlite_master
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY tbl_name COLLATE NOCASE, instr('table index view trigger', type), name
        """)
      while try rows.step() {
        text += Array("\n".utf8)
        rows.withText(0) { text += Array($0) }
        text += Array(";\n".utf8)
      }
      return text
    } catch {
      throw UpgradeError(error, at: seed.name)
    }
  }
}
