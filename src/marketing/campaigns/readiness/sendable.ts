import type { Queryable } from '../../../db/pool.ts';
import { AppError } from '../../../errors.ts';
import type { PauseReason } from '../../../messaging/deliverability/rates.ts';
import { pauseOf } from '../../../messaging/deliverability/service.ts';
import { type HoldCause, type MissingSetting, missingFor } from '../../../messaging/send/missing-settings.ts';
import type { NewCampaign } from '../queries.ts';
import { referencesOf } from './reference-queries.ts';
import { haveOwnLinks } from './sendable-queries.ts';

const OWN_LINK = /(?:unsubscribe|preferences)_url/;

/** The missing setting without which the campaign cannot be sent; null if it can be sent. */
export async function findMissingSetting(
  db: Queryable,
  companyId: number,
  row: Pick<NewCampaign, 'type' | 'content' | 'variants' | 'template_id' | 'list_id' | 'segment_id' | 'audience'>,
  missing: readonly MissingSetting[],
): Promise<MissingSetting | null> {
  if (missing.length === 0) return null;
  // Every mail has an unsubscribe link; an SMS only if its author put one in.
  const own = [row, ...row.variants].some(({ content }) => OWN_LINK.test(content ?? ''));
  const { templateIds } = referencesOf(row);
  const links = row.type === 'email' || own || (await haveOwnLinks(db, companyId, templateIds));
  return missingFor(missing, row.type, links);
}

/** Why the campaign cannot be sent: a missing setting, or the pause of the company's marketing e-mail; null if it can be sent. */
export async function findObstacle(...args: Parameters<typeof findMissingSetting>): Promise<Obstacle | null> {
  const setting = await findMissingSetting(...args);
  if (setting !== null) return { reason: setting.cause, sentence: setting.sentence };
  const [db, companyId, { type }] = args;
  const reason = type === 'email' ? await pauseOf(db, companyId) : null;
  return reason === null ? null : { reason, sentence: PAUSED[reason] };
}

export interface Obstacle {
  /** The reason with which the campaign is paused. */
  reason: HoldCause | PauseReason;
  sentence: string;
}

const PAUSED: Record<PauseReason, string> = {
  complaint_rate: 'Marketing e-mail is paused since the rate of complaints is above the limit',
  bounce_rate: 'Marketing e-mail is paused since the rate of bounces is above the limit',
};

/** Throws bad_request, which names the obstacle. */
export async function requireSendable(...args: Parameters<typeof findMissingSetting>): Promise<void> {
  const obstacle = await findObstacle(...args);
  if (obstacle !== null) throw new AppError('bad_request', `${obstacle.sentence}: the campaign cannot be sent`);
}
