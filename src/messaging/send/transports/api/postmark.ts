import type { EmailContent } from '../../../compose/mime/email-content.ts';
import { checkHead } from '../../../compose/mime/email-content.ts';
import { createHttpTransport, jsonOf, type ProviderResponse, replyOf } from '../http-transport.ts';
import { type DeliveryResult, failed, type OutgoingEmail, type Transport } from '../port.ts';
import { type ApiOptions, MESSAGE_ID_FIELD } from './options.ts';

/** 406: the recipient bounced or complained before, so Postmark does not try. */
const INACTIVE_RECIPIENT = 406;
/** 10: the token; 405: no credits; 412, 413: an account that is not approved yet; 1235: unknown message stream. */
const NOT_THE_MESSAGE = new Set([10, 405, 412, 413, 1235]);

/** Postmark: https://postmarkapp.com/developer/api/email-api */
export function createPostmarkTransport(
  options: ApiOptions & { serverToken: string; messageStream: string },
): Transport {
  const { base, serverToken, messageStream, ...common } = options;
  return createHttpTransport<OutgoingEmail>({
    ...common,
    name: 'postmark',
    channel: 'email',
    takes: 'parts',
    requestOf: ({ content }) => ({
      url: `${base}/email`,
      headers: {
        'x-postmark-server-token': serverToken,
        accept: 'application/json',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ...bodyOf(content), MessageStream: messageStream }),
    }),
    refusalOf,
  });
}

function bodyOf(content: EmailContent | null) {
  if (content === null) throw new Error('Composed for a transport that takes bytes');
  const { from, to, replyTo, subject, headers, messageId } = checkHead(content);
  const named = ({ name, address }: { name: string; address: string }): string =>
    name === '' ? address : `"${name.replace(/[\\"]/g, '\\$&')}" <${address}>`;
  return {
    From: named(from),
    To: named(to),
    ...(replyTo && { ReplyTo: named(replyTo) }),
    Subject: subject,
    ...(content.html && { HtmlBody: content.html }),
    ...(content.text && { TextBody: content.text }),
    Headers: [
      { Name: 'Message-ID', Value: messageId },
      // Otherwise Postmark assigns a Message-ID of its own.
      { Name: 'X-PM-KeepID', Value: 'true' },
      ...headers.map(({ key, value }) => ({ Name: key, Value: value })),
    ],
    Metadata: { [MESSAGE_ID_FIELD]: messageId },
    // This program counts opens and clicks itself: Postmark must not rewrite the links.
    TrackOpens: false,
    TrackLinks: 'None',
  };
}

/** `{"ErrorCode": 406, "Message": "…"}` with status 422. */
function refusalOf(response: ProviderResponse): DeliveryResult {
  const code = Number(jsonOf(response.body).ErrorCode ?? Number.NaN);
  const reply = replyOf(response);
  if (NOT_THE_MESSAGE.has(code)) return failed('service', reply, { permanent: false });
  return failed(code === INACTIVE_RECIPIENT ? 'recipient' : 'message', reply, { permanent: true });
}
