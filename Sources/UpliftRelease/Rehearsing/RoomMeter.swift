internal import Uplift
internal import UpliftSystem

/// Measures the room that the steps need on a copy of the database, and stops a rehearsal when less
/// than a quarter of what was free is left: the service may write on the same disks.
final class RoomMeter {
  private let path: Path
  private let data: Disk
  private let copy: Disk
  private let temporary: Disk
  /// The bytes of the copy, and those taken for temporary files, before the first step.
  private var start = (files: Int64(0), taken: Int64(0))
  /// What is needed at most beside the database, and for temporary files on another disk.
  private var needed = (data: Int64(0), temporary: Int64(0))
  private var latest = ContinuousClock.now
  /// Why the rehearsal was stopped; nil if it was not.
  private(set) var error: UpgradeError?

  private struct Disk {
    let directory: Path
    let device: UInt64?
    /// The bytes that are free before the rehearsal begins; nil if the system does not say.
    let free: Int64?

    init(_ directory: Path) throws(UpgradeError) {
      self.directory = directory
      device = try directory.facts()?.identity.device
      free = System.freeBytes(at: directory)
    }

    /// How many of the free bytes are taken now.
    var taken: Int64 {
      guard let free, let now = System.freeBytes(at: directory) else { return 0 }
      return free - now
    }
  }

  init(database: Path, copy path: Path, in directory: Path) throws(UpgradeError) {
    self.path = path
    data = try Disk(try database.isLink() ? database.resolved().parent : database.parent)
    copy = try Disk(directory)
    temporary = try Disk(System.temporaryDirectory)
  }

  /// Begins to measure, before the first step.
  func begin() {
    start = (bytesOfFiles, temporary.taken)
    needed = (0, 0)
  }

  /// Reads the sizes of the database, its journal and its log, and how much is taken for temporary
  /// files, which have no names.
  func measure() {
    let files = bytesOfFiles - start.files
    let taken = temporary.taken - start.taken - (copy.device == temporary.device ? files : 0)
    needed.data = max(needed.data, files + (isOneDisk ? max(0, taken) : 0))
    needed.temporary = max(needed.temporary, taken)
  }

  /// Measures, at most a thousand times a second; true if too little is left on a disk.
  func isShort() -> Bool {
    guard error == nil, latest.duration(to: .now) > .milliseconds(1) else { return error != nil }
    latest = .now
    measure()
    for disk in [copy, temporary] {
      guard let free = disk.free, disk.taken > free / 4 * 3 else { continue }
      error = UpgradeError(
        .disk,
        "stopped, because less than a quarter of the \(free.asBytes) that were free in "
          + "\(disk.directory.shown.quoted) is left",
        fix: "use --in to name a directory on a disk with more room; if that is not enough, set "
          + "SQLITE_TMPDIR to it, too")
    }
    return error != nil
  }

  /// The room that an upgrade needs beside the database, and for the temporary files.
  var report: [Rehearsal.Room] {
    func room(_ disk: Disk, _ needed: Int64) -> Rehearsal.Room {
      Rehearsal.Room(directory: disk.directory.shown, needed: needed, free: disk.free)
    }
    return [room(data, needed.data)] + (isOneDisk ? [] : [room(temporary, needed.temporary)])
  }

  private var isOneDisk: Bool { data.device == temporary.device }

  private var bytesOfFiles: Int64 {
    ["", "-journal", "-wal"].reduce(0) { bytes, suffix in
      do {
        return bytes + (try System.facts(of: path + suffix, followingLinks: true)?.size ?? 0)
      } catch {
        return bytes
      }
    }
  }
}
