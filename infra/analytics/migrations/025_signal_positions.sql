-- Days are counted anew once: new rows are added to what is counted up to a position exactly, and earlier counts had what was stored
-- when they were made.
TRUNCATE TABLE signal_positions;
