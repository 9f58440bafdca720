import Type from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, Nullable, OneOf } from '../../lib/schemas.ts';
import { BOUNCE_PROVIDERS, type BounceProvider } from './bounce-settings.ts';

const tag = 'Suppressions';

const Report = Type.Object({
  type: OneOf(['bounce', 'soft', 'complaint'] as const, { description: 'soft: refused for now only' }),
  email: Type.String({ maxLength: 320 }),
  message_id: Type.Optional(Nullable(Type.String({ maxLength: 998, description: 'The Message-ID of the mail' }))),
});

const Taken = Type.Object({
  received: Type.Boolean(),
  reports: Type.Integer(),
  applied: Type.Integer({ description: 'Reports that matched an existing contact' }),
});

export const reportBounces = {
  method: 'POST',
  path: '/bounces',
  scope: 'public',
  tag,
  summary: 'Report bounces and complaints',
  description:
    'Signed over the body’s bytes as events of the webhook are, with the same secret, switches and limit. Besides the form shown here, the notifications of Amazon SES (bare or inside SNS), SendGrid, Mailgun and Postmark are understood as these send them, and bounce mails (RFC 3464) and feedback reports (RFC 5965) as a mail server received them. A report that comes again changes nothing but a count of soft bounces.',
  body: Type.Object({ reports: Type.Array(Report, { maxItems: 1_000 }) }),
  bodyLimit: 256 * 1024,
  anyContentType: true,
  data: Taken,
  status: 200,
} as const satisfies Endpoint;

const FORMS: Record<BounceProvider, { from: string; proof: string }> = {
  ses: {
    from: 'Amazon SES',
    proof:
      'A message of the SNS topic that is set, signed by SNS (version 1 or 2), without raw message delivery. The program confirms the subscription.',
  },
  sendgrid: {
    from: 'SendGrid',
    proof: 'A Signed Event Webhook, signed with the key whose public part is set.',
  },
  mailgun: { from: 'Mailgun', proof: 'Signed, inside the body, with the webhook signing key that is set.' },
  postmark: {
    from: 'Postmark',
    proof: 'With the user name and password that are set, as basic authentication. Postmark signs nothing.',
  },
};

/** One endpoint per provider: they cannot send a header that identifies the company, so the URL does. */
export const notifyBounces = BOUNCE_PROVIDERS.map((provider) => {
  const { from, proof } = FORMS[provider];
  const endpoint = {
    method: 'POST',
    path: `/bounces/${provider}/{company_id}`,
    scope: 'public',
    tag,
    summary: `Take in bounces and complaints from ${from}`,
    description: `${proof} Set by \`PATCH /sending-settings\` under \`bounces.${provider}\`. A notification that comes again changes nothing; one about anything other than bounces and complaints has no reports.`,
    params: Type.Object({ company_id: Id }),
    body: Type.Object({}, { description: `As ${from} sends it` }),
    anyContentType: true,
    data: Taken,
    status: 200,
  } as const satisfies Endpoint;
  return { provider, endpoint };
});

/** In the order of the API reference. */
export const bounceEndpoints: readonly Endpoint[] = [reportBounces, ...notifyBounces.map(({ endpoint }) => endpoint)];
