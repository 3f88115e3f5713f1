/// What a file is, by its entry in the directory; equal facts mean that nobody has changed it.
struct FileFacts: Hashable {
  enum Kind: Hashable { case file, directory, link, other }

  /// The same for every name of a file, and for no other file.
  struct Identity: Hashable {
    let device: UInt64
    let node: UInt64
  }

  struct Moment: Hashable {
    let seconds: Int
    let nanoseconds: Int
  }

  let kind: Kind
  let size: Int64
  let links: Int
  let identity: Identity
  let modified: Moment
}
