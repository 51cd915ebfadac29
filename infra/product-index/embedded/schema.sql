-- The product index of one data folder. A projection of the log: may be deleted, and is then filled again.
-- Opened with WAL, so that the search thread reads while the writer writes.

CREATE TABLE IF NOT EXISTS documents (
  -- The number of the document, also in the full-text tables; called rowid outside of SQL.
  doc INTEGER PRIMARY KEY,
  shopId TEXT NOT NULL, feedId TEXT NOT NULL, id TEXT NOT NULL,
  -- What the offer and its list of campaigns follow from: part-versions.ts.
  offerVersion INTEGER NOT NULL DEFAULT 0, promotedVersion INTEGER NOT NULL DEFAULT 0, registryVersion INTEGER NOT NULL DEFAULT 0,
  -- JSON of the offer without its product details, and of these; null when it was removed, or has not come yet.
  offer TEXT, details TEXT, productId TEXT, digest TEXT,
  -- JSON list of campaign ids.
  campaigns TEXT NOT NULL DEFAULT '[]',
  -- What the search thread keeps of the offer in memory, JSON of `DocumentRow`; null with `offer`.
  summary TEXT,
  -- Counts the write batches; the last one that changed this row or the signals of its product.
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
-- A folder of an earlier version has documents already, or triggers that counted.
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

-- Shops by number, in the order of their first documents.
CREATE TABLE IF NOT EXISTS shops (number INTEGER PRIMARY KEY, shopId TEXT NOT NULL UNIQUE);

-- Words arrive analysed, as tokens with the number of the shop before each (12:lamp), joined by spaces; the tokenizer only splits. So
-- the list of a token is that of one shop, and a search reads nothing of other shops. Ranking is our own: no document sizes.
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5 (
  title, brand, categories, attributes, description, columnsize = 0, tokenize = "ascii tokenchars '.:'"
);
CREATE VIRTUAL TABLE IF NOT EXISTS text_instances USING fts5vocab (texts, 'instance');
CREATE VIRTUAL TABLE IF NOT EXISTS facets USING fts5 (tokens, columnsize = 0, detail = none, tokenize = "ascii tokenchars ':'");
-- How many offers of all shops have each term in their texts, kept by the writer.
CREATE TABLE IF NOT EXISTS terms (term TEXT PRIMARY KEY, offers INTEGER NOT NULL) WITHOUT ROWID;
