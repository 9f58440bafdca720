import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { AppError, notFound } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { requestIdOf } from '../../lib/tracing/correlation.ts';
import { lockMerges } from '../../recipients/merge-lock.ts';
import type { DeliveryConsequences } from '../ledger/deliveries.ts';
import type { MessageStatus } from '../ledger/message.ts';
import type { MessageQuery } from './contract.ts';
import * as queries from './queries.ts';
import * as retries from './retry-queries.ts';

const RETRYABLE: MessageStatus[] = ['failed', 'unknown'];

export type MessageService = ReturnType<typeof createMessageService>;

/** Lists a company's messages, and lets people resolve failed and unknown ones. */
export function createMessageService({ db, countSent }: { db: Db } & Pick<DeliveryConsequences, 'countSent'>) {
  return {
    /** Newest first, with exact totals. */
    async listMessages(companyId: number, query: MessageQuery): Promise<Page<MessageRecord>> {
      const { page, perPage, ...bounds } = pageOf(query);
      const { status = null, channel = null, contact_id = null, flow_id = null, campaign_id = null } = query;
      const filters = { state: status, channel, contactId: contact_id, flowId: flow_id, campaignId: campaign_id };
      const { rows, total } = await queries.listMessages(db.lists(companyId), companyId, filters, bounds);
      return { rows: rows.map(messageRecord), total, page, perPage };
    },

    /** Throws not_found. */
    getMessage: (companyId: number, id: number) => getMessage(db.points(companyId), companyId, id),

    /**
     * Queues a failed or unknown message again. Throws not_found; bad_request for another status, or if the contact received or may receive
     * another message of the same campaign.
     */
    async retryMessage(caller: Caller, id: number): Promise<MessageRecord> {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        if (await retries.lockCampaignOf(tx, companyId, id)) {
          await lockMerges(tx, companyId);
          const other = await retries.findOther(tx, companyId, id, RETRYABLE);
          if (other !== null) {
            throw new AppError('bad_request', `Another message of the campaign to the same contact is ${other}`);
          }
        }
        const requeued = await retries.requeueMessages(tx, companyId, { ids: [id], statuses: RETRYABLE, now });
        const campaignIds = requeued.flatMap((row) => row.campaign_id ?? []);
        if (campaignIds.length > 0) await retries.reopenCampaigns(tx, companyId, campaignIds, now);
        const message = await getMessage(tx, companyId, id);
        if (requeued.length === 0)
          throw new AppError('bad_request', `A ${message.status} message cannot be sent again`);
        return message;
      });
    },

    /** Records an unknown message as sent. Throws not_found; bad_request for another status. */
    async markMessageSent(caller: Caller, id: number): Promise<MessageRecord> {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        const marked = await retries.markSent(tx, companyId, id, now);
        const flows = marked.flatMap(({ flow_id: flowId, step_id: stepId }) => {
          return flowId === null || stepId === null ? [] : { kind: 'flow' as const, flowId, stepId };
        });
        await countSent(tx, companyId, flows);
        const message = await getMessage(tx, companyId, id);
        if (marked.length === 0 && message.status !== 'sent') {
          throw new AppError('bad_request', `Only an unknown message is marked as sent, this one is ${message.status}`);
        }
        return message;
      });
    },
  };
}

async function getMessage(db: Queryable, companyId: number, id: number): Promise<MessageRecord> {
  const row = await queries.findMessage(db, companyId, id);
  if (row === undefined) throw notFound(`message ${id}`);
  return messageRecord(row);
}

type MessageRecord = ReturnType<typeof messageRecord>;

function messageRecord({ id, due_at, created_at, handed_over_at, ended_at, correlation, ...row }: queries.MessageRow) {
  return {
    message_id: id,
    ...row,
    due_at: formatTimestamp(due_at),
    created_at: formatTimestamp(created_at),
    handed_over_at: handed_over_at && formatTimestamp(handed_over_at),
    ended_at: ended_at && formatTimestamp(ended_at),
    request_id: requestIdOf(correlation),
  };
}
