import type { Queryable, Tx } from '../../db/pool.ts';
import { type Statement, sql } from '../../db/sql.ts';
import type { RuleGroup } from '../../rules/language.ts';

/** Returns the collections with rules on the custom fields with the key, and locks them. */
export async function lockCollectionsWithKey(
  tx: Tx,
  companyId: number,
  key: string,
): Promise<{ id: number; name: string; rules: RuleGroup }[]> {
  return tx.query<{ id: number; name: string; rules: RuleGroup }>(sql`
    select c.id, c.name, c.rules from collections c
    where c.company_id = ${companyId} and c.kind = 'rules' and jsonb_path_exists(c.rules, '$.**.field ? (@ == $name)',
      jsonb_build_object('name', ${`custom.${key}`}::text))
    order by c.id for no key update`);
}

/** What lets the chore apply the rules of collection c to all products. */
const updating = (now: Date): Statement =>
  sql`updating = true, rules_version = rules_version + 1, rules_at = ${now}, applied_to = 0`;

/** Lets the chore apply the rules of collections to all products, and again at `refreshAt`. */
export async function beginUpdates(
  tx: Tx,
  companyId: number,
  collections: readonly { id: number; refreshAt: Date | null }[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update collections c set ${updating(now)}, refresh_at = given.refresh_at
    from unnest(${collections.map(({ id }) => id)}::bigint[], ${collections.map(({ refreshAt }) => refreshAt)}::timestamptz[])
      as given (id, refresh_at)
    where c.company_id = ${companyId} and c.id = given.id`);
}

/** The same for a collection, if its rules are still due by the time. */
export async function beginRefresh(
  tx: Tx,
  companyId: number,
  id: number,
  { now, refreshAt }: { now: Date; refreshAt: Date },
): Promise<void> {
  await tx.query(sql`
    update collections c set ${updating(now)}, refresh_at = ${refreshAt}
    where c.company_id = ${companyId} and c.id = ${id} and c.refresh_at <= ${now} and not c.updating`);
}

/** A collection whose rules must be applied to all products. */
export interface Updating {
  company_id: number;
  id: number;
  rules_version: number;
}

/** Returns such collections: the one of each company that began first, then the second of each. */
export async function findUpdating(db: Queryable, limit: number): Promise<Updating[]> {
  return db.query<Updating>(sql`
    select company_id, id, rules_version from (
      select c.company_id, c.id, c.rules_version, row_number() over (partition by c.company_id order by c.rules_at, c.id) as place
      from collections c where c.updating
    ) updating
    order by place, company_id limit ${limit}`);
}

/** Returns collections whose rules depend on the time and are due. */
export async function findDue(db: Queryable, now: Date, limit: number): Promise<{ company_id: number; id: number }[]> {
  return db.query<{ company_id: number; id: number }>(sql`
    select company_id, id from collections where refresh_at <= ${now} and not updating order by refresh_at limit ${limit}`);
}
