import type pg from 'pg';
import { isElevated, MAY_TAKE_ROLE, TENANT_ROLE } from './roles.ts';

export interface Gap {
  sentence: string;
  /** True if transactions on behalf of one company cannot run behind the barrier at all. */
  isFatal: boolean;
}

/** Returns what the barrier between companies lacks for the user of this connection, in sentences for the operator. */
export async function findGaps(client: pg.Client): Promise<Gap[]> {
  const { rows: roles } = await client.query<{ above: boolean }>(
    `select rolsuper or rolbypassrls as above from pg_roles where rolname = '${TENANT_ROLE}'`,
  );
  const gaps: Gap[] = [];
  const add = (sentence: string, isFatal: boolean): void => {
    gaps.push({ sentence, isFatal });
  };
  if (await isElevated(client)) add('the database user is a superuser or bypasses row-level security', false);
  if (roles.length === 0) {
    add(`the role ${TENANT_ROLE} does not exist`, true);
    return gaps;
  }
  if (roles[0]!.above) add(`the role ${TENANT_ROLE} is a superuser or bypasses row-level security`, false);
  const { rows: taking } = await client.query<{ may: boolean }>(`select ${MAY_TAKE_ROLE} as may`);
  if (!taking[0]!.may) add(`the database user may not take on the role ${TENANT_ROLE}`, true);
  for (const name of await openTables(client)) add(`the table ${name} has no policy for companies`, name === 'orders');
  return gaps;
}

/** Tables with companies' rows that the tenant role can reach without a policy, or that it or this user cannot reach. */
export async function openTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.oid::regclass::text as name
    from pg_class c
    join pg_attribute a
      on a.attrelid = c.oid and a.attname = 'company_id' and a.atttypid = 'bigint'::regtype and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relowner = (select relowner from pg_class where oid = to_regclass('public.orders'))
      and not (c.relrowsecurity and has_table_privilege(c.oid, 'SELECT') and has_table_privilege('${TENANT_ROLE}', c.oid, 'SELECT') and exists (
        select from pg_policy p where p.polrelid = c.oid and p.polname = 'one_company' and p.polwithcheck is not null))
    union all
    -- A policy of a partitioned table holds for who asks the table, not for who asks one of its partitions.
    select c.oid::regclass::text from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relispartition and c.relkind in ('r', 'p')
      and has_table_privilege('${TENANT_ROLE}', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')
    order by 1`);
  return rows.map(({ name }) => name);
}
