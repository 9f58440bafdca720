import { isIPv4 } from 'node:net';
import type { Config } from '../../config.ts';
import type { Channel } from '../ledger/message.ts';
import { activeAccount, type SealedAccount } from '../sending-accounts/accounts.ts';

/** Why messages to people are held; follows `held: ` in their reasons. */
export type HoldCause = 'no_transport' | 'no_public_url';

/** A setting without which messages would be recorded as sent but reach nobody, or contain links that lead nowhere. */
export interface MissingSetting {
  cause: HoldCause;
  /** The channel whose messages are held; null: messages of both channels that contain a link. */
  channel: Channel | null;
  name: 'SMTP_URL' | 'SMS_URL' | 'TRADELOOM_PUBLIC_URL';
  sentence: string;
}

const NO_MAIL_SERVER = {
  cause: 'no_transport',
  channel: 'email',
  name: 'SMTP_URL',
  sentence: 'No mail server is set (SMTP_URL)',
} as const;
const NO_SMS_PROVIDER = {
  cause: 'no_transport',
  channel: 'sms',
  name: 'SMS_URL',
  sentence: 'No SMS provider is set (SMS_URL)',
} as const;
const NO_PUBLIC_URL = {
  cause: 'no_public_url',
  channel: null,
  name: 'TRADELOOM_PUBLIC_URL',
  sentence: 'Links would lead nowhere: TRADELOOM_PUBLIC_URL is missing or names this machine only',
} as const;
/** A setting of the company, not of the installation. E-mails of flows wait for it: nobody may have looked at the flow yet. */
export const NO_SENDER = {
  cause: 'no_sender',
  channel: 'email',
  name: 'from_email',
  sentence: 'The address of the sender is not set (from_email of the sending settings)',
} as const;

/** What held messages wait for. */
export type HeldSetting = MissingSetting | typeof NO_SENDER;

/** All settings that may be missing; held messages have a different due time for each. */
export const SETTINGS: readonly HeldSetting[] = [NO_MAIL_SERVER, NO_SMS_PROVIDER, NO_PUBLIC_URL, NO_SENDER];

type Settings = Pick<Config, 'mode' | 'mailbox' | 'smtpUrl' | 'smsUrl' | 'publicUrl'>;

/** Returns the settings that this process lacks for sending to people. Outside production mode nothing is missing. */
export function missingSettings({ mode, mailbox, smtpUrl, smsUrl, publicUrl }: Settings): MissingSetting[] {
  const missing: MissingSetting[] = [];
  if (smtpUrl === null && !mailbox) missing.push(NO_MAIL_SERVER);
  if (smsUrl === null && !mailbox) missing.push(NO_SMS_PROVIDER);
  if (mode === 'production' && (publicUrl === null || isLoopback(publicUrl))) missing.push(NO_PUBLIC_URL);
  return missing;
}

/** Whether e-mails leave the machine, so that they need a sender of the company's own. */
export function needsSender({ mode, mailbox, smtpUrl }: Settings): boolean {
  return mode === 'production' && (smtpUrl !== null || !mailbox);
}

/** Returns what is missing for a company: with an account of its own it needs no transport of the installation. */
export function missingOf(
  missing: readonly MissingSetting[],
  company: { accounts: readonly SealedAccount[] },
): readonly MissingSetting[] {
  if (missing.length === 0 || company.accounts.length === 0) return missing;
  return missing.filter(({ channel }) => channel === null || activeAccount(company, channel) === null);
}

/** Returns the setting that prevents sending: the transport, or the public URL if the message contains a link. */
export function missingFor(
  missing: readonly MissingSetting[],
  channel: Channel,
  carriesLink: boolean,
): MissingSetting | null {
  return missing.find((one) => (one.channel === null ? carriesLink : one.channel === channel)) ?? null;
}

/** Whether a URL points to the machine that opens it. */
export function isLoopback(url: string): boolean {
  const host = new URL(url).hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  const mapped = /^::ffff:([0-9a-f]{1,4}):[0-9a-f]{1,4}$/.exec(host)?.[1];
  if (mapped !== undefined) return mapped === '0' || Number.parseInt(mapped, 16) >> 8 === 127;
  return host === '::' || host === '::1' || (isIPv4(host) && /^(?:127|0)\./.test(host));
}
