import { type KeyObject, verify } from 'node:crypto';
import { type Genuine, isTimely, keyOf } from './signatures.ts';

/** Amazon SES tells of bounces through a topic of SNS, whose messages are signed by a certificate that SNS publishes. */

/** A topic by its name at Amazon. */
export interface Topic {
  arn: string;
  /** The only host from which the topic's certificates come, and at which its subscriptions are confirmed. */
  host: string;
  /** Of which its certificates may be: of SNS as a whole, or of the region's, which has several names. */
  signers: string[];
}

export interface GenuineSns extends Genuine {
  /** The address that confirms the subscription; null for everything but the request to do so. */
  confirmAt: string | null;
}

const ARN = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2}(?:-[a-z]+)+-\d):\d{12}:[A-Za-z0-9_-]{1,256}(?:\.fifo)?$/;
const CERTIFICATE = /^\/SimpleNotificationService-[0-9A-Za-z]{1,64}\.pem$/;
/** By SignatureVersion. */
const ALGORITHMS = new Map([
  ['1', 'sha1'],
  ['2', 'sha256'],
]);
/** What is signed, in this order, as far as it is there. */
const SIGNED = new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
  ['UnsubscribeConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
]);

/** null for what is no topic. */
export function topicOf(arn: string): Topic | null {
  const match = ARN.exec(arn);
  if (match === null) return null;
  const [, partition, region] = match;
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  const signers = [`sns.${suffix}`, ...['sns.', 'sns-signing.', 'sns-'].map((name) => `${name}${region}.${suffix}`)];
  // One for both regions.
  if (partition === 'aws-us-gov') signers.push('sns-us-gov-west-1.amazonaws.com');
  return { arn, host: `sns.${region}.${suffix}`, signers };
}

/**
 * Whether SNS sent the message, and for this topic: anybody can have a topic of their own whose messages SNS signs as well.
 * `keyAt` is asked for the keys of certificates at SNS' own addresses only.
 */
export async function verifySns(
  topic: Topic,
  body: Buffer,
  now: Date,
  keyAt: (url: string) => Promise<KeyObject | null>,
): Promise<GenuineSns | null> {
  const message = textsOf(body);
  const fields = SIGNED.get(message.Type ?? '');
  const algorithm = ALGORITHMS.get(message.SignatureVersion ?? '');
  if (fields === undefined || algorithm === undefined || message.TopicArn !== topic.arn) return null;
  if (!isTimely(new Date(message.Timestamp ?? 0), now)) return null;
  const address = message.SigningCertURL ?? '';
  if (!isCertificateOf(topic, address)) return null;
  const key = await keyAt(address);
  if (key === null) return null;
  const signed = fields
    .flatMap((name) => (message[name] === undefined ? [] : [`${name}\n${message[name]}\n`]))
    .join('');
  if (!verify(algorithm, Buffer.from(signed), key, Buffer.from(message.Signature ?? '', 'base64'))) return null;
  return { key: keyOf('ses', `${message.TopicArn}\0${message.MessageId}`), confirmAt: confirmationOf(topic, message) };
}

function isCertificateOf({ host }: Topic, address: string): boolean {
  const url = URL.parse(address);
  // Compared as a whole: no port, no password, nothing behind the path.
  return url !== null && CERTIFICATE.test(url.pathname) && address === `https://${host}${url.pathname}`;
}

/** Made from the topic and the signed token, not taken from the message. */
function confirmationOf({ arn, host }: Topic, { Type, Token }: Record<string, string>): string | null {
  if (Type !== 'SubscriptionConfirmation') return null;
  return `https://${host}/?${new URLSearchParams({ Action: 'ConfirmSubscription', TopicArn: arn, Token: Token ?? '' })}`;
}

/** The message's texts; whatever else stands in it is no part of what is signed. */
function textsOf(body: Buffer): Record<string, string> {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    if (typeof parsed !== 'object' || parsed === null) return {};
    const texts = Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return Object.fromEntries(texts);
  } catch {
    return {};
  }
}
