import type { Queryable } from '../../../db/pool.ts';
import { AppError } from '../../../errors.ts';
import { type MissingSetting, missingFor } from '../../../messaging/gate/missing-settings.ts';
import type { NewCampaign } from '../queries.ts';
import { referencesOf } from './reference-queries.ts';
import { haveOwnLinks } from './sendable-queries.ts';

const OWN_LINK = /(?:unsubscribe|preferences)_url/;

/** The missing setting without which the campaign cannot be sent; null if it can be sent. */
export async function findMissingSetting(
  db: Queryable,
  companyId: number,
  row: Pick<NewCampaign, 'type' | 'content' | 'variants' | 'template_id' | 'list_id' | 'segment_id'>,
  missing: readonly MissingSetting[],
): Promise<MissingSetting | null> {
  if (missing.length === 0) return null;
  // Every mail has an unsubscribe link; an SMS only if its author put one in.
  const own = [row, ...row.variants].some(({ content }) => OWN_LINK.test(content ?? ''));
  const { templateIds } = referencesOf(row);
  const links = row.type === 'email' || own || (await haveOwnLinks(db, companyId, templateIds));
  return missingFor(missing, row.type, links);
}

/** Throws bad_request, which names the setting. */
export async function requireSendable(...args: Parameters<typeof findMissingSetting>): Promise<void> {
  const setting = await findMissingSetting(...args);
  if (setting !== null) throw new AppError('bad_request', `${setting.sentence}: the campaign cannot be sent`);
}
