internal import Uplift
internal import UpliftSQLite

/// Compares a database with the schema of the version that it claims.
struct Verifying {
  private let upgrader: Upgrader
  private let isCancelled: () -> Bool

  init(_ upgrader: Upgrader, isCancelled: @escaping () -> Bool) {
    self.upgrader = upgrader
    self.isCancelled = isCancelled
  }

  func run() throws(UpgradeError) -> Verification? {
    let database = try ExistingDatabase(of: upgrader, isCancelled: isCancelled)
    let found = try database.look(acceptsUnversioned: false) { connection throws(SQLiteError) in
      try LiveSchema(connection)
    }
    guard case .database(let version, let live) = found else { return nil }
    let scripts = try ShippedScripts(of: upgrader.migrations, skipsWrong: true)
    let histories = try SchemaHistory.all(
      of: upgrader, scripts, needed: version, claimed: version, isCancelled: isCancelled)
    let known = VersionSchemas(histories, from: .zero, scripts)
    // The schemas are compared even if a pending script fails.
    guard known.contains(version) else {
      throw histories.lazy.compactMap(\.failure).first
        ?? .unknownVersion(version)
    }
    let others = known.others(in: live.schema)
    let nearest = known.nearest(to: live.schema.without(others), at: version)
    return Verification(
      version: version, differences: nearest.differences.map { ObjectDifference($0, to: version) },
      others: Adopting.names(of: others, in: live))
  }
}
