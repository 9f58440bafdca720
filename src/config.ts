import { join, resolve } from 'node:path';
import type { ProviderUrls } from './commerce/payments/providers/load.ts';
import {
  contactOf,
  dnsServerOf,
  domainLimitsOf,
  domainOf,
  hostOf,
  listOf,
  loopbackUrlOf,
  oneOf,
  optionalPort,
  pathOf,
  percentOf,
  portOf,
  proxyOf,
  publicHost,
  urlOf,
  wholeNumberOf,
} from './setting-values.ts';
import { type TracingSettings, tracingOf } from './tracing-settings.ts';

/** Limits from which on a company's marketing e-mail is paused: rates as shares of 1, and the minimum number of e-mails. */
export interface SendingLimits {
  complaint_rate: number;
  bounce_rate: number;
  least_messages: number;
}

/** Every setting of the program. Read once, from the environment and the command line's flags; flags take precedence. */
export interface Config {
  /** Address that the server listens on. HOST, --host; 127.0.0.1. */
  host: string;
  /** Port; 0 takes any free one. PORT, --port; 3000. */
  port: number;
  /** Folder of the embedded database, the master key and the logs. TRADELOOM_DATA_DIR, --data-dir; ./data. */
  dataDir: string;
  /** PostgreSQL ≥ 15 to use instead of the embedded one. DATABASE_URL. */
  databaseUrl: string | null;
  /** How statements are sent: `plain` by the queries of the library pg, if a proxy or its version does not support our own. DATABASE_WIRE. */
  databaseWire: 'pipelined' | 'plain';
  /** SMTP server for e-mail; without one, the mailbox keeps e-mails, or they are held. SMTP_URL. */
  smtpUrl: string | null;
  /** Twilio-compatible HTTP provider for SMS; without one, the mailbox keeps SMS, or they are held. SMS_URL. */
  smsUrl: string | null;
  /** Whether the built-in mailbox replaces missing providers. On in development; in production with TRADELOOM_MAILBOX=1. */
  mailbox: boolean;
  /** `production` refuses the test clock and weak settings, and does not report as sent what the mailbox keeps. TRADELOOM_MODE. */
  mode: 'development' | 'production';
  /** trace, debug, info, warn, error, fatal or silent. LOG_LEVEL; warn on a terminal in development, else info. */
  logLevel: string;
  /** What this process does: serve requests, work in the background, or both. --role. */
  role: 'api' | 'worker' | 'all';
  /** Lets POST /admin/api/test-clock advance the clock. --test-clock; never in production mode. */
  testClock: boolean;
  /** Addresses and networks of proxies whose X-Forwarded-For is trusted, comma-separated. TRADELOOM_TRUSTED_PROXIES. */
  trustedProxies: string[];
  /** 32 bytes in base64 that encrypt secrets at rest; without it, a key file in the data folder. TRADELOOM_MASTER_KEY. */
  masterKey: string | null;
  /** Bearer token for /metrics from addresses other than loopback. TRADELOOM_METRICS_TOKEN. */
  metricsToken: string | null;
  /** Port of a second listener that serves only /metrics; none by default. TRADELOOM_METRICS_PORT. */
  metricsPort: number | null;
  /** Host names under which requests are accepted, in addition to those of publicUrl and this machine. TRADELOOM_HOSTS. */
  hosts: string[];
  /** Lets production start without the barrier between companies in the database. TRADELOOM_WITHOUT_BARRIER=1. */
  withoutBarrier: boolean;
  /** Lets the program start with a master key that opens no stored secret, where the right one is lost. TRADELOOM_WITHOUT_SECRETS=1. */
  withoutSecrets: boolean;
  /** Prints one-time links and secrets even where standard output is not a terminal. TRADELOOM_PRINT_SECRETS=1. */
  printSecrets: boolean;
  /** Lets outgoing webhooks and companies' sending accounts go to private and loopback addresses. TRADELOOM_ALLOW_PRIVATE_WEBHOOKS=1. */
  allowPrivateWebhooks: boolean;
  /** Folder for WAL of the embedded database, for point-in-time recovery. TRADELOOM_WAL_ARCHIVE. */
  walArchive: string | null;
  /** File outside of the database that erasures are written to; erasures.log in the data folder. TRADELOOM_ERASURE_LOG. */
  erasureLog: string;
  /** Where to report a vulnerability, for /.well-known/security.txt; mailto:, https: or tel:. TRADELOOM_SECURITY_CONTACT. */
  securityContact: string | null;
  /** S3-compatible bucket for pictures; without one they are stored in the database. TRADELOOM_BUCKET_URL. */
  bucket: BucketSettings | null;
  /** MiB that the pictures of one company may take. TRADELOOM_PICTURES_MB; 5000. */
  pictureQuotaMb: number;
  /** Name of the mail server's SPF record, for the DNS records of sending domains; null if unknown. TRADELOOM_SPF_INCLUDE. */
  spfInclude: string | null;
  /**
   * Rates of complaints and hard bounces from which on a company's marketing e-mail is paused, and the minimum number
   * of e-mails. TRADELOOM_COMPLAINT_LIMIT and TRADELOOM_BOUNCE_LIMIT in percent, TRADELOOM_LIMITS_FROM; 0.3, 5, 1000.
   */
  sendingLimits: SendingLimits;
  /** Marketing e-mails per hour of each company by the recipients' domain: gmail.com=2000,yahoo.com=1000. TRADELOOM_DOMAIN_LIMITS. */
  domainLimits: Readonly<Record<string, number>>;
  /** DNS servers for look-ups of sending domains' records and sending accounts' hosts; empty: the machine's own. TRADELOOM_DNS_SERVERS. */
  dnsServers: string[];
  /** Stand-ins for payment services on this machine, for tests; null: the service itself. TRADELOOM_STRIPE_URL, TRADELOOM_MOLLIE_URL. */
  paymentUrls: ProviderUrls;
  /** Public address of this server (links in e-mails). TRADELOOM_PUBLIC_URL. */
  publicUrl: string | null;
  /** Where traces of requests are sent; null for nowhere. OTEL_EXPORTER_OTLP_ENDPOINT and further settings of OpenTelemetry. */
  tracing: TracingSettings | null;
}

/** A bucket, by its address with the bucket as path, such as https://s3.eu-central-1.amazonaws.com/my-bucket. */
export interface BucketSettings {
  url: string;
  /** TRADELOOM_BUCKET_REGION; us-east-1, auto for some providers. */
  region: string;
  /** TRADELOOM_BUCKET_KEY_ID. */
  keyId: string;
  /** TRADELOOM_BUCKET_SECRET. */
  secret: string;
}

/** Flags of `tradeloom start` as they are on the command line. */
export interface Flags {
  host?: string;
  port?: string | number;
  dataDir?: string;
  role?: string;
  testClock?: boolean;
}

const MODES = ['development', 'production'] as const;
const WIRES = ['pipelined', 'plain'] as const;
const ROLES = ['api', 'worker', 'all'] as const;
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export function readConfig(flags: Flags = {}, env: NodeJS.ProcessEnv = process.env): Readonly<Config> {
  const text = (name: string): string | null => env[name]?.trim() || null;
  const mode = oneOf('TRADELOOM_MODE', text('TRADELOOM_MODE') ?? 'development', MODES);
  const testClock = flags.testClock ?? false;
  if (testClock && mode === 'production') throw new Error('--test-clock is refused in production mode');
  const dataDir = resolve(flags.dataDir ?? text('TRADELOOM_DATA_DIR') ?? './data');
  return Object.freeze({
    host: hostOf(flags.host ?? text('HOST') ?? '127.0.0.1'),
    port: portOf(flags.port ?? text('PORT') ?? 3000),
    dataDir,
    erasureLog: resolve(text('TRADELOOM_ERASURE_LOG') ?? join(dataDir, 'erasures.log')),
    walArchive: pathOf(text('TRADELOOM_WAL_ARCHIVE')),
    databaseUrl: urlOf('DATABASE_URL', text('DATABASE_URL'), ['postgres:', 'postgresql:']),
    databaseWire: oneOf('DATABASE_WIRE', text('DATABASE_WIRE') ?? 'pipelined', WIRES),
    smtpUrl: urlOf('SMTP_URL', text('SMTP_URL'), ['smtp:', 'smtps:']),
    smsUrl: urlOf('SMS_URL', text('SMS_URL'), ['http:', 'https:']),
    mailbox: mode === 'development' || text('TRADELOOM_MAILBOX') === '1',
    mode,
    logLevel: oneOf('LOG_LEVEL', text('LOG_LEVEL') ?? (mode === 'production' ? 'info' : 'warn'), LEVELS),
    role: oneOf('--role', flags.role ?? 'all', ROLES),
    testClock,
    trustedProxies: listOf(text('TRADELOOM_TRUSTED_PROXIES')).map(proxyOf),
    masterKey: text('TRADELOOM_MASTER_KEY'),
    metricsToken: text('TRADELOOM_METRICS_TOKEN'),
    metricsPort: optionalPort('TRADELOOM_METRICS_PORT', text('TRADELOOM_METRICS_PORT')),
    hosts: listOf(text('TRADELOOM_HOSTS')).map(publicHost),
    withoutBarrier: text('TRADELOOM_WITHOUT_BARRIER') === '1',
    withoutSecrets: text('TRADELOOM_WITHOUT_SECRETS') === '1',
    printSecrets: text('TRADELOOM_PRINT_SECRETS') === '1',
    allowPrivateWebhooks: text('TRADELOOM_ALLOW_PRIVATE_WEBHOOKS') === '1',
    securityContact: contactOf(text('TRADELOOM_SECURITY_CONTACT')),
    bucket: bucketOf(text),
    pictureQuotaMb: wholeNumberOf('TRADELOOM_PICTURES_MB', text('TRADELOOM_PICTURES_MB') ?? '5000'),
    spfInclude: domainOf('TRADELOOM_SPF_INCLUDE', text('TRADELOOM_SPF_INCLUDE')),
    sendingLimits: {
      complaint_rate: percentOf('TRADELOOM_COMPLAINT_LIMIT', text('TRADELOOM_COMPLAINT_LIMIT') ?? '0.3'),
      bounce_rate: percentOf('TRADELOOM_BOUNCE_LIMIT', text('TRADELOOM_BOUNCE_LIMIT') ?? '5'),
      least_messages: wholeNumberOf('TRADELOOM_LIMITS_FROM', text('TRADELOOM_LIMITS_FROM') ?? '1000'),
    },
    domainLimits: domainLimitsOf('TRADELOOM_DOMAIN_LIMITS', text('TRADELOOM_DOMAIN_LIMITS')),
    dnsServers: listOf(text('TRADELOOM_DNS_SERVERS')).map(dnsServerOf),
    paymentUrls: {
      stripe: loopbackUrlOf('TRADELOOM_STRIPE_URL', text('TRADELOOM_STRIPE_URL')),
      mollie: loopbackUrlOf('TRADELOOM_MOLLIE_URL', text('TRADELOOM_MOLLIE_URL')),
    },
    publicUrl: urlOf('TRADELOOM_PUBLIC_URL', text('TRADELOOM_PUBLIC_URL'), ['http:', 'https:']),
    tracing: tracingOf(text),
  });
}

export const PAYMENT_SECRETS = {
  secretKey: 'TRADELOOM_PAYMENT_SECRET_KEY',
  webhookSecret: 'TRADELOOM_PAYMENT_WEBHOOK_SECRET',
} as const;

/** The secrets of a payment account that a command adds. */
export function readPaymentSecrets(
  env: NodeJS.ProcessEnv = process.env,
): Record<keyof typeof PAYMENT_SECRETS, string | null> {
  const text = (name: string): string | null => env[name]?.trim() || null;
  return { secretKey: text(PAYMENT_SECRETS.secretKey), webhookSecret: text(PAYMENT_SECRETS.webhookSecret) };
}

function bucketOf(text: (name: string) => string | null): BucketSettings | null {
  const url = urlOf('TRADELOOM_BUCKET_URL', text('TRADELOOM_BUCKET_URL'), ['http:', 'https:']);
  if (url === null) return null;
  const keyId = text('TRADELOOM_BUCKET_KEY_ID');
  const secret = text('TRADELOOM_BUCKET_SECRET');
  if (keyId === null || secret === null) {
    throw new Error('TRADELOOM_BUCKET_URL needs TRADELOOM_BUCKET_KEY_ID and TRADELOOM_BUCKET_SECRET');
  }
  return { url, region: text('TRADELOOM_BUCKET_REGION') ?? 'us-east-1', keyId, secret };
}
