import Foundation
import TestSupport

extension String {
  /// The same text in Latin-1, one byte a character: `é` becomes E9, which is not UTF-8.
  var latin1: Data { Data(unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }
}

extension Site {
  /// A site with a database at version 1, made by SQL in Latin-1.
  static func holding(latin1 sql: String) throws -> Site {
    let site = try Site.holding("SELECT 1")
    try site.shell(latin1: sql)
    return site
  }

  /// Runs SQL in Latin-1.
  func shell(latin1 sql: String) throws {
    let script = try scratch.write(sql.latin1, to: "latin1.sql")
    _ = try shell(".read '\(script)'\n")
  }
}
