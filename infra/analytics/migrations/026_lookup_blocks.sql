-- A look-up reads one granule here and there, and with it the whole of each compressed block that the granule begins or ends in: blocks
-- are closed with nearly every granule now. A text is one stream, and not lengths and characters apart, which doubled the
-- blocks of a granule. Parts take this over when they are merged.
ALTER TABLE touches MODIFY SETTING min_compress_block_size = 1024, string_serialization_version = 'single_stream';
ALTER TABLE transactions_by_person MODIFY SETTING min_compress_block_size = 1024, string_serialization_version = 'single_stream';
ALTER TABLE transactions_by_id MODIFY SETTING min_compress_block_size = 1024, string_serialization_version = 'single_stream';
ALTER TABLE links_by_cid MODIFY SETTING min_compress_block_size = 1024, string_serialization_version = 'single_stream';
ALTER TABLE links_by_uid MODIFY SETTING min_compress_block_size = 1024, string_serialization_version = 'single_stream';
