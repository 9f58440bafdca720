import type { Queryable, Tx } from '../../db/pool.ts';
import { AppError, notFound } from '../../errors.ts';
import * as queries from './queries.ts';
import { type CampaignAction, isAllowed } from './status.ts';

/** Throws not_found. */
export async function requireCampaign(db: Queryable, companyId: number, id: number): Promise<queries.CampaignRow> {
  const row = await queries.findCampaign(db, companyId, id);
  if (row === undefined) throw notFound(`campaign ${id}`);
  return row;
}

/** The same, locked until COMMIT. */
export async function lockCampaign(tx: Tx, companyId: number, id: number): Promise<queries.CampaignRow> {
  const row = await queries.findCampaignForUpdate(tx, companyId, id);
  if (row === undefined) throw notFound(`campaign ${id}`);
  return row;
}

/** Throws bad_request if the campaign's status does not allow the action. */
export function requireAction(action: CampaignAction, { status }: Pick<queries.CampaignRow, 'status'>): void {
  const verb = {
    send: 'sent',
    pause: 'paused',
    resume: 'resumed',
    cancel: 'cancelled',
    edit: 'changed',
    delete: 'deleted',
    retry: 'retried',
    resend: 'sent again to those who did not open it',
  };
  if (!isAllowed(action, status))
    throw new AppError('bad_request', `A campaign that is ${status} cannot be ${verb[action]}`);
}
