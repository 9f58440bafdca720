import type { EmailContent } from '../../../compose/mime/email-content.ts';
import { checkHead } from '../../../compose/mime/email-content.ts';
import { createHttpTransport, jsonOf, type ProviderResponse, replyOf } from '../http-transport.ts';
import { type DeliveryResult, failed, type OutgoingEmail, type Transport } from '../port.ts';
import { type ApiOptions, MESSAGE_ID_FIELD } from './options.ts';

/** SendGrid: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
export function createSendGridTransport({ base, apiKey, ...common }: ApiOptions & { apiKey: string }): Transport {
  return createHttpTransport<OutgoingEmail>({
    ...common,
    name: 'sendgrid',
    channel: 'email',
    takes: 'parts',
    requestOf: ({ content }) => ({
      url: `${base}/v3/mail/send`,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(content)),
    }),
    refusalOf,
  });
}

function bodyOf(content: EmailContent | null) {
  if (content === null) throw new Error('Composed for a transport that takes bytes');
  const { from, to, replyTo, subject, headers, messageId } = checkHead(content);
  const named = ({ name, address }: { name: string; address: string }) => ({
    email: address,
    ...(name === '' ? {} : { name }),
  });
  const parts = [
    { type: 'text/plain', value: content.text },
    { type: 'text/html', value: content.html },
  ];
  // This program counts opens and clicks itself: SendGrid must not rewrite the links.
  const off = { enable: false, enable_text: false };
  return {
    personalizations: [{ to: [named(to)] }],
    from: named(from),
    ...(replyTo && { reply_to: named(replyTo) }),
    subject,
    // The plain text must come first, and no part may be empty.
    content: parts.filter(({ value }) => value !== undefined && value !== ''),
    headers: { 'Message-ID': messageId, ...Object.fromEntries(headers.map(({ key, value }) => [key, value])) },
    custom_args: { [MESSAGE_ID_FIELD]: messageId },
    tracking_settings: {
      click_tracking: off,
      open_tracking: { enable: false },
      subscription_tracking: { enable: false },
    },
  };
}

/** `{"errors": [{"message": "…", "field": "personalizations.0.to.0.email"}]}` */
function refusalOf(response: ProviderResponse): DeliveryResult {
  const { errors } = jsonOf(response.body);
  const fields = Array.isArray(errors) ? errors.map((one: { field?: unknown } | null) => String(one?.field ?? '')) : [];
  const isRecipient = fields.length > 0 && fields.every((field) => /^personalizations\.\d+\.to\b/.test(field));
  return failed(isRecipient ? 'recipient' : 'message', replyOf(response), { permanent: true });
}
