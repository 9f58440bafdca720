import type { Channel } from '../ledger/message.ts';

/** An account at a mail or SMS service that a company sends through. */

export const PROVIDERS = ['smtp', 'ses', 'sendgrid', 'postmark', 'mailgun', 'twilio'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** The settings of each provider that are not secret. */
export interface ProviderSettings {
  smtp: { host: string; port: number; username: string; security: 'tls' | 'starttls' | 'none' };
  ses: { region: string; access_key: string; configuration_set: string | null; api_url: string | null };
  sendgrid: { region: 'global' | 'eu'; api_url: string | null };
  postmark: { message_stream: string; api_url: string | null };
  mailgun: { domain: string; region: 'us' | 'eu'; api_url: string | null };
  twilio: { account_sid: string; api_url: string | null };
}

/** As stored: the secret is sealed with the master key. */
export type SealedAccount = {
  [P in Provider]: {
    id: number;
    provider: P;
    settings: ProviderSettings[P];
    sealed_secret: string;
    /** Messages per second; null: unlimited. */
    rate: number | null;
    connections: number | null;
    active: boolean;
    revision: number;
  };
}[Provider];

export const CHANNEL_OF: Record<Provider, Channel> = {
  smtp: 'email',
  ses: 'email',
  sendgrid: 'email',
  postmark: 'email',
  mailgun: 'email',
  twilio: 'sms',
};

/** What a transport receives: MIME as bytes, the content, or the content with a text part generated from the HTML. */
export type EmailForm = 'bytes' | 'content' | 'parts';

interface WithAccounts {
  accounts: readonly SealedAccount[];
}

/** Returns the account for the company's messages of a channel; null for the installation's transport. */
export function activeAccount({ accounts }: WithAccounts, channel: Channel): SealedAccount | null {
  if (accounts.length === 0) return null;
  return accounts.find((one) => one.active && CHANNEL_OF[one.provider] === channel) ?? null;
}

const FORMS: Record<Provider, EmailForm> = {
  smtp: 'bytes',
  ses: 'bytes',
  mailgun: 'bytes',
  sendgrid: 'parts',
  postmark: 'parts',
  twilio: 'content',
};

/** Returns the form of the company's e-mails: what the mailbox or its account takes, or else what the installation takes. */
export function emailFormOf(company: WithAccounts & { isDemo: boolean }, installation: EmailForm): EmailForm {
  if (company.isDemo) return 'content';
  const account = activeAccount(company, 'email');
  return account === null ? installation : FORMS[account.provider];
}

/** Amazon SES replaces Message-ID and date, which would break our signature, so it signs mails itself. */
export function isSignedHere(company: WithAccounts): boolean {
  return activeAccount(company, 'email')?.provider !== 'ses';
}
