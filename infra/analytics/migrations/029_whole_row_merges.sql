-- Rows are merged as a whole. Parts of many rows and columns are merged column by column by default, which needs less memory and, with
-- columns in as small blocks as these, twice the processor time.
ALTER TABLE touches MODIFY SETTING enable_vertical_merge_algorithm = 0;
ALTER TABLE transactions_by_id MODIFY SETTING enable_vertical_merge_algorithm = 0;
