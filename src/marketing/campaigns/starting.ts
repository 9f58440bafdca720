import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { pauseOf } from '../../messaging/deliverability/service.ts';
import { type MissingSetting, missingFor } from '../../messaging/send/missing-settings.ts';
import { startCampaign } from './audience/audience.ts';
import { type CampaignRow, findCampaignForUpdate, updateCampaign } from './queries.ts';
import { incompleteFields } from './readiness/completeness.ts';
import { findMissingReferences, type MissingReferences, referencesOf } from './readiness/reference-queries.ts';
import { findObstacle, type Obstacle } from './readiness/sendable.ts';
import { MISSED_MS } from './schedule.ts';
import { startsAt } from './time-zones/start.ts';

interface StarterDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  /** Returns the missing settings without which the company's campaigns cannot be sent. */
  missingFor(companyId: number): Promise<readonly MissingSetting[]>;
}

/** Starts scheduled campaigns, and pauses those that cannot be sent. Both methods return 1 if the campaign changed, else 0. */
export function createCampaignStarter({ db, clock, log, missingFor: missingOf }: StarterDeps) {
  /** A campaign paused here must be resumed by a person: by then it may no longer be wanted. */
  async function pauseFor(
    tx: Tx,
    companyId: number,
    row: CampaignRow,
    { reason, sentence }: Obstacle,
  ): Promise<number> {
    await updateCampaign(tx, companyId, { ...row, status: 'paused', reason }, clock.now());
    log.warn(
      { company_id: companyId, campaign_id: row.id, reason: sentence },
      'a campaign is paused: it cannot be sent',
    );
    return 1;
  }

  return {
    /** Starts the campaign. Pauses it if it is too late (see `MISSED_MS`) or cannot be sent now; fails it if it is incomplete. */
    async start(companyId: number, id: number): Promise<number> {
      const missing = await missingOf(companyId);
      return db.tenantTx(companyId, async (tx) => {
        const now = clock.now();
        const row = await findCampaignForUpdate(tx, companyId, id);
        const at = row && startsAt(row);
        if (row?.status !== 'scheduled' || at == null || at > now) return 0;
        if (now.getTime() - at.getTime() > MISSED_MS) {
          await updateCampaign(tx, companyId, { ...row, status: 'paused', reason: 'missed_schedule' }, now);
          log.warn({ company_id: companyId, campaign_id: id }, 'a campaign missed its time and is paused');
          return 1;
        }
        const obstacle = await findObstacle(tx, companyId, row, missing);
        if (obstacle !== null) return pauseFor(tx, companyId, row, obstacle);
        const reason =
          deletedReference(await findMissingReferences(tx, companyId, referencesOf(row))) ??
          // Its template may have lost its subject since.
          ((await incompleteFields(tx, companyId, row, now)).length > 0 ? 'incomplete' : null);
        if (reason === null) {
          await startCampaign(tx, companyId, row, now);
        } else {
          await updateCampaign(tx, companyId, { ...row, status: 'failed', reason, finished_at: now }, now);
          log.warn({ company_id: companyId, campaign_id: id, reason }, 'a campaign could not start');
        }
        return 1;
      });
    },

    /** Pauses a campaign that was started while the company's marketing e-mail was being paused. */
    async pauseWithCompany(companyId: number, id: number): Promise<number> {
      return db.tenantTx(companyId, async (tx) => {
        const row = await findCampaignForUpdate(tx, companyId, id);
        const reason = row?.status === 'sending' && row.type === 'email' ? await pauseOf(tx, companyId) : null;
        const sentence = 'marketing e-mail of the company is paused';
        return reason === null ? 0 : pauseFor(tx, companyId, row!, { reason, sentence });
      });
    },

    /** Pauses a campaign that was started when the settings still allowed it. */
    async pauseUnsendable(companyId: number, id: number): Promise<number> {
      const missing = await missingOf(companyId);
      if (missing.length === 0) return 0;
      return db.tenantTx(companyId, async (tx) => {
        const row = await findCampaignForUpdate(tx, companyId, id);
        const setting = row?.status === 'sending' ? missingFor(missing, row.type, row.type === 'email') : null;
        if (setting === null) return 0;
        return pauseFor(tx, companyId, row!, { reason: setting.cause, sentence: setting.sentence });
      });
    },
  };
}

/** The reason of a campaign whose list, segment or template was deleted after it was scheduled. */
function deletedReference({ lists, segments, campaigns, templates }: MissingReferences): string | null {
  if (lists.length > 0) return 'list_deleted';
  if (segments.length > 0) return 'segment_deleted';
  if (campaigns.length > 0) return 'campaign_deleted';
  return templates.length > 0 ? 'template_deleted' : null;
}
