import { AwsV4Signer } from 'aws4fetch';
import { createHttpTransport, type ProviderResponse, replyOf } from '../http-transport.ts';
import { type DeliveryResult, failed, type OutgoingEmail, type Transport } from '../port.ts';
import type { ApiOptions } from './options.ts';

export interface SesOptions extends ApiOptions {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  configurationSet: string | null;
}

/** Errors with status 400 that concern the account, not the message. */
const NOT_THE_MESSAGE = new Set([
  ...['AccountSuspendedException', 'SendingPausedException', 'LimitExceededException', 'TooManyRequestsException'],
  ...['ThrottlingException', 'ExpiredTokenException', 'RequestExpired', 'IncompleteSignature'],
]);

/** Amazon SES, API v2: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html */
export function createSesTransport(options: SesOptions): Transport {
  const { base, region, accessKeyId, secretAccessKey, configurationSet, ...common } = options;
  return createHttpTransport<OutgoingEmail>({
    ...common,
    name: 'ses',
    channel: 'email',
    takes: 'bytes',
    async requestOf(message) {
      const raw = await message.raw();
      const signed = await new AwsV4Signer({
        accessKeyId,
        secretAccessKey,
        region,
        service: 'ses',
        method: 'POST',
        url: `${base}/v2/email/outbound-emails`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          FromEmailAddress: message.from,
          Destination: { ToAddresses: [message.to] },
          Content: { Raw: { Data: raw.toString('base64') } },
          ...(configurationSet === null ? {} : { ConfigurationSetName: configurationSet }),
        }),
      }).sign();
      return { url: signed.url, headers: Object.fromEntries(signed.headers), body: String(signed.body) };
    },
    refusalOf,
  });
}

function refusalOf(response: ProviderResponse): DeliveryResult {
  const type = String(response.headers['x-amzn-errortype'] ?? '').split(':')[0]!;
  const reply = `${replyOf(response)} ${type}`.trim();
  if (NOT_THE_MESSAGE.has(type)) return failed('service', reply, { permanent: false });
  return failed('message', reply, { permanent: true });
}
