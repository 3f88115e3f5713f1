/// When the command shows the progress of an upgrade: the values of `--progress`.
package enum ProgressChoice: String, CaseIterable, Sendable {
  /// A bar on a terminal; elsewhere one line when the upgrade has to wait.
  case auto
  case always, never
}
