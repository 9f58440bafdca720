import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { FreeForm, Nullable, pageQuery } from '../../lib/schemas.ts';

export const AuditEntry = Type.Object({
  id: Type.Integer(),
  at: Type.String({ format: 'date-time' }),
  actor: Type.String({ description: '`admin:7`, `key:till`, `cli`, `operator`' }),
  actor_name: Nullable(Type.String({ description: "The person's name" })),
  action: Type.String({ description: '`member.update`, `order.status`, `flow.activate` …' }),
  target: Type.String({ description: '`person:7`, `product:3` …' }),
  details: FreeForm,
  before: Nullable(FreeForm),
  erased: Type.Boolean({ description: 'The personal values of the entry were erased' }),
});
export type AuditEntry = Static<typeof AuditEntry>;

const AuditQuery = Type.Object({
  ...pageQuery(25),
  actor: Type.Optional(Type.String({ maxLength: 100 })),
  action: Type.Optional(Type.String({ maxLength: 100, description: 'Or its beginning: `member.`' })),
  target: Type.Optional(Type.String({ maxLength: 100 })),
});
export type AuditQuery = Static<typeof AuditQuery>;

export const listAuditEntries = {
  method: 'GET',
  path: '/audit',
  scope: 'audit:read',
  tag: 'Audit log',
  summary: 'Read the audit log',
  description: 'The latest first.',
  query: AuditQuery,
  inOrderOf: { behind: true },
  data: Type.Array(AuditEntry),
  listAs: 'entries',
  status: 200,
} as const satisfies Endpoint;

export const AuditActor = Type.Object({
  actor: AuditEntry.properties.actor,
  name: AuditEntry.properties.actor_name,
  member: Type.Boolean({ description: 'Whether the person is a member now' }),
});
export type AuditActor = Static<typeof AuditActor>;

export const listAuditActors = {
  method: 'GET',
  path: '/audit/actors',
  scope: 'audit:read',
  tag: 'Audit log',
  summary: 'List the actors in the audit log',
  description:
    'For the filter `actor`: members by name, then former members with entries, then programs with entries; at most 5,000 with entries.',
  data: Type.Object({ actors: Type.Array(AuditActor) }),
  status: 200,
} as const satisfies Endpoint;

export const auditEndpoints: readonly Endpoint[] = [listAuditEntries, listAuditActors];
