-- Nothing here is planned by statistics of columns, which ClickHouse would compute with each merge and load for each statement.
ALTER TABLE judged_events MODIFY SETTING auto_statistics_types = '';
ALTER TABLE emissions MODIFY SETTING auto_statistics_types = '';
ALTER TABLE page_views MODIFY SETTING auto_statistics_types = '';
ALTER TABLE transactions MODIFY SETTING auto_statistics_types = '';
-- What attribution writes comes in parts of a few rows, in which columns of defaults would often be stored as sparse ones: to tell
-- which, and to read such parts together with others, took more than the columns do.
ALTER TABLE touches MODIFY SETTING auto_statistics_types = '', ratio_of_defaults_for_sparse_serialization = 1;
ALTER TABLE transactions_by_person MODIFY SETTING auto_statistics_types = '', ratio_of_defaults_for_sparse_serialization = 1;
ALTER TABLE transactions_by_id MODIFY SETTING auto_statistics_types = '', ratio_of_defaults_for_sparse_serialization = 1;
ALTER TABLE links_by_cid MODIFY SETTING auto_statistics_types = '', ratio_of_defaults_for_sparse_serialization = 1;
ALTER TABLE links_by_uid MODIFY SETTING auto_statistics_types = '', ratio_of_defaults_for_sparse_serialization = 1;
ALTER TABLE attributed_lines MODIFY SETTING auto_statistics_types = '', ratio_of_defaults_for_sparse_serialization = 1;
