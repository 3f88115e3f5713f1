internal import CUpliftSQLite

/// The class of a stored value (sqlite.org/datatype3.html, section 2).
package enum StorageClass {
  case null, integer, real, text, blob

  init(_ code: Int32) {
    self =
      switch code {
      case SQLITE_INTEGER: .integer
      case SQLITE_FLOAT: .real
      case SQLITE_TEXT: .text
      case SQLITE_BLOB: .blob
      default: .null
      }
  }
}
