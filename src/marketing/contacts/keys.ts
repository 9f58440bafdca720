import { KEY_FIELDS } from './contact.ts';
import type { ContactPatch } from './patch.ts';

const PREFIX = { external_id: 'x:', email: 'e:', phone: 'p:' } as const;

/** The keys of a contact or a patch, prefixed by their kind: `x:` external_id, `e:` e-mail, `p:` phone. */
export function keysOf(holder: Pick<ContactPatch, (typeof KEY_FIELDS)[number]>): string[] {
  const keys: string[] = [];
  for (const field of KEY_FIELDS) {
    const value = holder[field];
    if (value !== null && value !== undefined) keys.push(PREFIX[field] + value);
  }
  return keys;
}
