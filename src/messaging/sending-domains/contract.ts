import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { CalendarDate, Id, IdParams, Nullable, OneOf, pageQuery, Trimmed } from '../../lib/schemas.ts';

const Moment = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

const DnsRecord = Type.Object({
  purpose: OneOf(['dkim', 'spf', 'dmarc', 'tracking'] as const),
  type: OneOf(['TXT', 'CNAME'] as const),
  name: Type.String({ description: 'The whole name of the record' }),
  value: Nullable(
    Type.String({
      description:
        'null where it is not known: your mail provider names its SPF record; a tracking host leads to the host of TRADELOOM_PUBLIC_URL, which is not set or is no name',
    }),
  ),
  required: Type.Boolean({ description: 'Whether the domain is verified by this record' }),
  state: OneOf(['unchecked', 'found', 'missing', 'wrong', 'unreachable', 'taken', 'no_https', 'limited'] as const, {
    description:
      'At the last check. unreachable: the DNS did not respond, which changes nothing. Of a tracking host whose record is there: taken: another company of the installation has it. no_https: requests by https to it do not arrive here. limited: the company has had 20 new hosts within a day; a later check goes on. A host that is verified stays so, as unreachable, where its https does not respond at all',
  }),
  found: Nullable(Type.String({ description: 'The record found; for no_https the error' })),
});

const plan = {
  starts_on: Type.Unsafe<string>({ ...CalendarDate, description: 'The first day, in the time zone of the company' }),
  ends_on: Type.Unsafe<string>({
    ...CalendarDate,
    description: 'The last day; from the next one on nothing is limited. At most 180 days',
  }),
  messages: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Marketing e-mails of the first day, such as 50',
  }),
  growth: Type.Number({
    minimum: 1,
    maximum: 10,
    description: 'Factor between two days, such as 1.5',
  }),
};
export const WarmUp = Type.Object(plan);

const days = Type.Array(
  Type.Object({
    day: CalendarDate,
    messages: Type.Integer({ description: 'How many marketing e-mails may be handed over' }),
    handed_over: Type.Integer({ description: 'How many were' }),
  }),
);
export const WarmUpPreview = Type.Object({ ...plan, days });
export type WarmUpPreview = Static<typeof WarmUpPreview>;

export const SendingDomain = Type.Object({
  domain_id: Id,
  domain: Type.String(),
  state: OneOf(['pending', 'verified', 'failing'] as const, {
    description:
      'pending: the DKIM record was never found. verified: e-mails from this domain and those below it are signed. failing: the record was there and is not any more; e-mails are signed still.',
  }),
  records: Type.Array(DnsRecord, { description: 'What to set in the DNS of the domain' }),
  tracking_host: Nullable(Type.String({ description: 'The host that the links of its e-mails begin with' })),
  tracking_state: Nullable(
    OneOf(['pending', 'no_https', 'verified', 'failing'] as const, {
      description:
        'pending: not verified yet, by its CNAME record and the DKIM record of the domain. no_https: both are there, but https://<host> has no valid certificate or does not lead here, so that no link begins with it. verified: links of new e-mails begin with it. failing: its records were found and are not any more; links of new e-mails begin with the public address of the installation.',
    }),
  ),
  warm_up: Nullable(WarmUpPreview),
  verified_at: Nullable(Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC: the first time' })),
  failing_since: Nullable(Moment),
  checked_at: Nullable(Moment),
  created_at: Moment,
});
export type SendingDomain = Static<typeof SendingDomain>;

const trackingHost = Trimmed({
  minLength: 4,
  maxLength: 253,
  description:
    'A host below the domain, such as `links.shop.example`, that leads here by a CNAME record: links, unsubscribe pages and the open pixel of e-mails from the domain are at this host once it is verified',
});

export const SendingDomainInput = Type.Object({
  domain: Trimmed({
    minLength: 4,
    maxLength: 253,
    description: 'Domain of the sender address, or a parent domain',
  }),
  tracking_host: Type.Optional(trackingHost),
});
export type SendingDomainInput = Static<typeof SendingDomainInput>;

const read = { scope: 'marketing:read', tag: 'Sending domains', status: 200 } as const;
const write = { scope: 'marketing:write', tag: 'Sending domains', status: 200 } as const;
/** Only owners decide who sends in whose name. */
const owner = { personScope: 'company:write', confirm: true } as const;

export const listDomains = {
  ...read,
  method: 'GET',
  path: '/sending-domains',
  summary: 'List the domains that e-mails are sent from',
  query: Type.Object(pageQuery(20)),
  inOrderOf: { by: 'domain_id', direction: 'asc' },
  data: Type.Array(SendingDomain),
  listAs: 'sending_domains',
} as const satisfies Endpoint;

export const createDomain = {
  ...write,
  ...owner,
  method: 'POST',
  path: '/sending-domains',
  summary: 'Add a sending domain',
  description:
    'Makes a DKIM key (RSA, 2048 bits) and gives the DNS records to set. Once the DKIM record is found, e-mails from the domain are signed. The DNS is asked every 10 minutes in the first hour, then hourly for three days, then daily; a verified domain daily.',
  body: SendingDomainInput,
  data: SendingDomain,
  status: 201,
} as const satisfies Endpoint;

export const SendingDomainPatch = Type.Object({
  warm_up: Type.Optional(
    Type.Unsafe<Static<typeof WarmUp> | null>({
      ...WarmUp,
      type: ['object', 'null'],
      description: 'How many marketing e-mails go out from the domain on each day; null for as many as there are',
    }),
  ),
  tracking_host: Type.Optional(
    Type.Unsafe<string | null>({
      ...trackingHost,
      type: ['string', 'null'],
      description:
        'The host that links begin with; null for the public address. E-mails that were sent keep the host they have, which works as long as it leads here',
    }),
  ),
});
export type SendingDomainPatch = Static<typeof SendingDomainPatch>;

export const updateDomain = {
  ...write,
  method: 'PATCH',
  path: '/sending-domains/{id}',
  summary: 'Name the tracking host of a sending domain, plan or end its warm-up',
  description:
    'Of a warm-up: what a day does not allow waits for the next one, and is not late for it: e-mails of flows with the reason `warm_up`, campaigns as a whole. Transactional messages are neither counted nor held up.',
  params: IdParams,
  body: SendingDomainPatch,
  data: SendingDomain,
} as const satisfies Endpoint;

export const previewWarmUp = {
  ...read,
  method: 'POST',
  path: '/sending-domains/warm-up/preview',
  unaudited: 'changes nothing',
  summary: 'Preview a warm-up: the number of each day',
  description: 'Stores nothing.',
  body: WarmUp,
  data: WarmUpPreview,
} as const satisfies Endpoint;

export const getDomain = {
  ...read,
  method: 'GET',
  path: '/sending-domains/{id}',
  summary: 'Read a sending domain',
  params: IdParams,
  data: SendingDomain,
} as const satisfies Endpoint;

export const checkDomain = {
  ...write,
  method: 'POST',
  path: '/sending-domains/check/{id}',
  summary: 'Look the records of a sending domain up now',
  description:
    'Asks the DNS, for 5 seconds at most, and a tracking host by https, for 5 seconds more. Within 5 seconds of the last check its result is given again. Your DNS service may take minutes to publish a record, and responses of the DNS are cached for as long as it says.',
  params: IdParams,
  data: SendingDomain,
} as const satisfies Endpoint;

export const deleteDomain = {
  ...write,
  ...owner,
  method: 'DELETE',
  path: '/sending-domains/{id}',
  summary: 'Remove a sending domain with its key',
  description: 'Its e-mails are not signed any more. Remove the DKIM record from the DNS afterwards.',
  params: IdParams,
  data: Type.Object({ domain_id: Id, deleted: Type.Boolean() }),
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const sendingDomainEndpoints: readonly Endpoint[] = [
  listDomains,
  createDomain,
  getDomain,
  updateDomain,
  previewWarmUp,
  checkDomain,
  deleteDomain,
];
