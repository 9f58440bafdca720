import { isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';

/** Every setting of the program. Read once, from the environment and the flags of the command line; flags win. */
export interface Config {
  /** Address that the server listens on. HOST, --host; 127.0.0.1. */
  host: string;
  /** Port; 0 takes any free one. PORT, --port; 3000. */
  port: number;
  /** Folder of the embedded database, the master key and the logs. TRADELOOM_DATA_DIR, --data-dir; ./data. */
  dataDir: string;
  /** PostgreSQL ≥ 15 to use instead of the embedded one. DATABASE_URL. */
  databaseUrl: string | null;
  /** SMTP server for e-mail; without one the mailbox keeps them, or they are held. SMTP_URL. */
  smtpUrl: string | null;
  /** Twilio-shaped HTTP provider for SMS; without one the mailbox keeps them, or they are held. SMS_URL. */
  smsUrl: string | null;
  /** Whether the built-in mailbox stands in for providers. In development; in production by TRADELOOM_MAILBOX=1. */
  mailbox: boolean;
  /** `production` refuses the test clock and weak settings, and calls nothing sent that stays here. TRADELOOM_MODE. */
  mode: 'development' | 'production';
  /** trace, debug, info, warn, error, fatal or silent. LOG_LEVEL; warn on a terminal in development, else info. */
  logLevel: string;
  /** What this process does: serve requests, work in the background, or both. --role. */
  role: 'api' | 'worker' | 'all';
  /** Lets POST /admin/api/test-clock move time. --test-clock; never in production mode. */
  testClock: boolean;
  /** Addresses of proxies whose X-Forwarded-For is believed, comma-separated. TRADELOOM_TRUSTED_PROXIES. */
  trustedProxies: string[];
  /** 32 bytes in base64 that encrypt secrets at rest; without it, a key file in the data folder. TRADELOOM_MASTER_KEY. */
  masterKey: string | null;
  /** Bearer token for /metrics from elsewhere than loopback. TRADELOOM_METRICS_TOKEN. */
  metricsToken: string | null;
  /** Port of a second listener that has /metrics and nothing else; none by default. TRADELOOM_METRICS_PORT. */
  metricsPort: number | null;
  /** Host names under which requests are accepted besides those of publicUrl and this machine. TRADELOOM_HOSTS. */
  hosts: string[];
  /** Lets production start without the barrier between companies in the database. TRADELOOM_WITHOUT_BARRIER=1. */
  withoutBarrier: boolean;
  /** Prints one-time links and secrets even where standard output is no terminal. TRADELOOM_PRINT_SECRETS=1. */
  printSecrets: boolean;
  /** Lets outgoing webhooks go to private and loopback addresses. TRADELOOM_ALLOW_PRIVATE_WEBHOOKS=1. */
  allowPrivateWebhooks: boolean;
  /** File beside the database that erasures are written to; erasures.log in the data folder. TRADELOOM_ERASURE_LOG. */
  erasureLog: string;
  /** Where to report a vulnerability, as /.well-known/security.txt says; mailto:, https: or tel:. TRADELOOM_SECURITY_CONTACT. */
  securityContact: string | null;
  /** Address under which the outside reaches this server (links in e-mails). TRADELOOM_PUBLIC_URL. */
  publicUrl: string | null;
}

/** Flags of `tradeloom start` as the command line gives them. */
export interface Flags {
  host?: string;
  port?: string | number;
  dataDir?: string;
  role?: string;
  testClock?: boolean;
}

const MODES = ['development', 'production'] as const;
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
    databaseUrl: urlOf('DATABASE_URL', text('DATABASE_URL'), ['postgres:', 'postgresql:']),
    smtpUrl: urlOf('SMTP_URL', text('SMTP_URL'), ['smtp:', 'smtps:']),
    smsUrl: urlOf('SMS_URL', text('SMS_URL'), ['http:', 'https:']),
    mailbox: mode === 'development' || text('TRADELOOM_MAILBOX') === '1',
    mode,
    logLevel: oneOf('LOG_LEVEL', text('LOG_LEVEL') ?? (mode === 'production' ? 'info' : 'warn'), LEVELS),
    role: oneOf('--role', flags.role ?? 'all', ROLES),
    testClock,
    trustedProxies: listOf(text('TRADELOOM_TRUSTED_PROXIES')),
    masterKey: text('TRADELOOM_MASTER_KEY'),
    metricsToken: text('TRADELOOM_METRICS_TOKEN'),
    metricsPort: optionalPort('TRADELOOM_METRICS_PORT', text('TRADELOOM_METRICS_PORT')),
    hosts: listOf(text('TRADELOOM_HOSTS')).map(publicHost),
    withoutBarrier: text('TRADELOOM_WITHOUT_BARRIER') === '1',
    printSecrets: text('TRADELOOM_PRINT_SECRETS') === '1',
    allowPrivateWebhooks: text('TRADELOOM_ALLOW_PRIVATE_WEBHOOKS') === '1',
    securityContact: contactOf(text('TRADELOOM_SECURITY_CONTACT')),
    publicUrl: urlOf('TRADELOOM_PUBLIC_URL', text('TRADELOOM_PUBLIC_URL'), ['http:', 'https:']),
  });
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  if (!(allowed as readonly string[]).includes(value)) {
    throw new Error(`${name} is ${JSON.stringify(value)}; it takes ${allowed.join(', ')}`);
  }
  return value as T;
}

/** An IP address or a name: what stands in an address of the web. */
function hostOf(value: string): string {
  const name = /^[A-Za-z0-9._-]*$/.test(value) ? value : '';
  if (!URL.canParse(`http://${isIPv6(value) ? `[${value}]` : name}:80`)) {
    throw new Error(`HOST is ${value || 'empty'}; it takes an IP address or a name`);
  }
  return value;
}

function portOf(value: string | number, name = 'PORT'): number {
  const port = /^\d+$/.test(String(value)) ? Number(value) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`${name} is ${value || 'empty'}; it takes 0 to 65535`);
  return port;
}

function optionalPort(name: string, value: string | null): number | null {
  return value === null ? null : portOf(value, name);
}

function listOf(value: string | null): string[] {
  return (value ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

/** A name without port, as it stands in the Host header; `*.` in front stands for one or more labels. */
function publicHost(value: string): string {
  const name = value.toLowerCase();
  if (!isIPv6(name) && !/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name)) {
    throw new Error(`TRADELOOM_HOSTS names ${JSON.stringify(value)}; it takes host names without scheme and port`);
  }
  return name;
}

/** One line that RFC 9116 takes as a Contact: an address with its scheme, web pages by https only. */
function contactOf(value: string | null): string | null {
  if (value === null) return null;
  const forms = /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[\d.()-]+)$/;
  if (!forms.test(value) || !URL.canParse(value)) {
    throw new Error('TRADELOOM_SECURITY_CONTACT must be an address that starts with mailto:, https:// or tel:');
  }
  return value;
}

function urlOf(name: string, value: string | null, protocols: string[]): string | null {
  if (value === null) return null;
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    throw new Error(`${name} must be an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`);
  }
  return value;
}
