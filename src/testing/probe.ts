import Type from 'typebox';
import { afterAll, beforeAll } from 'vitest';
import { PROGRAM_ROLE, TENANT_ROLE } from '../db/barrier/roles.ts';
import { write } from '../db/idempotency.ts';
import type { Db } from '../db/pool.ts';
import { sql } from '../db/sql.ts';
import { AppError, notFound } from '../errors.ts';
import { type Route, route } from '../http/api/endpoint.ts';
import { commerceSurface } from '../http/api/surfaces/commerce.ts';
import { marketingSurface } from '../http/api/surfaces/marketing.ts';
import { createServer, registerSurface } from '../http/server.ts';
import { FreeForm, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../lib/schemas.ts';
import type { App } from '../services.ts';
import type { TestServer } from './harness.ts';

/**
 * Endpoints of a resource that no shop has, for tests of what all endpoints share: the same on both APIs, with a table
 * of its own, and with failures on request.
 */
const Thing = Type.Object({ id: Type.Integer(), name: Type.String(), kind: Type.String() });
const ThingBody = Type.Object({
  name: Trimmed({ minLength: 1, maxLength: 20 }),
  kind: Type.Optional(OneOf(['round', 'square'])),
  count: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 10 }))),
  parts: Type.Optional(Type.Array(Type.Object({ sku: Type.String(), n: Type.Integer() }), { maxItems: 5 })),
  extra: Type.Optional(FreeForm),
  /** What the handler does: `refuse` after its insert, `break` after it, `late` break once all is committed. */
  mode: Type.Optional(OneOf(['refuse', 'break', 'late', 'slow'])),
});

interface ThingRow {
  id: number;
  name: string;
  kind: string;
}

const list = route(
  {
    method: 'GET',
    path: '/things',
    scope: 'products:read',
    tag: 'Things',
    summary: 'List things',
    query: Type.Object({
      ...pageQuery(25),
      kind: Type.Optional(OneOf(['round', 'square'])),
      round: Type.Optional(Type.Boolean()),
      text: Type.Optional(Type.String()),
    }),
    data: Type.Array(Thing),
    listAs: 'things',
    status: 200,
  },
  async ({ query }) => query,
  (query) => ({
    data: [],
    pagination: { page: query.page ?? 0, per_page: query.per_page ?? 0, total: 0, total_pages: 0 },
  }),
);

const read = (db: Db) =>
  route(
    {
      method: 'GET',
      path: '/things/{id}',
      scope: 'products:read',
      tag: 'Things',
      summary: 'Read a thing',
      params: IdParams,
      data: Thing,
      status: 200,
    },
    async ({ caller, params }) => {
      const [row] = await db.query<ThingRow>(sql`
      select id, name, kind from things where company_id = ${caller.companyId} and id = ${params.id}`);
      if (row === undefined) throw notFound(`thing ${params.id}`);
      return row;
    },
  );

async function insertThing(
  db: Db,
  caller: Parameters<typeof write>[1],
  body: { name: string; kind?: string; mode?: string },
): Promise<ThingRow> {
  const row = await write(db, caller, async (tx) => {
    const [made] = await tx.query<ThingRow>(sql`
      insert into things (company_id, name, kind) values (${caller.companyId}, ${body.name}, ${body.kind ?? 'round'})
      returning id, name, kind`);
    if (body.mode === 'slow') await tx.query(sql`select pg_sleep(0.4)`);
    if (body.mode === 'refuse') throw new AppError('duplicate', 'There is one already');
    if (body.mode === 'break') throw new Error('relation "things" broke at /srv/thing.ts:7');
    return made!;
  });
  if (body.mode === 'late') throw new Error('after COMMIT');
  return row;
}

const create = (db: Db) =>
  route(
    {
      method: 'POST',
      path: '/things',
      scope: 'products:write',
      tag: 'Things',
      summary: 'Make a thing',
      body: ThingBody,
      data: Thing,
      status: 201,
    },
    ({ caller, body }) => insertThing(db, caller, body),
  );

const poke = route(
  {
    method: 'POST',
    path: '/things/{id}/poke',
    scope: 'products:write',
    tag: 'Things',
    summary: 'Poke a thing',
    params: IdParams,
    body: Type.Object({ reason: Type.Optional(Type.String({ maxLength: 100 })) }),
    bodyOptional: true,
    bodyLimit: 1_000,
    data: Thing,
    status: 200,
  },
  async ({ params, body }) => ({ id: params.id, name: body.reason ?? 'poked', kind: 'round' }),
);

const thingRoutes = (db: Db): Route[] => [list, read(db), create(db), poke];

export const thingTable = `create table if not exists things (
  company_id bigint not null, id bigint generated always as identity, name text not null, kind text not null); grant all on things to ${TENANT_ROLE}, ${PROGRAM_ROLE}`;

/** Serves the things on both APIs instead of the server's own endpoints, at `server.origin`. */
export function useThings(server: TestServer): void {
  let close: () => Promise<void>;
  beforeAll(async () => {
    await server.rows(thingTable);
    const probe = await serveThings(server.app);
    server.origin = probe.origin;
    close = probe.close;
  });
  afterAll(() => close());
}

export async function serveThings(app: App): Promise<{ origin: string; close(): Promise<void> }> {
  const probe = createServer(app);
  for (const surface of [commerceSurface, marketingSurface]) registerSurface(probe, app, surface, thingRoutes(app.db));
  const origin = await probe.listen({ host: '127.0.0.1', port: 0 });
  return { origin, close: () => probe.close() };
}
