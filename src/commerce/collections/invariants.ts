import type { Invariant, Violation } from '../../db/invariant.ts';
import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { findWrongMembers, type RuleCollection, withFields } from './member-queries.ts';

/** Members that the check of a collection reports. */
const EXAMPLES = 20;

export const collectionInvariants: Invariant[] = [
  {
    id: 'C5.lists',
    promise: 'The members of a manual collection have a place each, those of other collections have none',
    fix: 'Set the products of the collection with PUT /collections/{id}/products',
    violations: sql`
      select c.company_id, 'collection ' || c.id as subject
      from collections c join collection_products m on m.company_id = c.company_id and m.collection_id = c.id
      group by c.company_id, c.id, c.kind
      having case when c.kind = 'manual' then count(distinct m.position) <> count(*) else count(m.position) > 0 end
      limit 1000`,
  },
  {
    id: 'C5.rules',
    promise: 'The members of a collection with rules are the products that its rules select, unless it is updating',
    fix: 'Change the rules of the collection with PATCH /collections/{id}, and change them back',
    violations: findWrongCollections,
  },
];

async function findWrongCollections(db: Queryable): Promise<Violation[]> {
  const collections = await db.query<
    Omit<RuleCollection, 'fields'> & { company_id: number; rules_version: number }
  >(sql`
    select c.company_id, c.id, c.rules, c.rules_at, c.rules_version, k.currency_exponent as exponent
    from collections c join companies k on k.company_id = c.company_id where c.kind = 'rules' and not c.updating`);
  const found: Violation[] = [];
  for (const { company_id, ...row } of collections) {
    for (const collection of await withFields(db, company_id, [row])) {
      const products = await findWrongMembers(db, company_id, collection, EXAMPLES);
      found.push(
        ...products.map((product) => ({ company_id, subject: `collection ${collection.id}, product ${product}` })),
      );
    }
  }
  return found;
}
