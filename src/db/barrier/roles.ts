import pg from 'pg';

/** The role under which a transaction on behalf of one company runs. It has no login. */
export const TENANT_ROLE = 'tradeloom_tenant';
/** The role that the program takes when its login could do more: it reads and writes rows, owns nothing, and is subject to policies. */
export const PROGRAM_ROLE = 'tradeloom_program';
/** Owns the tables of the embedded database and migrates them. It has no login. */
export const OWNER_ROLE = 'tradeloom_owner';

/** The embedded database's settings contain no address configured by the operator. */
export function isEmbedded(connection: pg.ClientConfig): boolean {
  return connection.connectionString === undefined;
}

/** Whether the database user may SET ROLE to the tenant role; since PostgreSQL 16 membership alone is not enough. */
export const MAY_TAKE_ROLE = `pg_has_role('${TENANT_ROLE}',
  case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end)`;

/** Whether row-level security does not apply to the connection's user. */
export async function isElevated(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ elevated: boolean }>(
    'select rolsuper or rolbypassrls as elevated from pg_roles where rolname = current_user',
  );
  return rows[0]!.elevated;
}

/**
 * Creates the tenant role and, where the database user bypasses row-level security, the program's role. Returns false
 * where the user may not. Roles belong to the whole server: another program's database may have created them, or be
 * creating them now.
 */
export async function ensureRoles(client: pg.Client, connection: pg.ClientConfig): Promise<boolean> {
  const elevated = await isElevated(client);
  const login = isEmbedded(connection) ? 'login' : 'nologin';
  return permitted(async () => {
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
    if (!elevated) return;
    await client.query(`
      do $$ begin
        if not exists (select 1 from pg_roles where rolname = '${PROGRAM_ROLE}') then
          -- Not inheriting: the tenants' policies are not to be weighed for it as well.
          create role ${PROGRAM_ROLE} ${login} noinherit;
        end if;
        if not pg_has_role('${PROGRAM_ROLE}', '${TENANT_ROLE}', 'MEMBER') then
          grant ${TENANT_ROLE} to ${PROGRAM_ROLE};
        end if;
        if not pg_has_role('${PROGRAM_ROLE}', 'MEMBER') then
          grant ${PROGRAM_ROLE} to current_user;
        end if;
      exception when duplicate_object or unique_violation then null;
      end $$`);
  });
}

/**
 * For the embedded database: from here on the connection works as the owner role, which is no superuser. Objects that a
 * superuser restored from a dump become the owner's.
 */
export async function becomeOwner(client: pg.Client, connection: pg.ClientConfig): Promise<void> {
  if (!isEmbedded(connection) || !(await isElevated(client))) return;
  await client.query(`
    do $$
    declare command text;
    begin
      begin
        if not exists (select 1 from pg_roles where rolname = '${OWNER_ROLE}') then
          create role ${OWNER_ROLE} nologin;
        end if;
      exception when duplicate_object or unique_violation then null;
      end;
      if not has_database_privilege('${OWNER_ROLE}', current_database(), 'CREATE') then
        execute format('grant create on database %I to ${OWNER_ROLE}', current_database());
      end if;
      if not has_schema_privilege('${OWNER_ROLE}', 'public', 'CREATE') then
        grant usage, create on schema public to ${OWNER_ROLE};
      end if;
      for command in
        select format('alter %s %s owner to ${OWNER_ROLE}',
          case c.relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
          c.oid::regclass)
        from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
          and c.relowner = current_user::regrole
          and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
            and (d.deptype = 'e' or c.relkind = 'S' and d.deptype in ('a', 'i')))
        union all
        select format('alter routine %s owner to ${OWNER_ROLE}', p.oid::regprocedure)
        from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.proowner = current_user::regrole
          and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
        union all
        select format('alter type %s owner to ${OWNER_ROLE}', t.oid::regtype)
        from pg_type t
        where t.typnamespace = 'public'::regnamespace and t.typowner = current_user::regrole and t.typtype in ('e', 'd')
          and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
      loop
        execute command;
      end loop;
    end $$`);
  await client.query(`set role ${OWNER_ROLE}`);
}

async function permitted(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '42501') return false;
    throw error;
  }
}
