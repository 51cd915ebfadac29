-- Parts of touches that are older than a day are merged, however unequal they are, because a person is looked up in each part. A month
-- thus has one part, and those of its last day if it is not over. A touch is merged at most once a day for this, until its month ends.
ALTER TABLE touches MODIFY SETTING min_age_to_force_merge_seconds = 86400;
