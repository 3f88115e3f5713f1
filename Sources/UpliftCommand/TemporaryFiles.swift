internal import UpliftSystem

/// Room for SQLite's temporary files on a machine that has none, such as a read-only container.
struct TemporaryFiles {
  /// The data directory if SQLite was told to use it.
  private let directory: Path?

  /// Has SQLite use the data directory if the environment names no other, and none of the usual
  /// ones can be written; before SQLite is used.
  init(besideDatabase database: String) {
    guard !System.hasTemporaryDirectory else {
      directory = nil
      return
    }
    let directory = Path(database).parent
    System.setTemporaryDirectory(directory)
    self.directory = directory
  }

  /// Removes what a killed process has left there.
  func discardLeftovers() {
    if let directory { System.discardTemporaryFiles(in: directory) }
  }
}
