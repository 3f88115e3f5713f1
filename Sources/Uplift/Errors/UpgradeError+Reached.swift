extension UpgradeError {
  /// The version of the database after the error; nil if it was not read.
  public var reached: Version? {
    switch self {
    case .failed(let failure): failure.reached
    case .disk(let disk): disk.failure?.reached
    case .busy(let busy): busy.reached
    case .cancelled(let cancelled): cancelled.reached
    case .preparation(let preparation): preparation.reached
    case .moved(let moved): moved.reached
    case .newer(let newer): newer.database
    case .gap(let gap): gap.database
    default: nil
    }
  }
}
