-- With which item groups the lines of each product were computed, in every part by itself and so always true of what is stored: by it
-- attribution knows whether a product that was changed has lines to compute again. Parts that replace rows count theirs again.
ALTER TABLE attributed_lines MODIFY SETTING deduplicate_merge_projection_mode = 'rebuild';
ALTER TABLE attributed_lines ADD PROJECTION IF NOT EXISTS groups_of_products (
  SELECT shopId, shopProductId, itemGroups, count() GROUP BY shopId, shopProductId, itemGroups);
-- In the background; parts that have none yet are read as they are.
ALTER TABLE attributed_lines MATERIALIZE PROJECTION groups_of_products SETTINGS mutations_sync = 0;
