-- The product index of one data folder. A projection of the log: may be deleted, and is then filled again.
-- Opened with WAL, so that the search thread reads while the writer writes.

CREATE TABLE IF NOT EXISTS documents (
  doc INTEGER PRIMARY KEY,
  shopId TEXT NOT NULL, feedId TEXT NOT NULL, id TEXT NOT NULL,
  -- Versions of the two parts; 0: that part has not come yet.
  offerVersion INTEGER NOT NULL DEFAULT 0, promotionsVersion INTEGER NOT NULL DEFAULT 0,
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

CREATE TABLE IF NOT EXISTS signals (
  shopId TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, popularity REAL NOT NULL, signals TEXT NOT NULL,
  PRIMARY KEY (shopId, id)
) WITHOUT ROWID;

-- Terms arrive analysed and joined by spaces; the tokenizer only splits. Ranking is our own, so no document sizes.
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5 (
  title, brand, categories, attributes, description, columnsize = 0, tokenize = "ascii tokenchars '.'"
);
CREATE VIRTUAL TABLE IF NOT EXISTS text_instances USING fts5vocab (texts, 'instance');
CREATE VIRTUAL TABLE IF NOT EXISTS facets USING fts5 (tokens, columnsize = 0, detail = none, tokenize = "ascii");
