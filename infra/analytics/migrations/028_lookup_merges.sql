-- A person is looked up in each part, so fewer parts are worth more merges: parts are merged when together they are three times as large
-- as the largest of them, where by default it is five times.
ALTER TABLE touches MODIFY SETTING merge_selector_base = 3;
ALTER TABLE transactions_by_person MODIFY SETTING merge_selector_base = 3;
ALTER TABLE transactions_by_id MODIFY SETTING merge_selector_base = 3;
ALTER TABLE links_by_cid MODIFY SETTING merge_selector_base = 3;
ALTER TABLE links_by_uid MODIFY SETTING merge_selector_base = 3;
