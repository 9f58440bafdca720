import type pg from 'pg';
import { openTables } from './gaps.ts';
import { PROGRAM_ROLE, TENANT_ROLE } from './roles.ts';
import { workOn } from './work-connection.ts';

/** A text within a text of SQL. */
const OF_COMPANY = "company_id = current_setting(''tradeloom.company_id'')::bigint";
/**
 * The same, evaluated once per statement: written rows are checked one by one, and evaluating it for each took 0.3 µs.
 * Not for rows that are read: the planner could not estimate how many the company has.
 */
const OF_COMPANY_ONCE = "company_id = (select current_setting(''tradeloom.company_id'')::bigint)";

/** Whether the table's policy of that name covers the program's role and the table's present owner. */
const HAS_EVERY = `exists (select from pg_policy e where e.polrelid = c.oid and e.polname = 'every_company'
  and e.polroles @> array[c.relowner, (select oid from pg_roles where rolname = '${PROGRAM_ROLE}')])`;

/**
 * The second barrier between companies, in addition to the `company_id = …` of each statement: row-level security. A
 * transaction on behalf of one company runs as a role that sees and writes only this company's rows, whatever its
 * statements say. Raised with every migration, in its transaction, for all tables that the database user owns; only
 * tables that lack it are locked. Partitions can be reached through their tables only, and a company's transaction
 * cannot write what belongs to no company. Needs the role (`ensureRoles`).
 *
 * Where the program works as a role of its own, a policy lets that role reach the rows of all companies, since its
 * workers and look-ups serve all, and the policies apply to the owner as well (FORCE). Where it works as the owner they
 * do not: it would see the same rows, and its pg_dump would be refused.
 * See docs/design/tenancy.md.
 */
export async function raiseTenantBarrier(client: pg.Client): Promise<void> {
  await client.query(`
    do $$
    declare
      t record;
      has_program boolean := exists (select from pg_roles where rolname = '${PROGRAM_ROLE}')
        and (select rolsuper or rolbypassrls from pg_roles where rolname = session_user);
    begin
      if has_program then
        grant usage on schema public to ${PROGRAM_ROLE};
        grant execute on all routines in schema public to ${PROGRAM_ROLE};
      end if;
      grant usage on schema public to ${TENANT_ROLE};
      for t in
        select c.oid::regclass as name, c.relkind as kind, a.attnum is not null as of_companies,
          c.relrowsecurity as is_closed, c.relforcerowsecurity as is_forced, pg_get_userbyid(c.relowner) as owner,
          ${HAS_EVERY} as has_every, p.oid is not null as has_policy, p.polwithcheck is not null as has_check
        from pg_class c
        left join pg_attribute a
          on a.attrelid = c.oid and a.attname = 'company_id' and a.atttypid = 'bigint'::regtype and not a.attisdropped
        left join pg_policy p on p.polrelid = c.oid and p.polname = 'one_company'
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'S') and not c.relispartition
          and pg_has_role(c.relowner, 'USAGE')
      loop
        if has_program then
          if t.kind = 'S' then
            execute format('grant usage, select, update on sequence %s to ${PROGRAM_ROLE}', t.name);
          else
            execute format('grant select, insert, update, delete on %s to ${PROGRAM_ROLE}', t.name);
          end if;
          if t.kind in ('r', 'p') and t.of_companies and not t.has_every then
            execute format('drop policy if exists every_company on %s', t.name);
            execute format('create policy every_company on %s to ${PROGRAM_ROLE}, %I using (true) with check (true)',
              t.name, t.owner);
          end if;
          if t.kind in ('r', 'p') and t.of_companies and not t.is_forced then
            execute format('alter table %s force row level security', t.name);
          end if;
        end if;
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
      for t in
        select c.oid::regclass as name from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relispartition and c.relkind in ('r', 'p')
          and pg_has_role(c.relowner, 'USAGE')
          and has_table_privilege('${TENANT_ROLE}', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')
      loop
        execute format('revoke all on %s from ${TENANT_ROLE}', t.name);
      end loop;
      revoke update, delete, truncate on audit_log from ${TENANT_ROLE};
      if has_program then
        revoke update, delete, truncate on audit_log from ${PROGRAM_ROLE};
        revoke insert, update, delete, truncate on schema_migrations from ${PROGRAM_ROLE};
      end if;
    end $$`);
}

/**
 * Whether nothing of the barrier is missing. A database that was restored without the roles, or changed by hand, has
 * lost parts of it and must have it raised again. Asked on the connection that owns the tables.
 */
export async function isBarrierWhole(client: pg.Client): Promise<boolean> {
  if ((await openTables(client)).length > 0) return false;
  const { rows } = await client.query<{ whole: boolean }>(`
    select not exists (select from pg_roles where rolname = '${PROGRAM_ROLE}')
      or not (select rolsuper or rolbypassrls from pg_roles where rolname = session_user)
      or bool_and(case when exists (select from pg_roles where rolname = '${PROGRAM_ROLE}')
        then has_table_privilege('${PROGRAM_ROLE}', c.oid, 'SELECT') and (c.relname = 'schema_migrations'
          or has_table_privilege('${PROGRAM_ROLE}', c.oid, 'INSERT')) end)
      and bool_and(not c.relrowsecurity or c.relforcerowsecurity and ${HAS_EVERY}) as whole
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and pg_has_role(c.relowner, 'USAGE')
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`);
  return rows[0]!.whole;
}

/** Whether transactions on this database can run behind the barrier, with no part of it missing. */
export async function hasTenantBarrier(connection: pg.ClientConfig): Promise<boolean> {
  const { barrier, gaps } = await workOn(connection);
  return barrier && gaps.length === 0;
}
