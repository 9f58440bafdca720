import { FormData } from 'undici';
import { createHttpTransport, jsonOf, type ProviderResponse, replyOf } from '../http-transport.ts';
import { type DeliveryResult, failed, type OutgoingEmail, type Transport } from '../port.ts';
import type { ApiOptions } from './options.ts';

/** Sends MIME through Mailgun: https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages */
export function createMailgunTransport(options: ApiOptions & { apiKey: string; domain: string }): Transport {
  const { base, apiKey, domain, ...common } = options;
  const authorization = `Basic ${Buffer.from(`api:${apiKey}`).toString('base64')}`;
  return createHttpTransport<OutgoingEmail>({
    ...common,
    name: 'mailgun',
    channel: 'email',
    takes: 'bytes',
    async requestOf(message) {
      const form = new FormData();
      form.append('to', message.to);
      // This program counts opens and clicks itself: Mailgun must not rewrite the links.
      form.append('o:tracking', 'no');
      form.append(
        'message',
        new Blob([new Uint8Array(await message.raw())], { type: 'message/rfc822' }),
        'message.eml',
      );
      return { url: `${base}/v3/${domain}/messages.mime`, headers: { authorization }, body: form };
    },
    refusalOf,
  });
}

/** `{"message": "to parameter is not a valid address. please check documentation"}` */
function refusalOf(response: ProviderResponse): DeliveryResult {
  const { message } = jsonOf(response.body);
  const isRecipient = typeof message === 'string' && /^'?to'? parameter is not a valid address/i.test(message);
  return failed(isRecipient ? 'recipient' : 'message', replyOf(response), { permanent: true });
}
