package import UpliftSQLite

extension Connection {
  /// Lets the program add its collations, functions and modules, if it has any.
  ///
  /// `path` is the database's. `reached` is the version of the database, for an error.
  package borrowing func prepare(
    by prepare: Upgrader.Prepare?, at path: String, reached: Version? = nil
  ) throws(UpgradeError) {
    guard let prepare else { return }
    do throws(PreparationFault) {
      try self.prepare(prepare)
    } catch {
      if deadline.mustStopNow { throw .cancelled(reached: reached) }
      switch error {
      case .sqlite(let error) where error.code == .error:
        throw .preparation(error.message, reached: reached)
      case .sqlite(let error): throw UpgradeError(error, at: path, reached: reached)
      case .thrown(let error as ExtensionError): throw error.upgradeError(reached)
      case .thrown(let error): throw .preparation(String(describing: error), reached: reached)
      }
    }
  }
}
