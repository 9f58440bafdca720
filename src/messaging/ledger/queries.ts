import type { Tx } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';
import { LANES, type Origin, type QueuedMessage } from './message.ts';

export async function insertMessages(
  tx: Tx,
  companyId: number,
  messages: QueuedMessage[],
  now: Date,
): Promise<{ id: number }[]> {
  const rows = messages.map(rowOf);
  return tx.query<{ id: number }>(sql`
    insert into messages (company_id, idem_key, channel, transactional, lane, contact_id, recipient, due_at, origin, flow_id,
      flow_version, run_id, step_id, event_id, campaign_id, variant, template, data, correlation, created_at)
    select ${companyId}, idem_key, channel, transactional, lane, contact_id, recipient, due_at, origin, flow_id, flow_version,
      run_id, step_id, event_id, campaign_id, variant, template, data, correlation, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::json) as v (idem_key text, channel text, transactional boolean,
      lane smallint, contact_id bigint, recipient text, due_at timestamptz, origin text, flow_id bigint, flow_version int,
      run_id bigint, step_id text, event_id bigint, campaign_id bigint, variant text, template text, data jsonb,
      correlation text)
    on conflict (company_id, idem_key) do nothing
    returning id`);
}

function rowOf({ idemKey, channel, contactId, recipient, origin, transactional, dueAt, correlation }: QueuedMessage) {
  const lane = transactional ? LANES.transactional : origin.kind === 'campaign' ? LANES.campaign : LANES.flow;
  const row = { idem_key: idemKey, channel, transactional, lane, contact_id: contactId, recipient, due_at: dueAt };
  return { ...row, correlation, origin: origin.kind, ...originColumns(origin) };
}

function originColumns(origin: Origin): Record<string, unknown> {
  switch (origin.kind) {
    case 'flow': {
      const { flowId, version, runId, stepId, eventId } = origin;
      return { flow_id: flowId, flow_version: version, run_id: runId, step_id: stepId, event_id: eventId };
    }
    case 'campaign':
      return { campaign_id: origin.campaignId, variant: origin.variant };
    case 'system':
      return { template: origin.template, data: origin.data };
  }
}

export async function findRecipient(tx: Tx, companyId: number, idemKey: string): Promise<string | null> {
  const rows = await tx.query<{ recipient: string | null }>(sql`
    select recipient from ledger where company_id = ${companyId} and idem_key = ${idemKey}`);
  return rows[0]?.recipient ?? null;
}
