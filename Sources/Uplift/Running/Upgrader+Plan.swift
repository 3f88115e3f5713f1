internal import UpliftSystem

extension Upgrader {
  /// Reads what ships: the seed's header and the names of the scripts.
  func plan(beside file: DatabaseFile) throws(UpgradeError) -> Plan {
    try checkSeedIsNot(file)
    return try plan()
  }

  /// The same upgrade for many databases: its scripts are listed, read and checked now.
  ///
  /// An error of what ships is found before a database is opened. Without `readsScripts` the texts
  /// are not read.
  package func withScripts(readsScripts: Bool) throws(UpgradeError) -> Upgrader {
    let plan = try plan()
    var steps = plan.steps(after: .zero)
    if readsScripts {
      try plan.checkTarget()
      for index in steps.indices {
        let script = try Script(reading: steps[index])
        try script.checkNumber(seed: plan.seed?.version)
        steps[index].text = script.withText { Array($0) }
      }
    }
    return Upgrader(
      database: database, seed: seed, migrations: Migrations(steps), target: plan.target,
      options: options, prepare: prepare)
  }

  /// This upgrade of another database.
  package func of(_ database: String) -> Upgrader {
    Upgrader(
      database: database, seed: seed, migrations: migrations, target: target, options: options,
      prepare: prepare)
  }

  /// The version that an upgrade leads to; nil if the scripts or the seed do not say it.
  package func knownTarget() -> Version? {
    do {
      return try target ?? plan().target
    } catch {
      return nil
    }
  }

  /// Reads what ships, as `plan(beside:)` does, without looking at the database.
  func plan() throws(UpgradeError) -> Plan {
    let header: DatabaseHeader? = if let seed { try SeedFile.header(of: seed) } else { nil }
    return try Plan(
      target: target, seed: header, seedName: seed?.name,
      isSeedEmpty: header.flatMap { seed?.isEmpty($0) } ?? false,
      catalog: try Catalog(of: migrations), ifMissing: options.ifMissing)
  }

  /// Refuses a seed that is the database, before the seed is opened: closing it would drop SQLite's
  /// locks on the database.
  private func checkSeedIsNot(_ file: DatabaseFile) throws(UpgradeError) {
    guard let database = file.factsAtFirst, let seed = try seedIdentity() else { return }
    if seed == database.identity { throw .path(file.shown, .isSeed) }
  }

  /// The identity of the seed's file; nil if there is none.
  func seedIdentity() throws(UpgradeError) -> FileFacts.Identity? {
    guard case .file(let seed)? = self.seed?.source else { return nil }
    return try UpgradeError.at(seed) { () throws(SystemError) in
      try System.facts(of: seed, followingLinks: true)
    }?.identity
  }
}
