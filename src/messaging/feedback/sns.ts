import { type KeyObject, verify } from 'node:crypto';
import { type Genuine, isTimely, keyOf } from './signatures.ts';

/** Amazon SES reports bounces through an SNS topic, whose messages are signed with a certificate that SNS publishes. */

/** A topic by its ARN. */
export interface Topic {
  arn: string;
  /** The only host that serves the topic's certificates and confirms its subscriptions. */
  host: string;
  /** Host names its certificates may be issued to: that of SNS as a whole, or one of the region's several names. */
  signers: string[];
}

export interface GenuineSns extends Genuine {
  /** The URL that confirms the subscription; null except for a confirmation request. */
  confirmAt: string | null;
}

const ARN = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2}(?:-[a-z]+)+-\d):\d{12}:[A-Za-z0-9_-]{1,256}(?:\.fifo)?$/;
const CERTIFICATE = /^\/SimpleNotificationService-[0-9A-Za-z]{1,64}\.pem$/;
/** By SignatureVersion. */
const ALGORITHMS = new Map([
  ['1', 'sha1'],
  ['2', 'sha256'],
]);
/** The signed fields, in this order; absent ones are skipped. */
const SIGNED = new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
  ['UnsubscribeConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
]);

/** Returns null for an invalid topic ARN. */
export function topicOf(arn: string): Topic | null {
  const match = ARN.exec(arn);
  if (match === null) return null;
  const [, partition, region] = match;
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  const signers = [`sns.${suffix}`, ...['sns.', 'sns-signing.', 'sns-'].map((name) => `${name}${region}.${suffix}`)];
  // One certificate for both regions.
  if (partition === 'aws-us-gov') signers.push('sns-us-gov-west-1.amazonaws.com');
  return { arn, host: `sns.${region}.${suffix}`, signers };
}

/**
 * Verifies that SNS sent the message, and for this topic: anyone can own a topic whose messages SNS signs as well. `keyAt` is only called
 * with certificate URLs of SNS itself.
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
  // Compared in full: no port, no password, nothing after the path.
  return url !== null && CERTIFICATE.test(url.pathname) && address === `https://${host}${url.pathname}`;
}

/** Built from the topic and the signed token instead of taken from the message. */
function confirmationOf({ arn, host }: Topic, { Type, Token }: Record<string, string>): string | null {
  if (Type !== 'SubscriptionConfirmation') return null;
  return `https://${host}/?${new URLSearchParams({ Action: 'ConfirmSubscription', TopicArn: arn, Token: Token ?? '' })}`;
}

/** Returns the string fields of the message; no others are signed. */
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
