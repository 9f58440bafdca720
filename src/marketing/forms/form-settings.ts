import type { Tx } from '../../db/pool.ts';
import { invalidField } from '../../errors.ts';
import { readOrigin } from '../../lib/web-origin.ts';
import { findListSettings } from '../lists/service.ts';
import type * as queries from './queries.ts';

/**
 * Returns the settings with normalised origins. Throws validation_failed.
 * @param listsKnown the lists are unchanged and not checked: one of them may have been deleted since, and is then ignored
 */
export async function checkSettings(
  tx: Tx,
  companyId: number,
  settings: queries.FormSettings,
  listsKnown = false,
): Promise<queries.FormSettings> {
  if (!listsKnown) {
    const known = new Set((await findListSettings(tx, companyId, settings.list_ids)).map((list) => list.id));
    const unknown = settings.list_ids.find((id) => !known.has(id));
    if (unknown !== undefined) throw invalidField('list_ids', `list_ids: there is no list ${unknown}`, 'not_found');
  }
  const names = settings.fields.map(({ name }) => name);
  if (new Set(names).size < names.length) throw invalidField('fields', 'fields name a field twice', 'duplicate');
  const origins = [...new Set(settings.allowed_origins.map(originOf))];
  const { redirect_url: redirect } = settings;
  if (redirect !== null && !isOn(redirect, origins)) {
    throw invalidField('redirect_url', 'redirect_url must be an address on one of allowed_origins', 'not_allowed');
  }
  return { ...settings, channels: [...new Set(settings.channels)], allowed_origins: origins };
}

function originOf(text: string, index: number): string {
  const origin = readOrigin(text);
  if (origin !== null) return origin;
  throw invalidField(
    `allowed_origins.${index}`,
    'allowed_origins: https://shop.example, without a path',
    'wrong_format',
  );
}

function isOn(redirect: string, origins: string[]): boolean {
  if (!URL.canParse(redirect)) return false;
  const { origin, protocol, username, password } = new URL(redirect);
  return ['http:', 'https:'].includes(protocol) && username + password === '' && origins.includes(origin);
}
