-- A part of up to 64 MB is one file: a block of the sink, and what the first merges make of some. With a file or two for each of forty
-- columns, to open and sync them took as long as to write the rows.
ALTER TABLE judged_events MODIFY SETTING min_bytes_for_wide_part = 67108864;
ALTER TABLE emissions MODIFY SETTING min_bytes_for_wide_part = 67108864;
ALTER TABLE page_views MODIFY SETTING min_bytes_for_wide_part = 67108864;
ALTER TABLE transactions MODIFY SETTING min_bytes_for_wide_part = 67108864;
