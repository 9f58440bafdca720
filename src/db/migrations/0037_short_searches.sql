-- Searches of the shop by words of one or two letters, which have no trigram and read every row of the company before
-- (296 ms among 40,000 products): by the pairs of letters, as contacts are searched.
create index products_search_pairs on products using gin (company_id, search_pairs(search));
create index customers_search_pairs on customers using gin (company_id, search_pairs(search));
