import { marketingRequest, randomBetween } from '../load/http-request.ts';
import type { Scenario } from './scenario.ts';

const VISITS = 1_000_000;

/** The most frequent request of a shop: a known contact with one new property. */
export const contactUpsert: Scenario = {
  name: 'contact-upsert',
  title: 'upsert of a contact with a new property',
  requests: (target) => () => {
    const n = randomBetween(1, target.contacts);
    const body = {
      external_id: String(n),
      first_name: 'Ada',
      last_name: `Number ${n}`,
      properties: { visits: randomBetween(1, VISITS) },
    };
    return marketingRequest(target, target.shop, 'POST', '/contacts', JSON.stringify(body));
  },
  status: 200,
  limit: {
    title: 'INSERT … ON CONFLICT DO UPDATE of one row',
    script: ({ shop, contacts }) => `
\\set n random(1, ${contacts})
\\set visits random(1, ${VISITS})
insert into contacts as c (company_id, external_id, first_name, last_name, properties, search, created_at, updated_at)
values (${shop.companyId}, :n::int::text, 'Ada', 'Number ' || :n::int, jsonb_build_object('visits', :visits::int),
  'ada number ' || :n::int || chr(10), now(), now())
on conflict (company_id, external_id) where external_id is not null do update
set first_name = excluded.first_name, last_name = excluded.last_name, properties = c.properties || excluded.properties,
  search = excluded.search, updated_at = excluded.updated_at;`,
  },
  goal: 0.4,
};
