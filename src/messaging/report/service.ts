import { createPrivateKey } from 'node:crypto';
import { recordAuditEntry } from '../../access/audit.ts';
import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { AppError, invalidField, notFound } from '../../errors.ts';
import { findHold, type Hold } from '../../installation.ts';
import { isOneLine, normaliseDomain, normaliseEmail } from '../../lib/addresses.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { lockMerges } from '../../marketing/contacts/service.ts';
import { isZone } from '../../marketing/flows/engine/schedule.ts';
import { countSent } from '../../marketing/flows/service.ts';
import { formatTimestamp } from '../../marketing/time.ts';
import type { Renderer } from '../compose/liquid/renderer.ts';
import type { MailboxQuery, MessageQuery, SendingSettingsPatch, SendingSettingsRecord } from '../contract.ts';
import { bouncesRecord, storedBounces } from '../feedback/bounce-settings.ts';
import * as mailbox from '../mailbox/queries.ts';
import { loadSendingCompany, type SendingCompany } from '../settings/settings.ts';
import * as listing from './queries.ts';

/** What the deeds below need of the app. */
interface Deps {
  db: Db;
  messaging: { sealSecret(secret: string): string; refreshSettings(): Promise<void> };
  /** The address of this server, without a slash at the end. */
  origin: () => string;
}

function messageRecord({ id, due_at, created_at, handed_over_at, ended_at, ...row }: listing.MessageRow) {
  return {
    message_id: id,
    ...row,
    due_at: formatTimestamp(due_at),
    created_at: formatTimestamp(created_at),
    handed_over_at: handed_over_at && formatTimestamp(handed_over_at),
    ended_at: ended_at && formatTimestamp(ended_at),
  };
}

type MessageRecord = ReturnType<typeof messageRecord>;

/** Newest first; totals are exact. */
export async function listMessages(db: Db, companyId: number, query: MessageQuery): Promise<Page<MessageRecord>> {
  const { page, perPage } = pageOf(query);
  const { status = null, channel = null, contact_id = null, flow_id = null, campaign_id = null } = query;
  const filters = { state: status, channel, contactId: contact_id, flowId: flow_id, campaignId: campaign_id };
  const found = await listing.listMessages(db, companyId, filters, { skip: (page - 1) * perPage, take: perPage });
  return { rows: found.rows.map(messageRecord), total: found.total, page, perPage };
}

export async function getMessage(db: Pick<Db, 'query'>, companyId: number, id: number): Promise<MessageRecord> {
  const row = await listing.findMessage(db, companyId, id);
  if (row === undefined) throw notFound(`message ${id}`);
  return messageRecord(row);
}

/**
 * Queues a failed or unknown message again. Throws not_found, bad_request for one in another state, or one of a campaign that
 * its contact got, or may get, by another message.
 */
export async function retryMessage(db: Db, caller: Caller, id: number): Promise<MessageRecord> {
  const { companyId, now } = caller;
  return write(db, caller, async (tx) => {
    const statuses = ['failed', 'unknown'] as const;
    if (await listing.lockCampaignOf(tx, companyId, id)) {
      await lockMerges(tx, companyId);
      const other = await listing.findOther(tx, companyId, id, [...statuses]);
      if (other !== null) {
        throw new AppError('bad_request', `Another message of the campaign to the same contact is ${other}`);
      }
    }
    const requeued = await listing.requeueMessages(tx, companyId, { ids: [id], statuses: [...statuses], now });
    const campaignIds = requeued.flatMap((row) => row.campaign_id ?? []);
    if (campaignIds.length > 0) await listing.reopenCampaigns(tx, companyId, campaignIds, now);
    const message = await getMessage(tx, companyId, id);
    if (requeued.length === 0) throw new AppError('bad_request', `A ${message.status} message cannot be sent again`);
    return message;
  });
}

/** Throws not_found, bad_request for a message that is not unknown. */
export async function markMessageSent(db: Db, caller: Caller, id: number): Promise<MessageRecord> {
  return write(db, caller, async (tx) => {
    const marked = await listing.markSent(tx, caller.companyId, id, caller.now);
    const flows = marked.flatMap(({ flow_id: flowId, step_id: stepId }) => {
      return flowId === null || stepId === null ? [] : { kind: 'flow' as const, flowId, stepId };
    });
    await countSent(tx, caller.companyId, flows);
    const message = await getMessage(tx, caller.companyId, id);
    if (marked.length === 0 && message.status !== 'sent') {
      throw new AppError('bad_request', `Only an unknown message is marked as sent, this one is ${message.status}`);
    }
    return message;
  });
}

export async function listMailbox(db: Db, companyId: number, query: MailboxQuery) {
  const { page, perPage } = pageOf(query);
  const to = query.to === undefined ? null : (normaliseEmail(query.to) ?? query.to);
  const found = await mailbox.listMailbox(db, companyId, to, { skip: (page - 1) * perPage, take: perPage });
  return {
    rows: found.rows.map((row) => ({ ...entryOf(row), excerpt: row.excerpt })),
    total: found.total,
    page,
    perPage,
  };
}

interface MailboxDeps {
  db: Db;
  messaging: { renderer: Renderer };
}

/** Throws not_found where there is none. */
export async function getLatestMailboxMessage(deps: MailboxDeps, companyId: number, query: { to?: string }) {
  const { rows } = await listMailbox(deps.db, companyId, { ...query, per_page: 1 });
  if (rows[0] === undefined) throw notFound('message: the mailbox is empty');
  return getMailboxMessage(deps, companyId, rows[0].id);
}

/** Throws not_found. */
export async function getMailboxMessage({ db, messaging }: MailboxDeps, companyId: number, id: number) {
  const row = await mailbox.findMailboxMessage(db, companyId, id);
  if (row === undefined) throw notFound(`message ${id}`);
  const { preview_text, html, headers } = row;
  const text = row.text ?? (html === null ? '' : await messaging.renderer.textFromHtml(companyId, html));
  return { ...entryOf(row), preview_text, html, text, headers };
}

function entryOf(row: Omit<mailbox.MailboxEntry, 'excerpt'>) {
  const { id, channel, contact_id, sender, recipient, subject, message_id } = row;
  return {
    ...{ id, channel, contact_id, from: sender, to: recipient, subject, message_id },
    created_at: formatTimestamp(row.created_at),
  };
}

function settingsRecord(company: SendingCompany, hold: Hold | null, origin: string): SendingSettingsRecord {
  const { from_email, from_name, reply_to, sms_from, quiet_hours, frequency_cap, max_lateness_hours } = company;
  const { less_often_days, language } = company;
  const { sms_senders, sms_stop_words, sms_help_text } = company;
  const { track_opens, track_clicks, attribution_days, new_contacts_by_events, dkim } = company;
  return {
    ...{ from_email, from_name, reply_to, sms_from, quiet_hours, frequency_cap, max_lateness_hours },
    ...{ less_often_days, language },
    ...{ sms_senders, sms_stop_words, sms_help_text },
    ...{ track_opens, track_clicks, attribution_days, new_contacts_by_events },
    held_since: hold && formatTimestamp(hold.since),
    held_because: hold?.because ?? null,
    dkim: dkim && { domain: dkim.domain, selector: dkim.selector },
    bounces: bouncesRecord(company, origin),
  };
}

export async function getSendingSettings({ db, origin }: Deps, companyId: number): Promise<SendingSettingsRecord> {
  return settingsRecord(
    await loadSendingCompany(db.points(companyId), companyId),
    await findHold(db.points(companyId)),
    origin(),
  );
}

/** Sets what is given. Throws validation_failed. */
export async function updateSendingSettings(
  { db, messaging, origin }: Deps,
  caller: Caller,
  patch: SendingSettingsPatch,
): Promise<SendingSettingsRecord> {
  const stored = checkedSettings(patch, messaging.sealSecret);
  const bounces = storedBounces(patch.bounces ?? {}, messaging.sealSecret);
  const { companyId, now, actor } = caller;
  const hold = await findHold(db);
  const record = await write(db, caller, async (tx) => {
    await listing.mergeSettings(tx, companyId, { ...stored, ...bounces });
    const providers = Object.entries(bounces).map(([name, kept]) => [name, kept === null ? 'removed' : 'set']);
    const dkim = patch.dkim ? { dkim: patch.dkim.domain } : {};
    const details = { ...stored, ...dkim, ...Object.fromEntries(providers) };
    await recordAuditEntry(tx, companyId, {
      at: now,
      actor,
      action: 'sending_settings.update',
      target: 'sending_settings',
      details,
    });
    return settingsRecord(await loadSendingCompany(tx, companyId), hold, origin());
  });
  await messaging.refreshSettings();
  return record;
}

function checkedSettings(patch: SendingSettingsPatch, seal: (secret: string) => string): Record<string, unknown> {
  const { dkim, bounces: _bounces, ...rest } = patch;
  const stored: Record<string, unknown> = { ...rest };
  for (const field of ['from_email', 'reply_to'] as const) {
    const value = patch[field];
    if (value == null) continue;
    const address = normaliseEmail(value);
    if (address === null) throw invalidField(field, `${field} is not an e-mail address`, 'wrong_format');
    stored[field] = address;
  }
  for (const field of ['from_name', 'sms_from'] as const) {
    if (!isOneLine(patch[field] ?? '')) throw invalidField(field, `${field} must be one line`, 'wrong_format');
  }
  for (const [country, sender] of Object.entries(patch.sms_senders ?? {})) {
    const field = `sms_senders.${country}`;
    if (!isOneLine(sender)) throw invalidField(field, `${field} must be one line`, 'wrong_format');
  }
  const zone = patch.quiet_hours?.timezone;
  if (zone !== undefined && zone !== 'contact' && !isZone(zone)) {
    throw invalidField('quiet_hours.timezone', 'quiet_hours.timezone must be contact or an IANA name', 'unknown');
  }
  if (dkim === null) stored.dkim = null;
  else if (dkim !== undefined) {
    const { selector, private_key: pem } = dkim;
    const domain = normaliseDomain(dkim.domain);
    if (domain === null) throw invalidField('dkim.domain', 'dkim.domain must be the name of a domain', 'wrong_format');
    if (!SELECTOR.test(selector)) throw invalidField('dkim.selector', 'dkim.selector is none', 'wrong_format');
    requireRsaKey(pem);
    stored.dkim = { domain, selector, sealed_key: seal(pem) };
  }
  return stored;
}

/** What may stand before ._domainkey in a name. */
const SELECTOR = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;
/** Receivers take signatures by smaller keys for none (RFC 8301). */
const LEAST_KEY_BITS = 1_024;

function requireRsaKey(pem: string): void {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    if (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_KEY_BITS) return;
  } catch {}
  const message = `dkim.private_key must be an RSA private key in PEM, of ${LEAST_KEY_BITS} bits or more`;
  throw invalidField('dkim.private_key', message, 'wrong_format');
}

/** The service as handlers are given it: it holds the database, and takes the lane that each read needs. */
export function createMessageService(deps: Deps & MailboxDeps) {
  const { db, messaging } = deps;
  return {
    listMessages: (companyId: number, query: MessageQuery) => listMessages(db.lists(companyId), companyId, query),
    getMessage: (companyId: number, id: number) => getMessage(db.points(companyId), companyId, id),
    retryMessage: (caller: Caller, id: number) => retryMessage(db.points(caller.companyId), caller, id),
    markMessageSent: (caller: Caller, id: number) => markMessageSent(db.points(caller.companyId), caller, id),
    listMailbox: (companyId: number, query: MailboxQuery) => listMailbox(db.lists(companyId), companyId, query),
    getLatestMailboxMessage: (companyId: number, query: { to?: string }) =>
      getLatestMailboxMessage({ db: db.lists(companyId), messaging }, companyId, query),
    getMailboxMessage: (companyId: number, id: number) =>
      getMailboxMessage({ db: db.points(companyId), messaging }, companyId, id),
    getSendingSettings: (companyId: number) => getSendingSettings(deps, companyId),
    updateSendingSettings: (caller: Caller, patch: SendingSettingsPatch) => updateSendingSettings(deps, caller, patch),
  };
}

export type MessageService = ReturnType<typeof createMessageService>;
