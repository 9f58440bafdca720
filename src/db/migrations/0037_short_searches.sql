-- Searches of the shop by words of one or two letters, which have no trigram: every row of the company was read for them (296 ms
-- among 40,000 products). By the letters and the pairs of letters that stand side by side, each with the company before it: no
-- other index can then be taken in place of this one. It is for the index alone; to work it out for every row that is looked at
-- takes 50 µs each.
create function search_grams(company bigint, value text) returns tsvector
language sql immutable strict parallel safe cost 2000 as $$
  select array_to_tsvector(array_agg(company || ':' || a || coalesce(b, '')) || array_agg(company || ':' || a))
  from unnest(string_to_array(value, null), (string_to_array(value, null))[2:]) as letters (a, b)
$$;
create index products_search_grams on products using gin (search_grams(company_id, search));
create index customers_search_grams on customers using gin (search_grams(company_id, search));
