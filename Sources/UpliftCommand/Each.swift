internal import Synchronization
internal import Uplift
internal import UpliftSystem

extension Run {
  /// `--each DIR`: runs `up` or `status` for every `*.db` of a directory.
  ///
  /// The seed and the scripts are read and checked once, before the first database is opened. An
  /// error there ends the run. If a database fails, the run goes on, unless three fail at the same
  /// place of the same script.
  func each(_ directory: String) -> Report {
    var summary = EachSummary(of: arguments.verb, in: directory, target: arguments.target)
    do throws(UpgradeError) {
      let databases = try databases(in: directory)
      let files = TemporaryFiles(inside: Path(directory))
      let upgrader = try upgrader().withScripts(readsScripts: arguments.verb == .up)
      summary.target = upgrader.target
      summary.count = databases.count
      let state = Mutex(summary)
      let job: @Sendable () -> Void = { [self] in
        while let index = Self.isCancelled() ? nil : state.withLock({ $0.begin() }) {
          let result = result(of: databases[index], upgrader, files)
          state.withLock { state in
            state.note(result, at: index)
            if let error = result.error { console.show(error) }
            if isTalking { for line in result.lines { console.result(line.printable) } }
          }
        }
      }
      let others = (1..<max(1, min(arguments.jobs ?? 1, databases.count))).map { _ in
        BackgroundWork(job)
      }
      job()
      for other in others { other.wait() }
      summary = state.withLock { $0 }
      if let stop = summary.stop { console.show(stop) }
    } catch {
      summary.error = ErrorReport(error)
    }
    return summary.report(wantsPending: arguments.wantsExitCode)
  }

  /// The paths of every `*.db`, in the order of the bytes of their names.
  ///
  /// Hidden files are left out, as a shell leaves them out.
  private func databases(in directory: String) throws(UpgradeError) -> [Path] {
    let path = Path(directory)
    let remedy = "mount the volume, or name the directory of the databases with --each"
    let names: [[UInt8]]
    do {
      names = try System.names(in: path)
    } catch {
      if error.isNotThere {
        throw .missing("the directory of databases", directory, fix: remedy)
      }
      throw error.isNotADirectory
        ? .path(directory, "is not a directory", fix: remedy) : UpgradeError(error, at: path)
    }
    let found = names.filter {
      $0.suffix(3).elementsEqual(".db".utf8) && $0.first != UInt8(ascii: ".")
    }
    // A volume that is not mounted is an empty directory.
    guard !found.isEmpty else {
      throw UpgradeError(.missing, "no file in \(directory.quoted) ends in .db", fix: remedy)
    }
    return found.sorted { $0.lexicographicallyPrecedes($1) }.map { path.appending($0) }
  }

  /// Runs `up` or `status` for one database.
  private func result(
    of path: Path, _ all: Upgrader, _ files: TemporaryFiles
  ) -> EachResult {
    let up = UpReport(of: path.shown, target: all.target)
    do {
      let upgrader = all.of(try database(path))
      if arguments.verb == .status {
        return EachResult(StatusReport(of: upgrader), path)
      }
      up.run(upgrader, files) { _, _ in }
    } catch {
      let error = ErrorReport(error)
      if arguments.verb == .status {
        return EachResult(StatusReport(error, of: path.shown, target: all.target), path)
      }
      up.fail(error)
    }
    return EachResult(up, path)
  }

  /// Looks at a name without opening the file.
  ///
  /// A database that is gone meanwhile must not be made anew. Two names of one database would each
  /// get a journal, so a link is not followed.
  private func database(_ path: Path) throws(UpgradeError) -> String {
    guard let database = String(validating: path.bytes, as: UTF8.self) else {
      throw .path(path.shown, "is not UTF-8", fix: "give it another name")
    }
    let facts = try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: false)
    }
    guard let facts else { throw .missingDatabase(database) }
    guard facts.kind != .link else {
      throw .path(
        database, "is a link to \(System.target(ofLink: path).shown.quoted), not a database",
        fix: "links are not followed: upgrade the database itself, with --each or --database")
    }
    return database
  }
}
