import { EVERYTHING, SCOPES } from './scopes.ts';

/** Permissions for people only, in addition to the scopes of API keys: no key can have them. */
export type PersonScope =
  | 'members:read'
  | 'members:write'
  | 'keys:read'
  | 'keys:write'
  | 'company:write'
  | 'audit:read'
  | 'health:read'
  | 'customers:erase'
  | 'imports:write'
  | 'payments:accounts';

export const ROLES = ['owner', 'manager', 'marketer', 'fulfilment', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const READS = SCOPES.filter((scope) => scope.endsWith(':read'));
const COMMERCE_READS = READS.filter((scope) => scope !== 'marketing:read');

const SCOPES_OF: Record<Role, readonly string[]> = {
  owner: [
    ...SCOPES,
    ...['members:read', 'members:write', 'keys:read', 'keys:write', 'company:write', 'audit:read', 'health:read'],
    ...['imports:write', 'customers:erase', 'payments:accounts'],
  ],
  manager: [...SCOPES, ...['members:read', 'audit:read', 'health:read', 'imports:write', 'customers:erase']],
  marketer: [...COMMERCE_READS, 'marketing:read', 'marketing:write', 'events:write'],
  fulfilment: [...COMMERCE_READS, 'orders:write', 'carts:write', 'inventory:write', 'customers:write'],
  viewer: READS,
};

/** Returns what a member with this role may do. An owner may do everything. */
export function scopesOf(role: Role): readonly string[] {
  return SCOPES_OF[role];
}

const SETS = new Map<Role, ReadonlySet<string>>(
  ROLES.map((role) => [role, new Set(role === 'owner' ? [...SCOPES_OF.owner, EVERYTHING] : SCOPES_OF[role])]),
);

export function scopeSetOf(role: Role): ReadonlySet<string> {
  return SETS.get(role)!;
}
