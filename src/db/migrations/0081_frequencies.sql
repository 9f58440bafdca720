-- Ids of frequencies that a shop adds. Every company has the same 1 to 7 from the beginning; an id above them names one frequency
-- of one company, and none that is deleted gives its id to another.
create sequence subscription_frequency_ids start 101;
