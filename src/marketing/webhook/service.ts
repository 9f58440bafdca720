import type { IncomingHttpHeaders } from 'node:http';
import { recordAuditEntry } from '../../access/audit.ts';
import type { KeyHolder } from '../../access/authenticator.ts';
import { type CompanyVersions, createCompanyCache } from '../../access/company-versions.ts';
import type { MasterKey } from '../../access/master-key.ts';
import { findCompany, type LiveSecret, liveWebhookSecrets, newWebhookSecret } from '../../access/service.ts';
import type { Caller } from '../../caller.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { AppError, found, validationFailed } from '../../errors.ts';
import type { BatchOutcome } from '../events/batch-outcome.ts';
import { MAX_BATCH } from '../events/contract.ts';
import type { EventsService } from '../events/service.ts';
import { type BodyOnlySender, findBodyOnlySenders, mergeWebhookSettings, noteBodyOnly } from './queries.ts';
import { type SignedRequest, type Verified, verifySignature } from './signature.ts';

/** companies.settings.webhook: what is absent has its default. */
export interface WebhookSettings {
  /** Refuse signatures without a timestamp, which can be sent again at any time; false. */
  require_timestamp: boolean;
  /** 60,000; 0 is no limit. */
  requests_per_hour: number;
}

export type { BodyOnlySender };
export { findBodyOnlySenders };

/** How often it is noted, at most, that a company takes signatures without a timestamp. */
const NOTED_EVERY_MS = 3_600_000;

const DEFAULTS: WebhookSettings = { require_timestamp: false, requests_per_hour: 60_000 };

/** What is kept of a company to check its webhook. */
interface Receiver {
  secrets: LiveSecret[];
  settings: WebhookSettings;
}

/** Who sent a request, as its signature proves. */
export interface Sender {
  companyId: number;
  /** The sender's signed id of the message, null where there is none. */
  messageId: string | null;
  /** As whom the company's webhook is counted by the rate limiter. */
  holder: KeyHolder;
}

export interface Received {
  received: true;
  accepted: number;
  duplicates: number;
  rejected: { index: number; message: string }[];
}

export interface WebhookService {
  /**
   * The sender, or null where no live secret of the company signed the request, or there is no such company. Without
   * `mayLookUp` only secrets that are in memory count.
   */
  authenticate(
    headers: IncomingHttpHeaders,
    body: Buffer,
    now: Date,
    options?: { mayLookUp: boolean },
  ): Promise<Sender | null>;
  /** As whom what is sent to a company with signatures of others is counted: as its webhook. */
  countedAs(companyId: number): Promise<KeyHolder>;
  /** Stores the body's events. Throws validation_failed where none of them is acceptable. */
  receive(caller: Caller, sender: Sender, body: Record<string, unknown>): Promise<Received>;
}

export interface WebhookDeps {
  db: Db;
  versions: CompanyVersions;
  masterKey: MasterKey;
  events: EventsService;
}

export function createWebhookService({ db, versions, masterKey, events }: WebhookDeps): WebhookService {
  /** Every secret that ever expires later than now is kept; `check` looks at the time. */
  const receivers = createCompanyCache(db, versions, (source, companyId) =>
    loadReceiver(source, companyId, masterKey, new Date(0)),
  );
  /** When it was noted last for a company, as far as this process knows. */
  const noted = new Map<number, number>();

  async function note(companyId: number, now: Date): Promise<void> {
    const at = now.getTime();
    const last = noted.get(companyId);
    if (last !== undefined && Math.abs(at - last) < NOTED_EVERY_MS) return;
    noted.set(companyId, at);
    try {
      await noteBodyOnly(db, companyId, { now, before: new Date(at - NOTED_EVERY_MS) });
    } catch (error) {
      noted.delete(companyId);
      throw error;
    }
  }

  /** For companies that do not exist, so that the same is calculated for them. */
  const nobody: Receiver = { secrets: [{ secret: newWebhookSecret(), expiresAt: null }], settings: DEFAULTS };

  function check(request: SignedRequest, receiver: Receiver, now: Date): Verified | null {
    const live = receiver.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
    const known = live.length > 0 ? live : nobody.secrets;
    const verified = verifySignature(
      request,
      known.map(({ secret }) => secret),
      { now, requireTimestamp: receiver.settings.require_timestamp },
    );
    return live.length > 0 ? verified : null;
  }

  /** The receiver under which the request is good. What is kept may be a second old: a refusal asks the database. */
  async function verify(
    companyId: number,
    request: SignedRequest,
    now: Date,
    mayLookUp: boolean,
  ): Promise<[Verified, Receiver] | null> {
    const kept = receivers.peek(companyId) ?? nobody;
    const quick = check(request, kept, now);
    if (quick !== null && kept !== nobody) return [quick, kept];
    if (!mayLookUp) return null;
    const fresh = await loadReceiver(db.strangers, companyId, masterKey, now);
    const verified = check(request, fresh, now);
    if (verified === null) return null;
    await receivers.get(companyId);
    return [verified, fresh];
  }

  return {
    async authenticate(headers, body, now, { mayLookUp } = { mayLookUp: true }) {
      const companyId = companyIdOf(headers);
      const sender = await verify(companyId, signedRequest(headers, body), now, mayLookUp);
      if (sender === null) return null;
      const [verified, { settings }] = sender;
      if (!verified.stamped) await note(companyId, now);
      return { companyId, messageId: verified.id, holder: holderOf(companyId, settings.requests_per_hour) };
    },
    async countedAs(companyId) {
      return holderOf(companyId, (await receivers.get(companyId)).settings.requests_per_hour);
    },
    async receive(caller, sender, body) {
      const values = eventsOf(body);
      if (sender.messageId !== null) {
        values.forEach((value, i) => {
          nameEvent(value, values.length === 1 ? sender.messageId! : `${sender.messageId}:${i}`);
        });
      }
      return events.trackMany(caller, values, 'webhook', summaryOf);
    },
  };
}

/** Sets what is given and shows all. Throws not_found for an unknown company. */
export async function changeWebhookSettings(
  db: Db,
  companyId: number,
  settings: Partial<WebhookSettings>,
  deed: { now: Date; actor: string },
): Promise<WebhookSettings> {
  return db.tx(async (tx) => {
    const merged = found(await mergeWebhookSettings(tx, companyId, settings), `company ${companyId}`);
    if (Object.keys(settings).length > 0) {
      const { now: at, actor } = deed;
      const target = `company:${companyId}`;
      await recordAuditEntry(tx, companyId, { at, actor, action: 'webhook.update', target, details: settings });
    }
    return { ...DEFAULTS, ...merged };
  });
}

async function loadReceiver(db: Queryable, companyId: number, masterKey: MasterKey, now: Date): Promise<Receiver> {
  const [secrets, company] = await Promise.all([
    liveWebhookSecrets(db, companyId, masterKey, now),
    findCompany(db, companyId),
  ]);
  return { secrets, settings: { ...DEFAULTS, ...(company?.settings.webhook as Partial<WebhookSettings> | undefined) } };
}

/** 0, which no company is, for a header that names none. */
function companyIdOf(headers: IncomingHttpHeaders): number {
  const text = headers['x-company-id'];
  const id = typeof text === 'string' && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(id) ? id : 0;
}

function signedRequest(headers: IncomingHttpHeaders, body: Buffer): SignedRequest {
  const text = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    body,
    signature: text('x-webhook-signature'),
    standard: {
      id: text('webhook-id'),
      timestamp: text('webhook-timestamp'),
      signature: text('webhook-signature'),
    },
  };
}

/** Usage is kept by company and key; ids of keys are positive, so this one is free. */
function holderOf(companyId: number, requestsPerHour: number): KeyHolder {
  return {
    companyId,
    keyId: -companyId,
    name: 'webhook',
    actor: 'webhook',
    scopes: new Set(),
    requestsPerHour,
    expiresAt: null,
    revokedAt: null,
  };
}

/** One event, or the events of a list. */
function eventsOf(body: Record<string, unknown>): unknown[] {
  const { events } = body;
  if (body.event_type !== undefined || events === undefined) return [body];
  if (Array.isArray(events) && events.length >= 1 && events.length <= MAX_BATCH) return events;
  const message = `events must be an array of 1 to ${MAX_BATCH} events`;
  throw validationFailed([{ field: 'events', code: 'invalid', message }]);
}

function nameEvent(value: unknown, id: string): void {
  if (typeof value !== 'object' || value === null) return;
  const event = value as Record<string, unknown>;
  event.event_id ??= id;
}

function summaryOf({ accepted, duplicates, rejected }: BatchOutcome): Received {
  if (accepted + duplicates > 0) return { received: true, accepted, duplicates, rejected };
  throw new AppError('validation_failed', rejected.map((one) => one.message).join('; '), {
    fields: rejected.map(({ index, message }) => ({ field: `events.${index}`, code: 'invalid', message })),
  });
}
