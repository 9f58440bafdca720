import pg from 'pg';

/** The role under which a transaction on one company's behalf runs. It logs in nowhere. */
export const TENANT_ROLE = 'tradeloom_tenant';

/** As a text within a text of SQL. */
const OF_COMPANY = "company_id = current_setting(''tradeloom.company_id'')::bigint";
/**
 * The same, read once for a statement: rows that are written are looked at one by one, and to read it for each took 0.3 µs.
 * Not for those that are read, of which the planner would not know beforehand how many the company has.
 */
const OF_COMPANY_ONCE = "company_id = (select current_setting(''tradeloom.company_id'')::bigint)";

/** Tables that hold rows of companies, and whether the barrier stands around each. */
const COMPANY_TABLES = `
  select c.oid::regclass as name, p.oid is not null as has_policy, p.polwithcheck is not null as is_guarded
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
  left join pg_policy p on p.polrelid = c.oid and p.polname = 'one_company'
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`;

/**
 * The second barrier between companies, behind the statements' own `company_id = …`: row-level security. A transaction
 * on one company's behalf runs as a role that sees and writes this company's rows only, whatever its statements say.
 * Raised after every migration, for all tables there are; gives false where the database user may not make roles. Not
 * within a transaction: each table is locked for its own change only.
 */
export async function raiseTenantBarrier(client: pg.Client): Promise<boolean> {
  if (!(await ensureRole(client))) return false;
  await client.query(`
    do $$
    declare t record;
    begin
      grant usage on schema public to ${TENANT_ROLE};
      grant select, insert, update, delete on all tables in schema public to ${TENANT_ROLE};
      grant usage on all sequences in schema public to ${TENANT_ROLE};
      revoke update, delete, truncate on audit_log from ${TENANT_ROLE};
      commit;
      for t in ${COMPANY_TABLES} loop
        continue when t.is_guarded;
        if t.has_policy then
          execute format('alter policy one_company on %s with check (${OF_COMPANY_ONCE})', t.name);
        else
          execute format('alter table %s enable row level security', t.name);
          execute format('create policy one_company on %s to ${TENANT_ROLE} using (${OF_COMPANY}) with check (${OF_COMPANY_ONCE})', t.name);
        end if;
        commit;
      end loop;
      -- What belongs to no company is nothing that a company's transaction writes.
      for t in
        select c.oid::regclass as name from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and not exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id')
      loop
        execute format('revoke all on %s from ${TENANT_ROLE}', t.name);
      end loop;
    end $$`);
  return true;
}

/** Whether the barrier stands around all tables there are. */
export async function isBarrierWhole(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ whole: boolean }>(
    `select bool_and(is_guarded) as whole from (${COMPANY_TABLES}) tables`,
  );
  return rows[0]!.whole;
}

/** Roles belong to the whole server: another program's database may have made it, or be making it now. */
async function ensureRole(client: pg.Client): Promise<boolean> {
  try {
    await client.query(`
      do $$ begin
        if not exists (select 1 from pg_roles where rolname = '${TENANT_ROLE}') then
          create role ${TENANT_ROLE} nologin;
        end if;
        if not pg_has_role(current_user, '${TENANT_ROLE}', 'member') then
          grant ${TENANT_ROLE} to current_user;
        end if;
      exception when duplicate_object or unique_violation then null;
      end $$`);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '42501') return false;
    throw error;
  }
}

/** Whether transactions on this database can run behind the barrier. */
export async function hasTenantBarrier(connection: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rows } = await client.query<{ raised: boolean }>(`
      select exists (select 1 from pg_policies where policyname = 'one_company' and tablename = 'orders')
        and exists (select 1 from pg_roles where rolname = '${TENANT_ROLE}' and pg_has_role(oid, 'member')) as raised`);
    return rows[0]!.raised;
  } finally {
    await client.end();
  }
}
