import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { normalisePhone } from '../../lib/addresses.ts';
import { rememberNotification } from '../feedback/queries.ts';
import type { ContactChanges } from '../ledger/deliveries.ts';
import { insertMessages } from '../ledger/queries.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { Suppressions } from '../suppressions/suppressions.ts';
import { type KeywordAction, keywordOf } from './keywords.ts';
import * as queries from './queries.ts';

/** An SMS sent to a number of the shop. */
export interface InboundSms {
  /** The provider's id, the same when the message is delivered again. */
  id: string;
  from: string;
  to: string;
  text: string;
  /** The provider has replied to the keyword itself. */
  replied: boolean;
  /** The company whose own account received it; null for the installation's, where the numbers decide. */
  companyId: number | null;
}

/** What the reports of the SMS provider need. */
export interface SmsDeps {
  db: Db;
  clock: Clock;
  companies: { get(companyId: number): Promise<SendingCompany> };
  suppressions: Suppressions;
  contacts: ContactChanges;
}

/** Executes the keyword of the message in each company that it concerns. Returns the number of companies that acted. */
export async function receiveSms(deps: SmsDeps, sms: InboundSms): Promise<number> {
  const from = normalisePhone(sms.from, null);
  // A short code or an alphanumeric sender cannot receive messages.
  if (from === null) return 0;
  const companies =
    sms.companyId === null ? await companiesOf(deps, sms.to, from) : [await deps.companies.get(sms.companyId)];
  let acted = 0;
  for (const company of companies) {
    const action = keywordOf(sms.text, company.sms_stop_words);
    if (action === null) continue;
    const done = await deps.db.tenantTx(company.companyId, (tx) => act(deps, tx, company, { ...sms, from }, action));
    if (done) acted++;
  }
  return acted;
}

/** The companies that send from the number; without any, those that have the sender as a contact. */
async function companiesOf({ db, companies }: SmsDeps, to: string, from: string): Promise<SendingCompany[]> {
  const number = normalisePhone(to, null) ?? to;
  const senders = await queries.findSendersCompanies(db, number);
  const ids = senders.length > 0 ? senders : await queries.findRecipientsCompanies(db, from);
  return Promise.all(ids.map((id) => companies.get(id)));
}

/** Returns false for a repeated message. */
async function act(
  deps: SmsDeps,
  tx: Tx,
  company: SendingCompany,
  sms: InboundSms,
  action: KeywordAction,
): Promise<boolean> {
  const { companyId } = company;
  const now = deps.clock.now();
  const key = createHash('sha256').update(`sms\0${sms.id}`).digest();
  if (!(await rememberNotification(tx, companyId, key, now))) return false;
  const contactId = await queries.lockByPhone(tx, companyId, sms.from);
  const changed = action === 'help' || (await applyKeyword(tx, company, deps, { ...sms, contactId, action, now }));
  if (!changed || sms.replied) return true;
  const address = contactId === null ? { contactId, recipient: sms.from } : { contactId };
  const origin = { kind: 'system', template: `sms_${action}`, data: { text: company.sms_help_text } } as const;
  const reply = { idemKey: `t:sms:${sms.id}`, channel: 'sms', transactional: true, dueAt: now } as const;
  await insertMessages(tx, companyId, [{ ...reply, ...address, origin }], now);
  return true;
}

/** Records the opt-out or opt-in. Returns whether it changed anything: a repeated one is not confirmed again. */
async function applyKeyword(
  tx: Tx,
  { companyId }: SendingCompany,
  { suppressions, contacts }: SmsDeps,
  keyword: InboundSms & { contactId: number | null; action: 'stop' | 'start'; now: Date },
): Promise<boolean> {
  const { contactId, action, from: address, text, now } = keyword;
  const [before] = await suppressions.find(tx, companyId, [{ email: null, phone: address }]);
  const left = before!.sms?.cause === 'unsubscribe';
  const ids = contactId === null ? [] : [contactId];
  if (action === 'stop') {
    // Also for a number that no contact has yet, or any longer.
    const entry = { channel: 'sms', address, cause: 'unsubscribe', source: 'sms_keyword' } as const;
    await suppressions.add(tx, companyId, [entry], now);
  } else await suppressions.lift(tx, companyId, [{ channel: 'sms', address }]);
  await contacts.changeConsents(tx, companyId, suppressions, ids, {
    channels: ['sms'],
    state: action === 'stop' ? 'unsubscribed' : 'subscribed',
    source: 'sms_keyword',
    cause: action === 'stop' ? 'unsubscribe' : 'resubscribe',
    evidence: { text: text.slice(0, 1_600) },
    now,
  });
  return action === 'stop' ? !left : left;
}
