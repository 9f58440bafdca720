import type { IncomingHttpHeaders } from 'node:http';
import type { KeyHolder } from '../../access/authenticator.ts';
import { createCompanyCache } from '../../access/company-cache.ts';
import type { CompanyVersions } from '../../access/company-versions.ts';
import type { MasterKey } from '../../access/master-key.ts';
import { findCompany } from '../../access/service.ts';
import { type LiveSecret, liveWebhookSecrets, newWebhookSecret } from '../../access/webhook-secrets.ts';
import type { Clock } from '../../clock.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { noteBodyOnly } from './queries.ts';
import { DEFAULTS, type WebhookSettings, webhookSettingsOf } from './settings.ts';
import { type SignedRequest, type Verified, verifySignature } from './signature.ts';

/** The minimum time between two records of a company's signatures without a timestamp, in ms. */
const NOTED_EVERY_MS = 3_600_000;

/** The cached data of a company for verifying its webhook requests. */
interface Receiver {
  secrets: LiveSecret[];
  settings: WebhookSettings;
}

/** The sender of a request, proved by its signature. */
export interface Sender {
  companyId: number;
  /** The signed message id; null if there is none. */
  messageId: string | null;
  /** The holder under which the rate limiter counts the company's webhook. */
  holder: KeyHolder;
}

export interface SenderVerification {
  /**
   * Returns the sender; null if no live secret of the company signed the request, or the company does not exist. Without
   * `mayLookUp` only cached secrets are tried.
   */
  authenticate(
    headers: IncomingHttpHeaders,
    body: Buffer,
    now: Date,
    options?: { mayLookUp: boolean },
  ): Promise<Sender | null>;
  /** The holder under which requests with a wrong signature are counted: the company's webhook. */
  countedAs(companyId: number): Promise<KeyHolder>;
}

export interface SenderVerificationDeps {
  db: Db;
  versions: CompanyVersions;
  masterKey: MasterKey;
  /** Senders sign with the time of their machines. */
  machineClock: Clock;
}

export function createSenderVerification({
  db,
  versions,
  masterKey,
  machineClock,
}: SenderVerificationDeps): SenderVerification {
  /** Includes secrets that have expired; `check` compares the time. */
  const receivers = createCompanyCache(db, versions, (source, companyId) =>
    loadReceiver(source, companyId, masterKey, new Date(0)),
  );
  /** For each company, when this process last recorded a signature without a timestamp. */
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

  /** Stands in for unknown companies, so that their requests take the same time. */
  const nobody: Receiver = { secrets: [{ secret: newWebhookSecret(), expiresAt: null }], settings: DEFAULTS };

  function check(request: SignedRequest, receiver: Receiver, now: Date): Verified | null {
    const live = receiver.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
    const known = live.length > 0 ? live : nobody.secrets;
    const verified = verifySignature(
      request,
      known.map(({ secret }) => secret),
      { now: machineClock.now(), requireTimestamp: receiver.settings.require_timestamp },
    );
    return live.length > 0 ? verified : null;
  }

  /** Returns the receiver that accepts the request. The cache may be a second old, so the database is read before a rejection. */
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
  };
}

async function loadReceiver(db: Queryable, companyId: number, masterKey: MasterKey, now: Date): Promise<Receiver> {
  const [secrets, company] = await Promise.all([
    liveWebhookSecrets(db, companyId, masterKey, now),
    findCompany(db, companyId),
  ]);
  return { secrets, settings: webhookSettingsOf(company?.settings) };
}

/** Returns 0, which is no company's id, if the header has no valid id. */
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

/** Usage is stored by company and key id; key ids are positive, so the negative company id is free. */
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
