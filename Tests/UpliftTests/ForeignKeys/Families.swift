/// A database with foreign keys of every kind.
enum Families {
  static let start = """
    CREATE TABLE parent(id INTEGER PRIMARY KEY, code TEXT UNIQUE, name);
    CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES parent ON DELETE CASCADE, note);
    CREATE TABLE coded(code REFERENCES parent(code) ON DELETE CASCADE);
    CREATE TABLE keyed(a, parent REFERENCES parent, PRIMARY KEY(a)) WITHOUT ROWID;
    CREATE TABLE tree(id INTEGER PRIMARY KEY, up REFERENCES tree ON DELETE CASCADE);
    CREATE TABLE pairs(a, b, name, PRIMARY KEY(b, a));
    CREATE TABLE paired(x, y, FOREIGN KEY(x, y) REFERENCES pairs(a, b));
    CREATE TABLE made(a, b AS (a + 1) STORED REFERENCES parent);
    INSERT INTO parent VALUES(1, 'one', 'x'), (2, 'two', 'y');
    INSERT INTO child VALUES(1, 1, ''), (2, 2, ''), (3, NULL, '');
    INSERT INTO coded VALUES('one'), ('two');
    INSERT INTO keyed VALUES('k', 1);
    INSERT INTO tree VALUES(1, NULL), (2, 1), (3, 3);
    INSERT INTO pairs VALUES(1, 2, 'p');
    INSERT INTO paired VALUES(1, 2), (NULL, 9), (9, NULL);
    INSERT INTO made(a) VALUES(0);
    """

  /// Orphans in each table that can have some before a script.
  static let oldOrphans = """
    INSERT INTO child VALUES(11, 70, ''), (12, 70, ''), (13, 71, '');
    INSERT INTO coded VALUES('seven');
    INSERT INTO keyed VALUES('l', 70);
    INSERT INTO tree VALUES(4, 70);
    INSERT INTO paired(rowid, x, y) VALUES(-7, 7, 7);
    INSERT INTO made(a) VALUES(69);
    """
}
