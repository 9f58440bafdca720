import Type, { type Static } from 'typebox';
import { invalidField } from '../../errors.ts';
import { Trimmed } from '../../lib/schemas.ts';
import { readSendGridKey } from './signatures.ts';
import { topicOf } from './sns.ts';

export const BOUNCE_PROVIDERS = ['ses', 'sendgrid', 'mailgun', 'postmark'] as const;
export type BounceProvider = (typeof BOUNCE_PROVIDERS)[number];

/** How each provider's notifications are verified, as stored: secrets are sealed with the master key. */
export interface BounceSettings {
  bounces_ses: { topic_arn: string } | null;
  /** Base64 of the DER. */
  bounces_sendgrid: { public_key: string } | null;
  /** The webhook signing key. */
  bounces_mailgun: { sealed: string } | null;
  /** `user:password` of basic authentication. */
  bounces_postmark: { username: string; sealed: string } | null;
}

export const NO_BOUNCE_SETTINGS: BounceSettings = {
  bounces_ses: null,
  bounces_sendgrid: null,
  bounces_mailgun: null,
  bounces_postmark: null,
};

const text = (maxLength: number, description: string) => Trimmed({ minLength: 1, maxLength, description });
const given = {
  ses: Type.Object({ topic_arn: text(400, 'The SNS topic that SES tells of bounces: arn:aws:sns:…') }),
  sendgrid: Type.Object({ public_key: text(1_000, 'The verification key of the Signed Event Webhook') }),
  mailgun: Type.Object({
    signing_key: Trimmed({ minLength: 16, maxLength: 200, description: 'The HTTP webhook signing key' }),
  }),
  postmark: Type.Object({
    username: Type.String({ minLength: 1, maxLength: 100, pattern: '^[!-9;-~]+$' }),
    password: Type.String({ minLength: 16, maxLength: 200, pattern: '^[!-~]+$' }),
  }),
};

function nullable<T>(schema: { type: string; properties: object; required?: string[] }) {
  const { type, properties, required } = schema;
  return Type.Unsafe<T | null>({ type: [type, 'null'], properties, ...(required ? { required } : {}) });
}

/** Present fields are set, null removes one, absent ones stay unchanged. */
export const BouncesPatch = Type.Partial(
  Type.Object({
    ses: nullable<Static<typeof given.ses>>(given.ses),
    sendgrid: nullable<Static<typeof given.sendgrid>>(given.sendgrid),
    mailgun: nullable<Static<typeof given.mailgun>>(given.mailgun),
    postmark: nullable<Static<typeof given.postmark>>(given.postmark),
  }),
);
export type BouncesPatch = Static<typeof BouncesPatch>;

const url = Type.String({ description: 'Where the provider is to send its notifications' });
const shown = {
  ses: Type.Object({ url, topic_arn: Type.String() }),
  sendgrid: Type.Object({ url, public_key: Type.String() }),
  mailgun: Type.Object({ url }),
  postmark: Type.Object({ url, username: Type.String() }),
};
export const Bounces = Type.Object(
  {
    ses: nullable<Static<typeof shown.ses>>(shown.ses),
    sendgrid: nullable<Static<typeof shown.sendgrid>>(shown.sendgrid),
    mailgun: nullable<Static<typeof shown.mailgun>>(shown.mailgun),
    postmark: nullable<Static<typeof shown.postmark>>(shown.postmark),
  },
  { description: 'Mail providers whose bounce notifications are accepted; secrets are never shown' },
);
export type BouncesRecord = Static<typeof Bounces>;

/** Converts a patch to its stored form. Throws validation_failed. */
export function storedBounces(patch: BouncesPatch, seal: (secret: string) => string): Partial<BounceSettings> {
  const { ses, sendgrid, mailgun, postmark } = patch;
  const stored: Partial<BounceSettings> = {};
  if (ses !== undefined) stored.bounces_ses = ses && checkedTopic(ses);
  if (sendgrid !== undefined) stored.bounces_sendgrid = sendgrid && checkedKey(sendgrid);
  if (mailgun !== undefined) stored.bounces_mailgun = mailgun && { sealed: seal(mailgun.signing_key) };
  if (postmark !== undefined) {
    stored.bounces_postmark = postmark && {
      username: postmark.username,
      sealed: seal(`${postmark.username}:${postmark.password}`),
    };
  }
  return stored;
}

function checkedTopic({ topic_arn }: { topic_arn: string }): { topic_arn: string } {
  if (topicOf(topic_arn) !== null) return { topic_arn };
  const message = 'bounces.ses.topic_arn must be the ARN of an SNS topic';
  throw invalidField('bounces.ses.topic_arn', message, 'wrong_format');
}

function checkedKey({ public_key }: { public_key: string }): { public_key: string } {
  const key = readSendGridKey(public_key);
  if (key !== null) return { public_key: key.export({ format: 'der', type: 'spki' }).toString('base64') };
  const message = 'bounces.sendgrid.public_key must be the verification key that SendGrid shows';
  throw invalidField('bounces.sendgrid.public_key', message, 'wrong_format');
}

export function bouncesRecord(settings: BounceSettings & { companyId: number }, origin: string): BouncesRecord {
  const { bounces_ses: ses, bounces_sendgrid: sendgrid, bounces_mailgun, bounces_postmark: postmark } = settings;
  const at = (provider: BounceProvider) => ({ url: `${origin}/marketing/bounces/${provider}/${settings.companyId}` });
  return {
    ses: ses && { ...at('ses'), topic_arn: ses.topic_arn },
    sendgrid: sendgrid && { ...at('sendgrid'), public_key: sendgrid.public_key },
    mailgun: bounces_mailgun && at('mailgun'),
    postmark: postmark && { ...at('postmark'), username: postmark.username },
  };
}
