import TestSupport
import Testing

/// Runs boots on real file systems, which are small and mounted for the test alone.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FileSystemTests {
  private static let whole = """
    boot 3
    ls "$place/data"
    sqlite3 "$place/data/app.db" "PRAGMA integrity_check; SELECT name FROM item ORDER BY id;"
    """
  private static let seeded = """
    seeded at 1 -> 3
    applied 2 2_two.sql
    applied 3 3_three.sql
    app.db
    ok
    seeded
    script 2
    script 3

    """

  /// Tries a first boot, a boot over an empty file, eight boots at once, and a full disk.
  private func serves(_ mount: String) throws {
    let site = try Site()
    let outcome = try Mounts.run(
      site,
      """
      \(mount)
      mkdir "$place/data"
      \(Self.whole)
      rm "$place/data/app.db"
      : >"$place/data/app.db"
      \(Self.whole)
      rm "$place/data/app.db"
      mkdir "$place/barrier"
      for number in 1 2 3 4 5 6 7 8; do
        boot 3 --barrier "$place/barrier" >"$place/$number" &
      done
      while [ "$(ls "$place/barrier" | wc -l)" -lt 8 ]; do sleep 0.01; done
      : >"$place/barrier/go"
      wait
      cat "$place"/[1-8] | grep -c -e '-> 3'
      grep -c '^seeded at 1 ->' "$place"/[1-8] | grep -c ':1$'
      ls "$place/data"
      rm "$place/data/app.db"
      dd if=/dev/zero of="$place/filler" bs=1M 2>/dev/null || true
      dd if=/dev/zero of="$place/rest" bs=512 2>/dev/null || true
      boot 3 | head -n 1 || true
      ls "$place/data"
      rm "$place/filler" "$place/rest"
      \(Self.whole)
      """)

    #expect(outcome.errors == "")
    #expect(
      outcome.output == Self.seeded + Self.seeded + "8\n1\napp.db\n" + "disk\n" + Self.seeded)
  }

  private static let none = Mounts.obstacle
  private static let ext4 = Mounts.obstacle(kind: "ext4")
  private static let xfs = Mounts.obstacle(kind: "xfs")
  private static let btrfs = Mounts.obstacle(kind: "btrfs")
  private static let vfat = Mounts.obstacle(kind: "vfat")

  @Test(.tags(.F7, .F13, .promise3), .enabled(if: none == nil, "no mounts here: \(none ?? "")"))
  func `tmpfs serves as a data directory`() throws {
    try serves("mount -t tmpfs -o size=4m none \"$place\"")
  }

  @Test(.tags(.F7, .F13, .promise3), .enabled(if: ext4 == nil, "no ext4 here: \(ext4 ?? "")"))
  func `ext4 serves as a data directory`() throws { try serves(Mounts.makeAndMount("ext4")) }

  @Test(.tags(.F7, .F13, .promise3), .enabled(if: xfs == nil, "no xfs here: \(xfs ?? "")"))
  func `xfs serves as a data directory`() throws { try serves(Mounts.makeAndMount("xfs")) }

  @Test(.tags(.F7, .F13, .promise3), .enabled(if: btrfs == nil, "no btrfs here: \(btrfs ?? "")"))
  func `btrfs serves as a data directory`() throws { try serves(Mounts.makeAndMount("btrfs")) }

  @Test(.tags(.F7, .F13, .promise3), .enabled(if: vfat == nil, "no vfat here: \(vfat ?? "")"))
  func `vfat serves as a data directory`() throws { try serves(Mounts.makeAndMount("vfat")) }

  private func shares(_ kind: String) throws {
    let site = try Site()

    let outcome = try Mounts.run(
      site,
      """
      \(Mounts.makeAndMount(kind))
      mkdir "$place/data"
      cp "$seed" "$place/seed.db"
      seed=$place/seed.db
      export UPLIFT_INTERCEPT_ROOT="$place" UPLIFT_INTERCEPT_LOG="$place/calls"
      \(Self.whole)
      grep -c -P '\\tprogram\\tioctl\\t0\\t' "$place/calls"
      ! grep -q copy_file_range "$place/calls"
      """)

    #expect(outcome.errors == "")
    #expect(outcome.output == Self.seeded + "1\n")
  }

  @Test(.enabled(if: xfs == nil, "no xfs here: \(xfs ?? "")"))
  func `xfs shares the blocks of a seed that lies on it`() throws { try shares("xfs") }

  @Test(.enabled(if: btrfs == nil, "no btrfs here: \(btrfs ?? "")"))
  func `btrfs shares the blocks of a seed that lies on it`() throws { try shares("btrfs") }

  @Test(
    .tags(.F13, .promise3, .promise6), .enabled(if: none == nil, "no mounts here: \(none ?? "")"))
  func `a full disk of any size leaves no database or a whole one`() throws {
    let site = try Site(
      seed: Site.seed + "CREATE TABLE more AS SELECT randomblob(100000) AS bytes;",
      scripts: ["2.sql": "CREATE TABLE m2 AS SELECT randomblob(60000);", "3.sql": Site.script(3)])

    let outcome = try Mounts.run(
      site,
      """
      size=4
      while [ "$size" -le 360 ]; do
        mount -t tmpfs -o "size=${size}k" none "$place"
        mkdir "$place/data" 2>/dev/null || { umount "$place"; size=$((size + 4)); continue; }
        result=$(boot 3 | head -n 1)
        case $result in
          disk) ;;
          'seeded at 1 -> 3') echo fits ;;
          *) echo "$size: $result" ;;
        esac
        left=$(ls "$place/data")
        case $left in
          '' | app.db) ;;
          *) echo "$size: $left" ;;
        esac
        [ -z "$left" ] || sqlite3 "$place/data/app.db" 'PRAGMA integrity_check' | grep -v '^ok' || true
        mount -o remount,size=4m "$place"
        boot 3 >/dev/null
        sqlite3 "$place/data/app.db" \\
          "SELECT 'wrong' WHERE (SELECT group_concat(name) FROM item) <> 'seeded,script 3'"
        umount "$place"
        size=$((size + 4))
      done
      """)

    #expect(outcome.errors == "")
    #expect(Set(outcome.output.split(separator: "\n")) == ["fits"])
    #expect((5..<80).contains(outcome.output.split(separator: "\n").count))
  }

  @Test(.tags(.P7), .enabled(if: none == nil, "no mounts here: \(none ?? "")"))
  func `the error names the directory of temporary files, whose disk may be full`() throws {
    let sorts = """
      CREATE TABLE sorted AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 30000)
      SELECT i, randomblob(300) AS b FROM n ORDER BY b;
      """
    let site = try Site(scripts: ["2.sql": sorts])

    let outcome = try Mounts.run(
      site,
      """
      mount -t tmpfs -o size=100m none "$place"
      mkdir "$place/data" "$place/temporary"
      mount -t tmpfs -o size=200k none "$place/temporary"
      SQLITE_TMPDIR=$place/temporary boot 2 || true
      sqlite3 "$place/data/app.db" "PRAGMA user_version; PRAGMA integrity_check"
      mount -o remount,size=100m "$place/temporary"
      mount -o remount,size=200k "$place"
      SQLITE_TMPDIR=$place/temporary boot 2 || true
      """)

    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "disk")
    #expect(lines.dropFirst().first?.contains("\"\(site.scratch("mount/temporary"))\"") == true)
    #expect(lines.dropFirst(2).prefix(2) == ["1", "ok"])
    #expect(lines.last?.contains("full") == true)
  }

  /// SQLite cannot make a journal or the file of the shared memory, and says only that it cannot open
  /// a file.
  @Test(
    .tags(.F21, .promise6, .promise9), .enabled(if: none == nil, "no mounts here: \(none ?? "")"))
  func `a disk without free inodes is full, also for a boot that has to read a log`() throws {
    let site = try Site()

    let outcome = try Mounts.run(
      site,
      """
      mount -t tmpfs -o size=4m,nr_inodes=20 none "$place"
      mkdir "$place/data"
      boot 2 >/dev/null
      number=0
      full() { while : 2>/dev/null >"$place/$number"; do number=$((number + 1)); done; }
      ( full ) || true
      boot 3 | head -n 2
      rm "$place"/[0-9]*
      sqlite3 "$place/data/app.db" "PRAGMA journal_mode=wal" >/dev/null
      sqlite3 "$place/data/app.db" ".dbconfig no_ckpt_on_close on" "DELETE FROM item" >/dev/null
      rm -f "$place/data/app.db-shm"
      ( full ) || true
      boot 2 || true
      ls "$place/data"
      """)

    #expect(outcome.errors == "")
    #expect(
      outcome.output == """
        disk
        "\(site.scratch("mount/data/app.db"))": no file can be made, because the file system has no free inode
        disk
        "\(site.scratch("mount/data/app.db"))": no file can be made, because the file system has no free inode
        app.db
        app.db-wal

        """)
  }

  @Test(
    .tags(.F14, .promise9), .enabled(if: none == nil, "no mounts here: \(none ?? "")"),
    arguments: ["delete", "wal"])
  func `a current database boots from a read-only mount`(journal: String) throws {
    let site = try Site()

    let outcome = try Mounts.run(
      site,
      """
      mount -t tmpfs -o size=4m none "$place"
      mkdir "$place/data"
      boot 2 >/dev/null
      sqlite3 "$place/data/app.db" "PRAGMA journal_mode=\(journal)" >/dev/null
      ln "$place/data/app.db" "$place/data/another"
      mount -o remount,ro "$place"
      boot 2
      boot 3 | grep -o "is read-only"
      rm -f "$place/data/app.db" 2>/dev/null || true
      mount -o remount,rw "$place"
      rm "$place/data/app.db"
      mount -o remount,ro "$place"
      boot 3 | head -n 1
      ls "$place/data"
      """)

    #expect(outcome.output == "2 -> 2\nis read-only\ndenied\nanother\n")
    #expect(outcome.errors == "")
  }

  @Test(.tags(.F4, .F6, .F13), .enabled(if: none == nil, "no mounts here: \(none ?? "")"))
  func `a seed on a read-only mount is copied`() throws {
    let site = try Site()
    try Shell.run(site.seed, "PRAGMA journal_mode=wal;")

    let outcome = try Mounts.run(
      site,
      """
      mount -t tmpfs -o size=4m none "$place"
      mkdir "$place/data" "$place/resources"
      cp "$seed" "$place/resources/app.db"
      chmod 0444 "$place/resources/app.db"
      mount --bind "$place/resources" "$place/resources"
      mount -o remount,bind,ro "$place/resources"
      seed=$place/resources/app.db
      \(Self.whole)
      rm "$place/data/app.db"
      : >"$place/data/app.db"
      \(Self.whole)
      ls "$place/resources"
      """)

    #expect(outcome.output == Self.seeded + Self.seeded + "app.db\n")
    #expect(outcome.errors == "")
  }
}
