import type { Invariant, Violation } from '../../db/invariant.ts';
import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import type { CustomField } from './definition.ts';
import { walkStored } from './queries.ts';
import { fits } from './values.ts';

/** Violations that are reported. */
const MOST = 1_000;

export const customFieldInvariants: Invariant[] = [
  {
    id: 'C6.custom',
    promise: 'Every value in `custom` satisfies the definition of its field',
    fix: 'Set the value, or clear it with null, by a PATCH of the record',
    violations: findWrongValues,
  },
];

type Definition = CustomField & { company_id: number; deleted: boolean; exponent: number; currency: string };

async function findWrongValues(db: Queryable): Promise<Violation[]> {
  const definitions = await db.query<Definition>(sql`
    select f.company_id, f.id, f."on", f.key, f.type, f.list, f.rules, f.deleted, c.currency_exponent as exponent, c.currency
    from custom_fields f join companies c on c.company_id = f.company_id`);
  const byKey = new Map(definitions.map((field) => [`${field.company_id} ${field.on} ${field.key}`, field]));
  const found: Violation[] = [];
  for await (const page of walkStored(db)) {
    for (const { company_id, on, id, custom } of page) {
      for (const [key, value] of Object.entries(custom)) {
        const field = byKey.get(`${company_id} ${on} ${key}`);
        // The values of a deleted field are being removed.
        if (field?.deleted || (field !== undefined && fits(field, value, field))) continue;
        found.push({ company_id, subject: `${on} ${id}, custom.${key}` });
      }
      if (found.length >= MOST) return found;
    }
  }
  return found;
}
