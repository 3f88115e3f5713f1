// Short names inside the package. A program sees these types only as members of `Upgrader`, because
// GRDB and Fluent have types of the same names, and a file may import both.

package typealias Migration = Upgrader.Migration
package typealias Migrations = Upgrader.Migrations
