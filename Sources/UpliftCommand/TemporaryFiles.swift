internal import UpliftSystem

/// Lets SQLite put temporary files into the data directory if no other directory can be written, as
/// in a read-only container.
struct TemporaryFiles {
  /// The data directory; nil if SQLite does not use it.
  private let directory: Path?

  /// Chooses the data directory if the environment names no directory and none of the usual ones
  /// can be written.
  ///
  /// Must be called before SQLite is used.
  init(besideDatabase database: String) {
    self.init(inside: Path(database).parent)
  }

  /// The same for a data directory.
  init(inside directory: Path) {
    guard !System.hasTemporaryDirectory else {
      self.directory = nil
      return
    }
    System.setTemporaryDirectory(directory)
    self.directory = directory
  }

  /// Removes the temporary files that a killed process left in the data directory.
  func discardLeftovers() {
    if let directory { System.discardTemporaryFiles(in: directory) }
  }
}
