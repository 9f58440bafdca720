import { marketingRequest, randomBetween } from '../load/http-request.ts';
import { RARE_NAME } from '../server/audience.ts';
import type { Target, TargetShop } from '../server/target.ts';
import type { Scenario } from './scenario.ts';

const CONTACTS = 1_000_000;

/** Typical searches: one address, a common name, a unique name, and the two letters that it begins with. */
const TERMS: (() => string)[] = [
  () => `${randomBetween(1, CONTACTS)}@`,
  () => 'hanna',
  () => RARE_NAME.toLowerCase(),
  () => RARE_NAME.slice(0, 2).toLowerCase(),
];

function shopOf({ contactShop }: Target): TargetShop {
  if (contactShop === null) throw new Error('The shop with many contacts was not made');
  return contactShop;
}

export const contactSearch: Scenario = {
  name: 'contact-search',
  title: `search among ${CONTACTS} contacts, one at a time`,
  needs: 'contacts',
  connections: 1,
  requests: (target) => (n) => {
    const search = encodeURIComponent(TERMS[n % TERMS.length]!());
    return marketingRequest(target, shopOf(target), 'GET', `/contacts?search=${search}`);
  },
  status: 200,
  limit: {
    title: 'an address by the index, ids alone',
    script: (target) => `
\\set word random(1, ${CONTACTS})
select id from contacts where company_id = ${shopOf(target).companyId} and search like '%' || :word || '@%'
order by id desc limit 20;`,
  },
  goal: { p99Ms: 20 },
};
