import { createSecretKey, type KeyObject } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { type CompanyCache, createCompanyCache } from '../access/company-cache.ts';
import type { CompanyVersions } from '../access/company-versions.ts';
import type { MasterKey } from '../access/master-key.ts';
import { type Clock, monotonicMs } from '../clock.ts';
import { issueCoupons } from '../commerce/promotions/coupons/service.ts';
import type { Config } from '../config.ts';
import type { Db, Tx } from '../db/pool.ts';
import { loadContacts } from '../marketing/contacts/service.ts';
import { createHostGuard, type HostGuard } from '../outbox/host-guard.ts';
import { createProbe } from '../outbox/probe.ts';
import type { SafeFetch } from '../outbox/safe-fetch.ts';
import type { Worker } from '../work/worker.ts';
import { type AddressChecks, createAddressChecks } from './address-checks/service.ts';
import { createBulkRenderer } from './compose/bulk/bulk-renderer.ts';
import { type Composer, createComposer } from './compose/composer.ts';
import { createContentCompiler } from './compose/content/content-compiler.ts';
import { createSourceLoader } from './compose/content/content-loader.ts';
import { createRenderer, type Renderer } from './compose/liquid/renderer.ts';
import { createPreviewer, type Previewer } from './compose/preview.ts';
import { createLinkTracker } from './compose/tracked-links.ts';
import { DATA_LOADERS } from './data-loaders.ts';
import { type ActivityLog, createActivityLog } from './feedback/activity.ts';
import { type BounceProviders, createBounceProviders } from './feedback/bounce-providers.ts';
import { type MissingSetting, missingOf, missingSettings } from './gate/missing-settings.ts';
import type { Channel, QueuedMessage } from './ledger/message.ts';
import { findRecipient, insertMessages } from './ledger/queries.ts';
import { createSenderWorker } from './send/sender.ts';
import { createMailbox } from './send/transports/mailbox-store.ts';
import { createMissingTransport } from './send/transports/missing.ts';
import type { LedgerKey, Transport } from './send/transports/port.ts';
import { createSmsTransport } from './send/transports/sms.ts';
import { smsToken } from './send/transports/sms-url.ts';
import { createSmtpTransport } from './send/transports/smtp.ts';
import { createResolve } from './sending-accounts/resolve.ts';
import { createSmsTokens } from './sending-accounts/sms-tokens.ts';
import { createAccountTransport } from './sending-accounts/transports.ts';
import { createDns, type Dns } from './sending-domains/dns.ts';
import { createHostProbe, type HostProbe } from './sending-domains/tracking-host/ready.ts';
import { createTrackingHosts, type TrackingHosts } from './sending-domains/tracking-host/registry.ts';
import { createLinkBase, publicHostOf } from './sending-domains/tracking-host/rules.ts';
import { loadSendingCompany, type SendingCompany } from './settings/settings.ts';
import { createSuppressions, type Suppressions } from './suppressions/suppressions.ts';

export { purgeOldNotifications } from './feedback/bounces.ts';
export type { QueuedMessage } from './ledger/message.ts';
export { removeMessages } from './ledger/removal-queries.ts';

export interface MessagingDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  config: Pick<
    Config,
    | 'mode'
    | 'mailbox'
    | 'smtpUrl'
    | 'smsUrl'
    | 'publicUrl'
    | 'spfInclude'
    | 'dnsServers'
    | 'domainLimits'
    | 'allowPrivateWebhooks'
  >;
  versions: CompanyVersions;
  masterKey: MasterKey;
  safeFetch: SafeFetch;
  /** The address under which the public pages are reached, without a slash at the end. */
  origin: () => string;
}

/** What sending keeps in a process: threads that render, connections to providers, settings. */
export interface Messaging {
  companies: CompanyCache<SendingCompany>;
  composer: Composer;
  /** Liquid under limits, for others who have templates. */
  renderer: Renderer;
  previewer: Previewer;
  /** Calls links and pictures, for people. */
  addressChecks: AddressChecks;
  transports: Record<Channel, Transport>;
  /** Settings without which messages are held of companies that have no account of their own. */
  missing: readonly MissingSetting[];
  /** What is missing for a company. */
  missingFor(companyId: number): Promise<readonly MissingSetting[]>;
  /** Keeps connections to servers that companies name on the public internet. */
  guard: HostGuard;
  activity: ActivityLog;
  bounceProviders: BounceProviders;
  /** Look-ups of the records of sending domains. */
  dns: Dns;
  /** The name of the mail server's SPF record; null where nobody told. */
  spfInclude: string | null;
  /** The name of the installation that tracking hosts lead to; null where there is none. */
  publicHost: string | null;
  trackingHosts: TrackingHosts;
  /** Whether https leads here from a tracking host. */
  probeHost: HostProbe;
  /** Of the tokens of public links and of the hashes of suppressed addresses. */
  tokenKey: KeyObject;
  suppressions: Suppressions;
  /** By which the SMS provider signs what it sends; null: nothing is taken from it. */
  smsToken: string | null;
  /**
   * By which the SMS accounts of a company sign; none for a company that there is not. Without `mayAsk` only what is in memory
   * counts.
   */
  smsTokensOf(companyId: number, mayAsk: boolean): Promise<readonly string[]>;
  /** A secret as it may be stored: ciphertext in base64. */
  sealSecret(secret: string): string;
  /** After a change of settings: this process sees it from now on, the others within a second. */
  refreshSettings(): Promise<void>;
  /** A worker that sends what is due. */
  createWorker(): Worker;
  /** Ends threads and connections; call it when the workers have stopped. */
  close(): Promise<void>;
}

/** Threads for what people wait for; one company holds one of them. */
const RENDER_THREADS = 2;
/** Threads that make messages: one processor is left for requests. */
const BULK_RENDER_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

export function createMessaging(deps: MessagingDeps): Messaging {
  const { db, clock, log, config, versions, masterKey, safeFetch, origin } = deps;
  // As a key object: a Buffer would be made into one for every token.
  const tokenKey = createSecretKey(masterKey.tokenKey);
  const renderer = createRenderer({ workers: RENDER_THREADS });
  const compiler = createContentCompiler();
  const links = createLinkTracker({ db: db.chores, tokenKey });
  const sources = createSourceLoader();
  const bulkRenderer = createBulkRenderer({ threads: BULK_RENDER_THREADS });
  const companies = createCompanyCache(db, versions, (lane, companyId) =>
    loadSendingCompany(lane, companyId, { domainLimits: config.domainLimits }),
  );
  const publicHost = publicHostOf(config.publicUrl);
  const data = DATA_LOADERS;
  const composer = createComposer({
    db: db.chores,
    log,
    compiler,
    sources,
    links,
    bulkRenderer,
    // The mailbox keeps contents; SMTP takes bytes.
    form: config.smtpUrl === null ? 'content' : 'bytes',
    loadContacts,
    issueCoupons,
    data,
    masterKey,
    tokenKey,
    linkBase: createLinkBase(origin, publicHost),
  });
  // A provider cannot reach this machine's own loopback address, and refuses messages that name one.
  const receiptUrl = ({ companyId, messageId }: LedgerKey): string | null =>
    config.publicUrl === null ? null : `${origin()}/marketing/sms/status/twilio?message=${companyId}-${messageId}`;
  const transports: Record<Channel, Transport> = {
    email: config.smtpUrl === null ? standIn('email', 'SMTP_URL') : createSmtpTransport({ url: config.smtpUrl }),
    sms: config.smsUrl === null ? standIn('sms', 'SMS_URL') : createSmsTransport({ url: config.smsUrl, receiptUrl }),
  };
  const missing = missingSettings(config);
  const { allowPrivateWebhooks: allowPrivate } = config;
  const guard = createHostGuard({
    allowPrivate,
    // In private networks names may stand in files of the machine.
    ...(allowPrivate ? {} : { resolve: createResolve(config.dnsServers) }),
  });
  const probe = createProbe(guard);

  function standIn(channel: Channel, setting: string): Transport {
    return config.mailbox ? createMailbox(db, clock, channel) : createMissingTransport(channel, setting);
  }

  return {
    companies,
    composer,
    renderer,
    previewer: createPreviewer({
      ...{ db, clock, companies, renderer, compiler, loadContacts, data },
      leaves: config.smtpUrl !== null,
    }),
    addressChecks: createAddressChecks({
      probe: probe.probe,
      ownHosts: async (companyId) => {
        const { trackingHosts } = await companies.get(companyId);
        return [new URL(origin()).host, ...trackingHosts.map(({ host }) => host)];
      },
      anyPort: allowPrivate,
      now: monotonicMs,
    }),
    transports,
    missing,
    missingFor: async (companyId) =>
      missing.length === 0 ? missing : missingOf(missing, await companies.get(companyId)),
    guard,
    activity: createActivityLog({ db, clock, companies }),
    bounceProviders: createBounceProviders({ companies, masterKey, safeFetch }),
    dns: createDns({ servers: config.dnsServers }),
    spfInclude: config.spfInclude,
    publicHost,
    trackingHosts: createTrackingHosts(db, versions, log),
    probeHost: createHostProbe({ safeFetch, tokenKey }),
    tokenKey,
    suppressions: createSuppressions(tokenKey),
    smsToken: smsToken(config.smsUrl),
    smsTokensOf: createSmsTokens(companies, masterKey),
    sealSecret: (secret) => masterKey.seal(secret).toString('base64'),
    refreshSettings: () => versions.refresh().catch(() => {}),
    createWorker: () =>
      createSenderWorker({
        ...{ db: db.chores, clock, log, companies, composer, transports, missing, origin, tokenKey },
        transportOf: (companyId, account) =>
          createAccountTransport(companyId, account, { masterKey, guard, receiptUrl }),
      }),
    async close() {
      await Promise.all([transports.email.close(), transports.sms.close()]);
      await Promise.all([renderer.close(), compiler.close(), bulkRenderer.close(), probe.close()]);
    },
  };
}

/**
 * Writes messages into the ledger, in the transaction that causes them; the sender takes them from there when they are
 * due. One whose key is there already is left out. Gives how many were written.
 */
export async function queueMessages(tx: Tx, companyId: number, messages: QueuedMessage[], now: Date): Promise<number> {
  if (messages.length === 0) return 0;
  return (await insertMessages(tx, companyId, messages, now)).length;
}

/** The address that the message of the key was handed over to; null before that, and where it is not stored any more. */
export function recipientOf(tx: Tx, companyId: number, idemKey: string): Promise<string | null> {
  return findRecipient(tx, companyId, idemKey);
}

/** The suppressions alone, for commands that send nothing. */
export function suppressionsOf(masterKey: MasterKey): Suppressions {
  return createSuppressions(createSecretKey(masterKey.tokenKey));
}
