-- The product index of one data folder. It is a projection of the log: it may be deleted, and is then filled again.
-- Opened in WAL mode, so that the search thread can read while the writer writes.

CREATE TABLE IF NOT EXISTS documents (
  -- The number of the document, in the full-text tables as well. The code calls it rowid.
  doc INTEGER PRIMARY KEY,
  shopId TEXT NOT NULL, feedId TEXT NOT NULL, id TEXT NOT NULL,
  -- The log positions from which the offer and its list of campaigns were made: see part-versions.ts.
  offerVersion INTEGER NOT NULL DEFAULT 0, promotedVersion INTEGER NOT NULL DEFAULT 0, registryVersion INTEGER NOT NULL DEFAULT 0,
  -- JSON of the offer without its product details, and JSON of the details. Null when the offer was removed or has not arrived yet.
  offer TEXT, details TEXT, productId TEXT, digest TEXT,
  -- JSON list of campaign ids.
  campaigns TEXT NOT NULL DEFAULT '[]',
  -- JSON of `DocumentSummary`: the part of the offer that the search thread keeps in memory. Null when `offer` is null.
  summary TEXT,
  -- The number of the last write batch that changed this row or the signals of its product.
  changed INTEGER NOT NULL,
  UNIQUE (shopId, feedId, id)
);
CREATE INDEX IF NOT EXISTS documents_by_id ON documents (shopId, id);
CREATE INDEX IF NOT EXISTS documents_by_product_id ON documents (shopId, productId) WHERE productId IS NOT NULL;
CREATE INDEX IF NOT EXISTS documents_by_change ON documents (changed);

-- How many offers each seller has: see seller-counts.ts.
CREATE TABLE IF NOT EXISTS sellers (
  shopId TEXT NOT NULL, sellerId TEXT NOT NULL, offers INTEGER NOT NULL, PRIMARY KEY (shopId, sellerId)
) WITHOUT ROWID;
-- A folder of an earlier version may have documents that are not counted yet, or triggers that counted them.
INSERT INTO sellers
  SELECT shopId, offer ->> 'externalSellerId' AS sellerId, count(*) FROM documents
  WHERE NOT EXISTS (SELECT 1 FROM sellers) AND sellerId IS NOT NULL GROUP BY 1, 2;
DROP TRIGGER IF EXISTS documents_leave_seller;
DROP TRIGGER IF EXISTS documents_begin_with_seller;
DROP TRIGGER IF EXISTS documents_join_seller;

CREATE TABLE IF NOT EXISTS signals (
  shopId TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, popularity REAL NOT NULL, signals TEXT NOT NULL,
  PRIMARY KEY (shopId, id)
) WITHOUT ROWID;

-- The numbers of the shops, given in the order of their first documents.
CREATE TABLE IF NOT EXISTS shops (number INTEGER PRIMARY KEY, shopId TEXT NOT NULL UNIQUE);

-- Texts arrive analysed: as tokens joined by spaces, each with its shop's number in front (12:lamp). The tokenizer only splits them.
-- So a token's posting list belongs to one shop, and a search reads nothing of other shops.
-- No column sizes are stored, because the program ranks by itself.
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5 (
  title, brand, categories, attributes, description, columnsize = 0, tokenize = "ascii tokenchars '.:'"
);
CREATE VIRTUAL TABLE IF NOT EXISTS text_instances USING fts5vocab (texts, 'instance');
CREATE VIRTUAL TABLE IF NOT EXISTS facets USING fts5 (tokens, columnsize = 0, detail = none, tokenize = "ascii tokenchars ':'");
-- How many offers of all shops have each term in their texts. The writer keeps these counts up to date.
CREATE TABLE IF NOT EXISTS terms (term TEXT PRIMARY KEY, offers INTEGER NOT NULL) WITHOUT ROWID;
