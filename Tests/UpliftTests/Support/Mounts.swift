import Foundation
import TestSupport

/// Mounts file systems for one test, so that no other process can see them.
///
/// The shell script runs in a mount namespace that ends with it. Whatever happens, nothing stays
/// mounted, and loop devices are released.
enum Mounts {
  /// Why nothing can be mounted on this machine; nil if it can.
  static let obstacle = obstacle { "mount -t tmpfs none \"$1\"" }

  /// Why an image of this kind cannot be made and mounted on this machine; nil if it can.
  static func obstacle(kind: String) -> String? {
    obstacle { makeAndMount(kind) }
  }

  /// Makes a file system of the kind and mounts it at `$1`, with its image beside it.
  static func makeAndMount(_ kind: String) -> String {
    let quiet = kind == "vfat" ? "" : "-q"
    return """
      PATH=$PATH:/usr/sbin:/sbin
      truncate -s 320M "$1.image"
      mkfs.\(kind) \(quiet) "$1.image" >/dev/null
      mount -o loop "$1.image" "$1"
      """
  }

  /// Runs a script with `$1` a directory to mount something at, `$2` the seed, `$3` the scripts;
  /// `boot TARGET [OPTION VALUE]...` in it boots `$1/data/app.db`.
  static func run(_ site: Site, _ script: String) throws -> Outcome {
    let place = site.scratch("mount")
    try FileManager.default.createDirectory(
      atPath: place, withIntermediateDirectories: true)
    let prelude = """
      set -e
      place=$1; seed=$2; scripts=$3
      # In the package, the command would find the seed of Resources.
      cd "$place/.."
      boot() {
        target=$1; shift
        '\(Command.product("BootHelper").path)' "$place/data/app.db" --seed "$seed" \\
          --migrations "$scripts" --target "$target" "$@"
      }
      """
    return try Command("/usr/bin/unshare").run(
      "-m", "/bin/sh", "-c", prelude + "\n" + script, "sh", place, site.seed, site.scripts)
  }

  private static func obstacle(_ script: () -> String) -> String? {
    do {
      let scratch = try Scratch()
      try scratch.write("", to: "mount/none")
      let outcome = try Command("/usr/bin/unshare").run(
        "-m", "/bin/sh", "-ec", script(), "sh", scratch("mount"))
      return outcome.status == 0 ? nil : String(outcome.errors.split(separator: "\n").first ?? "")
    } catch {
      return "\(error)"
    }
  }
}
