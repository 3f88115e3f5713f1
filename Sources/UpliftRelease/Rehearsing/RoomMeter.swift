internal import Uplift
internal import UpliftSystem

/// Measures the room that the steps need on a copy of the database, and stops a rehearsal that takes
/// too much.
///
/// The service may write on the same disks. So a quarter of what is free at the start stays free.
final class RoomMeter {
  private let path: Path
  private let data: Disk
  private let copy: Disk
  private let temporary: Disk
  private var start = (files: Int64(0), free: Int64(0))
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
    var reserve: Int64 { (free ?? 0) / 4 }

    init(_ directory: Path) throws(UpgradeError) {
      self.directory = directory
      device = try NewFile.facts(directory)?.identity.device
      free = System.freeBytes(at: directory)
    }
  }

  /// Refuses a copy that would take a part of the reserve.
  init(database: Path, copy path: Path, in directory: Path) throws(UpgradeError) {
    self.path = path
    let file = try UpgradeError.at(database) { () throws(SystemError) in
      try System.isLink(database) ? System.resolve(database) : database
    }
    data = try Disk(file.parent)
    copy = try Disk(directory)
    temporary = try Disk(System.temporaryDirectory)
    let size = Self.size(of: file) + Self.size(of: file + "-wal")
    guard let free = copy.free, free < size + copy.reserve else { return }
    throw UpgradeError(
      .disk,
      "a copy needs \(size.asBytes), and \(copy.reserve.asBytes) must stay free for other programs; "
        + "\(directory.shown.quoted) has only \(free.asBytes) free", fix: Self.otherDisk)
  }

  private static let otherDisk = "use --in to name a directory on a disk with more room"

  /// Begins to measure, before the first step.
  func begin() {
    start = (bytesOfFiles, System.freeBytes(at: temporary.directory) ?? 0)
  }

  /// Reads the sizes of the database, its journal and its log, and how much is free for temporary
  /// files, which have no names.
  func measure() {
    let files = bytesOfFiles - start.files
    var taken = start.free - (System.freeBytes(at: temporary.directory) ?? start.free)
    if copy.device == temporary.device { taken -= files }
    needed.data = max(needed.data, files + (isOneDisk ? max(0, taken) : 0))
    needed.temporary = max(needed.temporary, taken)
  }

  /// Measures, at most a thousand times a second; true if a disk has less free than its reserve.
  func isShort() -> Bool {
    guard error == nil, latest.duration(to: .now) > .milliseconds(1) else { return error != nil }
    latest = .now
    measure()
    for disk in [copy, temporary] {
      guard let free = System.freeBytes(at: disk.directory), free < disk.reserve else { continue }
      error = UpgradeError(
        .disk,
        "stopped, because a rehearsal leaves \(disk.reserve.asBytes) to other programs, and "
          + "\(disk.directory.shown.quoted) has less than that free",
        fix: disk.directory == copy.directory
          ? Self.otherDisk : "set SQLITE_TMPDIR to a directory on a disk with more room")
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
    ["", "-journal", "-wal"].reduce(0) { $0 + Self.size(of: path + $1) }
  }

  private static func size(of path: Path) -> Int64 {
    do {
      return try System.facts(of: path, followingLinks: true)?.size ?? 0
    } catch {
      return 0
    }
  }
}
