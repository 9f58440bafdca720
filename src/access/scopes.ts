/** What a key may do. The commerce scopes are defined in the API's document; the marketing and settings scopes are additions. */
export const SCOPES = [
  'products:read',
  'products:write',
  'orders:read',
  'orders:write',
  'customers:read',
  'customers:write',
  'subscriptions:read',
  'subscriptions:write',
  'loyalty:read',
  'inventory:read',
  'inventory:write',
  'carts:read',
  'carts:write',
  'payments:read',
  'payments:write',
  'settings:read',
  'settings:write',
  'marketing:read',
  'marketing:write',
  'events:write',
] as const;

export type Scope = (typeof SCOPES)[number];

export const EVERYTHING = '*';

export function isScope(text: string): text is Scope | typeof EVERYTHING {
  return text === EVERYTHING || (SCOPES as readonly string[]).includes(text);
}

export function grants(held: ReadonlySet<string>, required: string): boolean {
  return held.has(EVERYTHING) || held.has(required);
}
