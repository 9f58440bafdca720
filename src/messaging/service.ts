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
import { createHostGuard, type HostGuard } from '../net/host-guard.ts';
import { createProbe } from '../net/probe.ts';
import type { SafeFetch } from '../net/safe-fetch.ts';
import type { Worker } from '../work/worker.ts';
import { type AddressChecks, createAddressChecks } from './address-checks/service.ts';
import { type Composer, createComposer } from './compose/composer.ts';
import { createContentLoader } from './compose/content.ts';
import type { LoaderDeps } from './compose/load.ts';
import { createContentCompiler } from './compose/mjml/compiler.ts';
import { createPreviewer, type Previewer } from './compose/preview.ts';
import { createRenderer, type Renderer } from './compose/renderer.ts';
import type { DataLoaders } from './compose/values.ts';
import { type ActivityLog, createActivityLog } from './feedback/activity.ts';
import { type BounceProviders, createBounceProviders } from './feedback/bounce-providers.ts';
import type { DeliveryConsequences } from './ledger/deliveries.ts';
import { HandOverMemory } from './ledger/failover.ts';
import type { Channel, QueuedMessage } from './ledger/message.ts';
import { findRecipient, insertMessages } from './ledger/queries.ts';
import { type MissingSetting, missingOf, missingSettings, needsSender } from './send/missing-settings.ts';
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
export { holdIfMoved } from './ledger/failover.ts';
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
  /** Base URL of the public pages, without a trailing slash. */
  origin: () => string;
  /** Loads contacts as templates show them. */
  loadContacts: LoaderDeps['loadContacts'];
  /** Loads the other variables of templates, by name. */
  data: DataLoaders;
  /** What other folders do about deliveries. */
  consequences: DeliveryConsequences;
}

/** The parts of sending that live in a process: rendering threads, connections to providers, settings. */
export interface Messaging {
  companies: CompanyCache<SendingCompany>;
  composer: Composer;
  /** Renders Liquid within limits, also for other modules that have templates. */
  renderer: Renderer;
  previewer: Previewer;
  /** Checks links and pictures on request. */
  addressChecks: AddressChecks;
  transports: Record<Channel, Transport>;
  /** Missing settings for which messages are held of companies without an account of their own. */
  missing: readonly MissingSetting[];
  /** Returns what is missing for a company. */
  missingFor(companyId: number): Promise<readonly MissingSetting[]>;
  /** Restricts connections to servers named by companies to the public internet. */
  guard: HostGuard;
  activity: ActivityLog;
  bounceProviders: BounceProviders;
  /** Resolves the records of sending domains. */
  dns: Dns;
  /** The name of the mail server's SPF record; null if not configured. */
  spfInclude: string | null;
  /** The name of the installation that tracking hosts point to; null if there is none. */
  publicHost: string | null;
  trackingHosts: TrackingHosts;
  /** Checks whether HTTPS to a tracking host arrives here. */
  probeHost: HostProbe;
  /** Key for the tokens of public links and the hashes of suppressed addresses. */
  tokenKey: KeyObject;
  suppressions: Suppressions;
  /** What this process's sender has handed over lately. */
  handOvers: HandOverMemory;
  /** Token with which the SMS provider signs its requests; null: none of its requests are accepted. */
  smsToken: string | null;
  /** Returns the tokens with which a company's SMS accounts sign; none for an unknown company. Without `mayAsk` only memory is used. */
  smsTokensOf(companyId: number, mayAsk: boolean): Promise<readonly string[]>;
  /** A secret as it may be stored: ciphertext in base64. */
  sealSecret(secret: string): string;
  /** Call after a change of settings: this process sees it from now on, others within a second. */
  refreshSettings(): Promise<void>;
  /** Creates a worker that sends due messages. */
  createWorker(): Worker;
  /** Ends threads and connections; call it when the workers have stopped. */
  close(): Promise<void>;
}

/** Threads for interactive work; one company uses at most one of them. */
const TEXT_THREADS = 2;
/** Threads that compose messages: one processor is left for requests. */
const MESSAGE_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

export function createMessaging(deps: MessagingDeps): Messaging {
  const { db, clock, log, config, versions, masterKey, safeFetch, origin, loadContacts, data } = deps;
  // As a KeyObject: a Buffer would be converted for every token.
  const tokenKey = createSecretKey(masterKey.tokenKey);
  const renderer = createRenderer({ textThreads: TEXT_THREADS, messageThreads: MESSAGE_THREADS });
  const compiler = createContentCompiler();
  const companies = createCompanyCache(db, versions, (lane, companyId) =>
    loadSendingCompany(lane, companyId, { domainLimits: config.domainLimits }),
  );
  const publicHost = publicHostOf(config.publicUrl);
  const composer = createComposer({
    db: db.chores,
    log,
    compiler,
    renderer,
    contents: createContentLoader(),
    // The mailbox stores contents; SMTP takes bytes.
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
  const mailboxes: Record<Channel, Transport> = {
    email: createMailbox(db, clock, 'email'),
    sms: createMailbox(db, clock, 'sms'),
  };
  const transports: Record<Channel, Transport> = {
    email: config.smtpUrl === null ? standIn('email', 'SMTP_URL') : createSmtpTransport({ url: config.smtpUrl }),
    sms: config.smsUrl === null ? standIn('sms', 'SMS_URL') : createSmsTransport({ url: config.smsUrl, receiptUrl }),
  };
  const missing = missingSettings(config);
  const handOvers = new HandOverMemory();
  const { allowPrivateWebhooks: allowPrivate } = config;
  const guard = createHostGuard({
    allowPrivate,
    // In private networks, names may come from the machine's hosts file.
    ...(allowPrivate ? {} : { resolve: createResolve(config.dnsServers) }),
  });
  const probe = createProbe(guard);

  function standIn(channel: Channel, setting: string): Transport {
    return config.mailbox ? mailboxes[channel] : createMissingTransport(channel, setting);
  }

  return {
    companies,
    composer,
    renderer,
    previewer: createPreviewer({
      db,
      clock,
      companies,
      renderer,
      compiler,
      loadContacts,
      data,
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
    handOvers,
    smsToken: smsToken(config.smsUrl),
    smsTokensOf: createSmsTokens(companies, masterKey),
    sealSecret: (secret) => masterKey.seal(secret).toString('base64'),
    refreshSettings: () => versions.refresh().catch(() => {}),
    createWorker: () =>
      createSenderWorker({
        db: db.chores,
        clock,
        log,
        companies,
        composer,
        transports,
        mailboxes,
        missing,
        needsSender: needsSender(config),
        origin,
        tokenKey,
        handOvers,
        consequences: deps.consequences,
        transportOf: (companyId, account) =>
          createAccountTransport(companyId, account, { masterKey, guard, receiptUrl }),
      }),
    async close() {
      await Promise.all([transports.email.close(), transports.sms.close()]);
      await Promise.all([renderer.close(), compiler.close(), probe.close()]);
    },
  };
}

/**
 * Writes messages into the ledger, in the transaction that causes them; the sender takes them when they are due. A message whose key
 * already exists is skipped. Returns how many were written.
 */
export async function queueMessages(tx: Tx, companyId: number, messages: QueuedMessage[], now: Date): Promise<number> {
  if (messages.length === 0) return 0;
  return (await insertMessages(tx, companyId, messages, now)).length;
}

/** Returns the address that the message with the key was handed over to; null before that, and if it is no longer stored. */
export function recipientOf(tx: Tx, companyId: number, idemKey: string): Promise<string | null> {
  return findRecipient(tx, companyId, idemKey);
}

/** Only the suppressions, for commands that send nothing. */
export function suppressionsOf(masterKey: MasterKey): Suppressions {
  return createSuppressions(createSecretKey(masterKey.tokenKey));
}
