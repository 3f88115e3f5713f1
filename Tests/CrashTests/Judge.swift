import Foundation

/// Checks the state after a crash: it has exactly one version, no reported version is lost, and the
/// next boot reaches the target.
struct Judge {
  let stage: Stage
  let helper: Helper

  /// What is wrong with a state; nil if it is right.
  func complaint(about state: State) throws -> String? {
    try make(state.tree)
    if let complaint = complaintAboutRemains(reported: state.reported) {
      return "\(state.story): \(complaint)"
    }
    // SQLite has repaired the state in order to read it. So the state is made again for the boot.
    try make(state.tree)
    return try complaintAboutNextBoot().map { "\(state.story): \($0)" }
  }

  func make(_ tree: Tree) throws {
    try? FileManager.default.removeItem(atPath: stage.disk)
    try FileManager.default.createDirectory(
      atPath: stage.disk, withIntermediateDirectories: true)
    try tree.write(to: stage.disk)
  }

  /// Reads the state with SQLite alone, which may repair it.
  func complaintAboutRemains(reported: Int?) -> String? {
    guard FileManager.default.fileExists(atPath: stage.database) else {
      return reported.map { "\($0) was reported, and there is no database" }
    }
    do {
      let found = try Contents(of: stage.database)
      guard found.isSound else { return "not sound: \(found.text.prefix(200))" }
      guard let expected = stage.expected[found.version] else {
        return "at \(found.version), which is not a version"
      }
      guard found == expected || stage.between[found.version]?.contains(found) == true else {
        return "at \(found.version), with other contents"
      }
      guard found.version >= reported ?? found.version else {
        return "\(reported ?? 0) was reported, and it is at \(found.version)"
      }
      return nil
    } catch {
      return "unreadable: \(error)"
    }
  }

  /// Boots as the service would, and checks the version and the files beside the database.
  ///
  /// If SQLite could not delete its log, the log stays until SQLite uses it again. A boot with
  /// nothing to do leaves the log of the boot before.
  func complaintAboutNextBoot(mayLeaveLog: Bool = false) throws -> String? {
    let boot = try helper.boot(stage.order())
    guard boot.end == stage.workload.target, boot.status == 0 else {
      return "the next boot failed: \(boot)"
    }
    let log = mayLeaveLog || boot.applied.isEmpty ? ["app.db-shm", "app.db-wal"] : []
    guard stage.names.filter({ !log.contains($0) }) == ["app.db"] else {
      return "left behind: \(stage.names)"
    }
    do {
      let found = try Contents(of: stage.database)
      return found == stage.expected[stage.workload.target]
        ? nil : "the next boot led to something else, at \(found.version)"
    } catch {
      return "unreadable after the next boot: \(error)"
    }
  }
}
