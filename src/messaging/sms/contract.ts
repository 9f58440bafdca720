import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id } from '../../lib/schemas.ts';

const tag = 'SMS';
const Empty = Type.String({ description: 'An empty TwiML document: replies are messages of their own' });
const proof =
  'Signed by `X-Twilio-Signature` with the token of `SMS_URL`, over the address that was called: `TRADELOOM_PUBLIC_URL` must be the one that the provider calls.';

const base = {
  method: 'POST',
  scope: 'public',
  tag,
  anyContentType: true,
  bodyLimit: 64 * 1024,
  contentType: 'text/xml',
  data: Empty,
  status: 200,
} as const;

export const receiveTwilioMessage = {
  ...base,
  path: '/sms/inbound/twilio',
  summary: 'Take in an SMS that a recipient sent',
  description: `${proof} STOP, STOPALL, UNSUBSCRIBE, CANCEL, END, QUIT and the shop's own words (\`sms_stop_words\`) unsubscribe the number from SMS at once, and are confirmed once; START and UNSTOP take that back; HELP is replied to with \`sms_help_text\`. A number that several companies send from acts for all of them, and so does a STOP to a number that none of them has set. A message that comes again changes nothing.`,
  body: Type.Object({
    From: Type.String(),
    To: Type.String(),
    Body: Type.String(),
    MessageSid: Type.String(),
    OptOutType: Type.Optional(Type.String({ description: 'The provider has already replied' })),
  }),
} as const satisfies Endpoint;

export const receiveCompanyTwilioMessage = {
  ...receiveTwilioMessage,
  path: '/sms/inbound/twilio/{company_id}',
  summary: 'Take in an SMS that a recipient sent to a company’s own account',
  description:
    'Signed by an auth token of the company’s sending accounts. As the address without a company, but it acts for this company alone.',
  params: Type.Object({ company_id: Id }),
} as const satisfies Endpoint;

export const receiveTwilioStatus = {
  ...base,
  path: '/sms/status/twilio',
  summary: 'Take in a delivery receipt of an SMS',
  description: `${proof} The message is named by the address that goes out with it. \`delivered\`, \`undelivered\` and \`failed\` end it; only a number that is dead, or that opted out, is suppressed.`,
  query: Type.Object({ message: Type.String({ maxLength: 40 }) }),
  body: Type.Object({
    MessageSid: Type.String(),
    MessageStatus: Type.String(),
    ErrorCode: Type.Optional(Type.String()),
  }),
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const smsEndpoints: readonly Endpoint[] = [
  receiveTwilioMessage,
  receiveCompanyTwilioMessage,
  receiveTwilioStatus,
];
