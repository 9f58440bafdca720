import { createRandom } from '../random.ts';
import type { Row } from '../row.ts';
import { type FilledShop, HOUR_MS, momentOf, type Span, type SpanOfShop } from '../shop.ts';
import { emailOf } from './people.ts';

/** Of ten messages six belong to the campaign, three to runs of the flow, and one is a confirmation in the mailbox. */
const KINDS = [
  'campaign',
  'flow',
  'campaign',
  'flow',
  'campaign',
  'campaign',
  'flow',
  'campaign',
  'campaign',
  'system',
] as const;
export const MAIL_STEP = 'mail';

interface MadeMessage {
  /** Index among the messages of the span. */
  index: number;
  kind: (typeof KINDS)[number];
  /** Index among the messages of its kind. */
  nth: number;
  contact: number;
  status: 'sent' | 'failed' | 'skipped';
  at: number;
  opened: boolean;
  clicked: boolean;
}

export function countOf(kind: MadeMessage['kind'], messages: number): number {
  const ofTen = KINDS.filter((one) => one === kind).length;
  const rest = KINDS.slice(0, messages % 10).filter((one) => one === kind).length;
  return Math.floor(messages / 10) * ofTen + rest;
}

function* messagesOf({ contacts, seed }: FilledShop, span: Span): Generator<MadeMessage> {
  const random = createRandom(`${seed}:messages:${span.from.toISOString()}`);
  const start = Math.floor(random() * contacts.count);
  const counts = { campaign: 0, flow: 0, system: 0 };
  for (let k = 0; k < span.messages; k++) {
    const kind = KINDS[k % 10]!;
    const nth = counts[kind]++;
    const [fate, reading] = [random(), random()];
    const status = fate < 0.02 ? 'failed' : fate < 0.04 ? 'skipped' : 'sent';
    const contact = (start + nth) % contacts.count;
    const at = momentOf(span, k, span.messages);
    const sent = status === 'sent';
    yield {
      index: k,
      kind,
      nth,
      contact,
      status,
      at,
      opened: sent && reading < 0.3,
      clicked: sent && reading < 0.05,
    };
  }
}

/** Yields the indexes of the contacts that messages of the span reached. */
export function* receiversOf(shop: FilledShop, span: Span): Generator<number> {
  for (const { contact, status } of messagesOf(shop, span)) if (status === 'sent') yield contact;
}

export const MESSAGE_COLUMNS = [
  ...[
    'company_id',
    'id',
    'idem_key',
    'channel',
    'transactional',
    'lane',
    'contact_id',
    'recipient',
    'status',
    'reason',
  ],
  ...['due_at', 'transport', 'origin', 'flow_id', 'flow_version', 'run_id', 'step_id', 'campaign_id'],
  ...['created_at', 'handed_over_at', 'ended_at'],
];

export function* messageRows(row: Row, { shop, span, ids }: SpanOfShop): Generator<void> {
  const { companyId, contacts, flowId } = shop;
  for (const { index, kind, nth, contact, status, at } of messagesOf(shop, span)) {
    const id = ids.messages + index;
    const [ofFlow, system] = [kind === 'flow', kind === 'system'];
    const campaign = kind === 'campaign' ? ids.campaigns + Math.floor(nth / contacts.count) : null;
    const run = ids.runs + nth;
    const key = {
      campaign: `c:${campaign}:${contacts.first + contact}`,
      flow: `f:${run}:${MAIL_STEP}:1`,
      system: `t:scale:${id}`,
    }[kind];
    row.int8(companyId).int8(id).text(key).text('email').bool(system);
    row
      .int2(system ? 0 : 2)
      .int8(contacts.first + contact)
      .text(emailOf(contact))
      .text(status);
    row.text(status === 'failed' ? 'refused' : status === 'skipped' ? 'unsubscribed' : null);
    row
      .timestamptz(at)
      .text(system ? 'mailbox' : 'smtp')
      .text(kind);
    row.int8(ofFlow ? flowId : null);
    if (ofFlow) row.int4(1);
    else row.null();
    row
      .int8(ofFlow ? run : null)
      .text(ofFlow ? MAIL_STEP : null)
      .int8(campaign);
    row
      .timestamptz(at)
      .timestamptz(status === 'sent' ? at : null)
      .timestamptz(at);
    yield;
  }
}

export const HAPPENED_COLUMNS = ['company_id', 'message_id', 'type', 'contact_id', 'amount', 'created_at', 'last_at'];

/** Opens, clicks and purchases after them. */
export function* happenedRows(row: Row, { shop, span, ids }: SpanOfShop): Generator<void> {
  for (const { index, contact, at, opened, clicked } of messagesOf(shop, span)) {
    const happened = (type: string, amount: number | null, last: number | null): void => {
      row
        .int8(shop.companyId)
        .int8(ids.messages + index)
        .text(type);
      row.int8(shop.contacts.first + contact).int8(amount);
      row.timestamptz(at + HOUR_MS).timestamptz(last);
    };
    // In the order of the key.
    if (clicked) yield happened('clicked', null, null);
    if (clicked && index % 7 === 0) yield happened('converted', 1_000 + (index % 9_000), null);
    if (opened) yield happened('opened', null, index % 5 === 0 ? at + 2 * HOUR_MS : null);
  }
}

export const MAILBOX_COLUMNS = [
  ...['company_id', 'id', 'channel', 'contact_id', 'sender', 'recipient', 'subject', 'html', 'created_at'],
];

export function* mailboxRows(row: Row, { shop, span, ids }: SpanOfShop): Generator<void> {
  for (const { index, kind, contact, status, at } of messagesOf(shop, span)) {
    if (kind !== 'system' || status !== 'sent') continue;
    row
      .int8(shop.companyId)
      .int8(ids.messages + index)
      .text('email');
    row
      .int8(shop.contacts.first + contact)
      .text('shop@example.com')
      .text(emailOf(contact));
    row.text('Your order').text('<p>Thank you for your order.</p>').timestamptz(at);
    yield;
  }
}

export const RUN_COLUMNS = [
  ...['company_id', 'id', 'flow_id', 'version', 'contact_id', 'slot', 'status', 'listens', 'state', 'seq'],
  ...['entered_at', 'ended_at'],
];

/** The run of each message of the flow, from its entry an hour before to its end. */
export function* runRows(row: Row, { shop, span, ids }: SpanOfShop): Generator<void> {
  for (const { kind, nth, contact, at } of messagesOf(shop, span)) {
    if (kind !== 'flow') continue;
    row
      .int8(shop.companyId)
      .int8(ids.runs + nth)
      .int8(shop.flowId)
      .int4(1);
    row
      .int8(shop.contacts.first + contact)
      .int8(0)
      .text('completed')
      .texts([]);
    row.jsonb(`{"visits": {"${MAIL_STEP}": 1}, "vars": {}, "hops": 1}`).int4(3);
    row.timestamptz(at - HOUR_MS).timestamptz(at);
    yield;
  }
}

export const LOG_COLUMNS = ['company_id', 'run_id', 'seq', 'at', 'entries'];

export function* logRows(row: Row, { shop, span, ids }: SpanOfShop): Generator<void> {
  for (const { kind, nth, at } of messagesOf(shop, span)) {
    if (kind !== 'flow') continue;
    const entry = (seq: number, ms: number, text: string): void => {
      row
        .int8(shop.companyId)
        .int8(ids.runs + nth)
        .int4(seq)
        .timestamptz(ms)
        .jsonb(`[${text}]`);
    };
    yield entry(0, at - HOUR_MS, '{"step_id": null, "type": null, "result": "entered"}');
    yield entry(1, at, `{"step_id": "${MAIL_STEP}", "type": "send_email", "result": "passed"}`);
    yield entry(2, at, '{"step_id": null, "type": null, "result": "completed"}');
  }
}
