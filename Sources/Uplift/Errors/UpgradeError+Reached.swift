extension UpgradeError {
  /// The version of the database after the error; nil if it was not read.
  public var reached: Version? {
    switch self {
    case .failed(let failure), .disk(_, _, let failure?): failure.reached
    case .busy(_, let reached), .cancelled(let reached): reached
    case .moved(_, let reached): reached
    case .newer(let database, _), .gap(let database, _): database
    default: nil
    }
  }
}
