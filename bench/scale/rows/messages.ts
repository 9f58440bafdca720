import { createRandom } from '../random.ts';
import { type FilledShop, type IdRange, momentOf, NULL, type Span, stamp } from '../shop.ts';
import { emailOf } from './people.ts';

/** Of ten messages six are of the campaign, three of runs of the flow, one is a confirmation in the mailbox. */
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
const HOUR_MS = 3_600_000;

/** Where the rows of a span begin. */
export interface MessageIds {
  first: number;
  firstRun: number;
  /** Campaigns, each of at most as many messages as there are contacts. */
  campaigns: IdRange;
}

interface MadeMessage {
  id: number;
  kind: (typeof KINDS)[number];
  /** Within the messages of its kind. */
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

function* messagesOf({ contacts, seed }: FilledShop, span: Span, { first }: MessageIds): Generator<MadeMessage> {
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
      id: first + k,
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

/** The contacts, by their indexes, that messages of the span reached. */
export function* receiversOf(shop: FilledShop, span: Span): Generator<number> {
  const ids = { first: 0, firstRun: 0, campaigns: { first: 0, count: 0 } };
  for (const { contact, status } of messagesOf(shop, span, ids)) if (status === 'sent') yield contact;
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

export function* messageLines(shop: FilledShop, span: Span, ids: MessageIds): Generator<string> {
  const { companyId, contacts, flowId } = shop;
  for (const { id, kind, nth, contact, status, at } of messagesOf(shop, span, ids)) {
    const moment = stamp(at);
    const campaign = ids.campaigns.first + Math.floor(nth / contacts.count);
    const run = ids.firstRun + nth;
    const key = {
      campaign: `c:${campaign}:${contacts.first + contact}`,
      flow: `f:${run}:${MAIL_STEP}:1`,
      system: `t:scale:${id}`,
    }[kind];
    const origins =
      kind === 'flow'
        ? `flow\t${flowId}\t1\t${run}\t${MAIL_STEP}\t${NULL}`
        : `${kind}\t${NULL}\t${NULL}\t${NULL}\t${NULL}\t${kind === 'campaign' ? campaign : NULL}`;
    const reason = status === 'failed' ? 'refused' : status === 'skipped' ? 'unsubscribed' : NULL;
    const handedOver = status === 'sent' ? moment : NULL;
    yield `${companyId}\t${id}\t${key}\temail\t${kind === 'system'}\t${kind === 'system' ? 0 : 2}\t${contacts.first + contact}\t${emailOf(contact)}\t${status}\t${reason}\t${moment}\t${kind === 'system' ? 'mailbox' : 'smtp'}\t${origins}\t${moment}\t${handedOver}\t${moment}\n`;
  }
}

export const HAPPENED_COLUMNS = ['company_id', 'message_id', 'type', 'contact_id', 'amount', 'created_at', 'last_at'];

/** Opens, clicks, and what readers bought. */
export function* happenedLines(shop: FilledShop, span: Span, ids: MessageIds): Generator<string> {
  for (const { id, contact, at, opened, clicked } of messagesOf(shop, span, ids)) {
    const message = `${shop.companyId}\t${id}`;
    const reader = shop.contacts.first + contact;
    const later = stamp(at + HOUR_MS);
    if (opened)
      yield `${message}\topened\t${reader}\t${NULL}\t${later}\t${id % 5 === 0 ? stamp(at + 2 * HOUR_MS) : NULL}\n`;
    if (clicked) yield `${message}\tclicked\t${reader}\t${NULL}\t${later}\t${NULL}\n`;
    if (clicked && id % 7 === 0) yield `${message}\tconverted\t${reader}\t${1_000 + (id % 9_000)}\t${later}\t${NULL}\n`;
  }
}

export const MAILBOX_COLUMNS = [
  ...['company_id', 'id', 'channel', 'contact_id', 'sender', 'recipient', 'subject', 'html', 'created_at'],
];

export function* mailboxLines(shop: FilledShop, span: Span, ids: MessageIds): Generator<string> {
  for (const { id, kind, contact, status, at } of messagesOf(shop, span, ids)) {
    if (kind !== 'system' || status !== 'sent') continue;
    yield `${shop.companyId}\t${id}\temail\t${shop.contacts.first + contact}\tshop@example.com\t${emailOf(contact)}\tYour order\t<p>Thank you for your order.</p>\t${stamp(at)}\n`;
  }
}

export const RUN_COLUMNS = [
  ...['company_id', 'id', 'flow_id', 'version', 'contact_id', 'slot', 'status', 'listens', 'state', 'seq'],
  ...['entered_at', 'ended_at'],
];

/** The run of each message of the flow, from its entry an hour before to its end. */
export function* runLines(shop: FilledShop, span: Span, ids: MessageIds): Generator<string> {
  for (const { kind, nth, contact, at } of messagesOf(shop, span, ids)) {
    if (kind !== 'flow') continue;
    yield `${shop.companyId}\t${ids.firstRun + nth}\t${shop.flowId}\t1\t${shop.contacts.first + contact}\t0\tcompleted\t{}\t{"visits": {"${MAIL_STEP}": 1}, "vars": {}, "hops": 1}\t3\t${stamp(at - HOUR_MS)}\t${stamp(at)}\n`;
  }
}

export const LOG_COLUMNS = ['company_id', 'run_id', 'seq', 'at', 'entries'];

export function* logLines(shop: FilledShop, span: Span, ids: MessageIds): Generator<string> {
  for (const { kind, nth, at } of messagesOf(shop, span, ids)) {
    if (kind !== 'flow') continue;
    const run = `${shop.companyId}\t${ids.firstRun + nth}`;
    yield `${run}\t0\t${stamp(at - HOUR_MS)}\t[{"step_id": null, "type": null, "result": "entered"}]\n`;
    yield `${run}\t1\t${stamp(at)}\t[{"step_id": "${MAIL_STEP}", "type": "send_email", "result": "passed"}]\n`;
    yield `${run}\t2\t${stamp(at)}\t[{"step_id": null, "type": null, "result": "completed"}]\n`;
  }
}
