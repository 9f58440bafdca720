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

/** Whether the database user may take the role on; since PostgreSQL 16 to be its member is not enough. */
const MAY_TAKE_ROLE = `pg_has_role('${TENANT_ROLE}',
  case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end)`;

/**
 * The second barrier between companies, behind the statements' own `company_id = …`: row-level security. A transaction
 * on one company's behalf runs as a role that sees and writes this company's rows only, whatever its statements say.
 * Raised with every migration and in its transaction, around all tables that the database user owns; only those without
 * it are locked. Partitions are reached through their tables alone, and what belongs to no company is nothing that a company's
 * transaction writes. Needs the role (`ensureTenantRole`).
 */
export async function raiseTenantBarrier(client: pg.Client): Promise<void> {
  await client.query(`
    do $$
    declare t record;
    begin
      grant usage on schema public to ${TENANT_ROLE};
      for t in
        select c.oid::regclass as name, c.relkind as kind, a.attnum is not null as of_companies,
          c.relrowsecurity as is_closed, p.oid is not null as has_policy, p.polwithcheck is not null as has_check
        from pg_class c
        left join pg_attribute a
          on a.attrelid = c.oid and a.attname = 'company_id' and a.atttypid = 'bigint'::regtype and not a.attisdropped
        left join pg_policy p on p.polrelid = c.oid and p.polname = 'one_company'
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'S') and not c.relispartition
          and pg_has_role(c.relowner, 'USAGE')
      loop
        if t.kind = 'S' then
          execute format('grant usage on sequence %s to ${TENANT_ROLE}', t.name);
        elsif t.kind <> 'v' and not t.of_companies then
          execute format('revoke all on %s from ${TENANT_ROLE}', t.name);
        else
          execute format('grant select, insert, update, delete on %s to ${TENANT_ROLE}', t.name);
          continue when t.kind = 'v' or t.is_closed and t.has_check;
          execute format('alter table %s enable row level security', t.name);
          if not t.has_policy then
            execute format('create policy one_company on %s to ${TENANT_ROLE} using (${OF_COMPANY})', t.name);
          end if;
          execute format('alter policy one_company on %s with check (${OF_COMPANY_ONCE})', t.name);
        end if;
      end loop;
      revoke update, delete, truncate on audit_log from ${TENANT_ROLE};
    end $$`);
}

/**
 * Makes the role; gives false where the database user may not. Roles belong to the whole server: another program's
 * database may have made it, or be making it now.
 */
export async function ensureTenantRole(client: pg.Client): Promise<boolean> {
  try {
    await client.query(`
      do $$ begin
        if not exists (select 1 from pg_roles where rolname = '${TENANT_ROLE}') then
          create role ${TENANT_ROLE} nologin;
        end if;
        if not ${MAY_TAKE_ROLE} then
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
        and case when exists (select 1 from pg_roles where rolname = '${TENANT_ROLE}') then ${MAY_TAKE_ROLE} else false end
        as raised`);
    return rows[0]!.raised;
  } finally {
    await client.end();
  }
}
