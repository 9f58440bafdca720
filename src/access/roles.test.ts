import { expect, test } from 'vitest';
import { ROLES, scopeSetOf } from './roles.ts';
import { SCOPES } from './scopes.ts';

const RESOURCES = [
  'products',
  'carts',
  'payments',
  'orders',
  'customers',
  'subscriptions',
  'loyalty',
  'inventory',
  'settings',
];
const READS = RESOURCES.map((one) => `${one}:read`);

test('what each role may do', () => {
  const manager = [...SCOPES, 'members:read', 'audit:read', 'health:read', 'imports:write', 'customers:erase'];
  const expected = {
    owner: [...manager, 'members:write', 'keys:read', 'keys:write', 'company:write', 'payments:accounts', '*'],
    manager,
    marketer: [...READS, 'marketing:read', 'marketing:write', 'events:write'],
    fulfilment: [...READS, 'orders:write', 'carts:write', 'inventory:write', 'customers:write'],
    viewer: [...READS, 'marketing:read'],
  };
  for (const role of ROLES) expect([role, [...scopeSetOf(role)].sort()]).toEqual([role, expected[role].sort()]);
});
