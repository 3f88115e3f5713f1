/// A service on its disk: its resources, its data directory, and a helper that boots it.
public struct Site: Sendable {
  public let scratch: Scratch

  /// A seed made by SQL (nil: no seed), and scripts by their file names.
  public init(
    seed: String? = Site.seed,
    scripts: [String: String] = ["2_two.sql": Site.script(2), "3_three.sql": Site.script(3)]
  ) throws {
    scratch = try Scratch()
    for (name, text) in scripts { try scratch.write(text, to: "resources/scripts/" + name) }
    if let seed {
      try scratch.write("", to: "resources/app.db")
      try Shell.run(self.seed, seed)
    }
  }

  /// A table with one row, at version 1.
  public static let seed = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    INSERT INTO item VALUES(1, 'seeded');
    PRAGMA user_version = 1;
    """

  /// A script that adds a row.
  ///
  /// If it is run twice, there are two such rows.
  public static func script(_ number: Int) -> String {
    "INSERT INTO item(name) VALUES('script \(number)');\n"
  }

  /// A name as a boot gives it to its copy of the seed, in the scratch directory.
  public static let copy = "data/.app.db.ghjkmnpqrstvwxyz.uplift"

  public var seed: String { scratch("resources/app.db") }
  public var scripts: String { scratch("resources/scripts") }
  public var database: String { scratch("data/app.db") }

  /// Makes the service's database, or changes it, by SQL.
  public func place(_ sql: String) throws {
    if scratch.bytes("data/app.db") == nil { try scratch.write("", to: "data/app.db") }
    try Shell.run(database, sql)
  }

  /// The names that the seed and the scripts have put into the table, in order.
  public func names() throws -> [String] {
    try Shell.run(database, "SELECT name FROM item ORDER BY id;")
      .split(separator: "\n").map(String.init)
  }
}
