/** One entry per schema version, in order. A released entry never changes. */
export const migrations = [
  `
  CREATE TABLE downloads (
    application TEXT NOT NULL, version TEXT NOT NULL, day TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (application, version, day)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX downloadsByDay ON downloads (day, count);
  -- For each process that counts downloads: the number of its last saved batch, so that none is counted twice.
  CREATE TABLE writers (writer TEXT PRIMARY KEY, number INTEGER NOT NULL, seenAt INTEGER NOT NULL) STRICT;

  CREATE TABLE clients (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, contact TEXT NOT NULL, reason TEXT NOT NULL, state TEXT NOT NULL,
    createdAt INTEGER NOT NULL, decidedAt INTEGER, keyHash TEXT UNIQUE
  ) STRICT;
  CREATE INDEX clientsByState ON clients (state);

  CREATE TABLE tokens (
    id TEXT PRIMARY KEY, label TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,
    createdAt INTEGER NOT NULL, expiresAt INTEGER, lastUsedAt INTEGER
  ) STRICT;

  -- A lifted ban stays for a while with lifted = 1, so that other processes see the change.
  CREATE TABLE bans (
    address TEXT PRIMARY KEY, reason TEXT NOT NULL, "by" TEXT NOT NULL, at INTEGER NOT NULL, until INTEGER NOT NULL,
    revision INTEGER NOT NULL, lifted INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX bansByRevision ON bans (revision);
  CREATE INDEX bansByEnd ON bans (until);

  -- Wrong operator tokens and earlier bans of an address.
  CREATE TABLE strikes (key TEXT PRIMARY KEY, score INTEGER NOT NULL, expiresAt INTEGER NOT NULL) STRICT;
  CREATE INDEX strikesByEnd ON strikes (expiresAt);

  -- Notes about the store itself, for example that a copy into it has not finished.
  CREATE TABLE markers (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  -- bansForgotten: lifted bans up to this revision were deleted. Who last read an earlier one gets the full list.
  CREATE TABLE revisions (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  INSERT INTO revisions VALUES ('clients', 1), ('tokens', 1), ('bans', 1), ('bansForgotten', 0);
  -- The health check writes its time here.
  CREATE TABLE probe (one INTEGER PRIMARY KEY CHECK (one = 1), at INTEGER NOT NULL) STRICT;
  `,
  `
  -- sketch: the bytes of a HyperLogLog, if installations were counted. installations: its estimate.
  CREATE TABLE adoptionDays (day TEXT PRIMARY KEY, installations INTEGER NOT NULL, sketch BLOB) STRICT;
  CREATE TABLE updateChecks (
    day TEXT NOT NULL, version TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (day, version)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Requests by day and outcome. dimension: what the name is, for example an endpoint or a kind.
  CREATE TABLE usage (
    day TEXT NOT NULL, dimension TEXT NOT NULL, name TEXT NOT NULL,
    served INTEGER NOT NULL, refused INTEGER NOT NULL, sourceFailed INTEGER NOT NULL, failed INTEGER NOT NULL,
    PRIMARY KEY (day, dimension, name)
  ) STRICT, WITHOUT ROWID;
  `,
]

/** The tables that `clear` empties. */
export const stateTables = [
  'downloads',
  'adoptionDays',
  'updateChecks',
  'usage',
  'writers',
  'clients',
  'tokens',
  'bans',
  'strikes',
  'markers',
]
