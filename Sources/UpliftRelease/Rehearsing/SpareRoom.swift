internal import Synchronization
internal import UpliftSystem

/// Watches the disks of a rehearsal, so that a quarter of their free room stays for other programs.
///
/// The service may write on the same disk while the rehearsal runs.
final class SpareRoom: Sendable {
  private let disks: [Disk]
  /// The disk that had less free room than its reserve.
  private let fullDisk = Mutex<Disk?>(nil)

  private struct Disk: Sendable {
    let directory: Path
    /// The bytes that stay free.
    let reserve: Int64
    /// True for the disk of SQLite's temporary files, if the copy has another directory.
    let isTemporary: Bool

    init(_ directory: Path, isTemporary: Bool) {
      self.directory = directory
      self.isTemporary = isTemporary
      reserve = (System.freeBytes(at: directory) ?? 0) / 4
    }
  }

  /// Reads how much is free now, before the rehearsal takes some of it.
  init(forCopyIn directory: Path) {
    let temporary = System.temporaryDirectory
    disks = [
      Disk(directory, isTemporary: false), Disk(temporary, isTemporary: temporary != directory),
    ]
  }

  /// True if each disk has its reserve; otherwise remembers a disk that does not.
  ///
  /// A disk whose free room is not known counts as one that has its reserve.
  func checkReserve() -> Bool {
    let full = disks.first { disk in
      System.freeBytes(at: disk.directory).map { $0 < disk.reserve } ?? false
    }
    guard let full else { return true }
    fullDisk.withLock { $0 = $0 ?? full }
    return false
  }

  /// The error if `checkReserve()` has returned false; nil otherwise.
  var error: ReleaseError? { fullDisk.withLock(\.self).map { error(of: $0, copy: nil) } }

  /// Refuses a copy that would not leave the reserve.
  func check(copyOf size: Int64) throws(ReleaseError) {
    guard let disk = disks.first, let free = System.freeBytes(at: disk.directory),
      free < size + disk.reserve
    else { return }
    throw error(of: disk, copy: size)
  }

  private func error(of disk: Disk, copy: Int64?) -> ReleaseError {
    .noRoom(
      directory: disk.directory.shown, reserve: disk.reserve, copy: copy,
      free: System.freeBytes(at: disk.directory), isTemporary: disk.isTemporary)
  }
}
