import { type Requests, ref } from './requests.ts';
import { accountOf, type Ids, refusalOf, type SeededCompany } from './seed.ts';

/** A valid request for every endpoint of messages, suppressions, the outbox and outgoing webhooks. */

/** Puts the flow's own message into that status. */
const messageThatIs =
  (status: string) =>
  async (company: SeededCompany): Promise<Ids> => {
    const { server, ids } = company;
    await server.rows('update messages set status = $2 where id = $1', [ids.message, status]);
    return {};
  };
const freshRefusal = async (company: SeededCompany): Promise<Ids> => ({ refusal: await refusalOf(company) });
const freshEndpoint = async ({ make }: SeededCompany): Promise<Ids> => ({
  endpoint: (await make('marketing', 'POST', '/webhook-endpoints', { url: 'https://fresh.example.com/' })).endpoint_id,
});

const freshDomain = async ({ make }: SeededCompany): Promise<Ids> => ({
  domain: (await make('marketing', 'POST', '/sending-domains', { domain: 'fresh.example.com' })).domain_id,
});

const WARM_UP = { starts_on: '2026-03-02', ends_on: '2026-03-31', messages: 50, growth: 1.5 };
const freshAccount = async ({ make }: SeededCompany): Promise<Ids> => ({
  account: (await make('marketing', 'POST', '/sending-accounts', accountOf('fresh'))).account_id,
});

const MESSAGES: Requests = {
  'GET /messages': [
    {},
    ...['contact', 'flow', 'campaign'].map((record) => {
      return { query: { [`${record}_id`]: ref(record) }, mayBeAbsent: [`query.${record}_id`] };
    }),
  ],
  'GET /messages/{id}': [{ of: 'message' }],
  'POST /messages/retry/{id}': [{ of: 'message', before: messageThatIs('failed') }],
  'POST /messages/mark-sent/{id}': [{ of: 'message', before: messageThatIs('unknown') }],
  'GET /mailbox': [{}, { query: { to: ref('email') }, mayBeAbsent: ['query.to'] }],
  'GET /mailbox/latest': [{}, { query: { to: ref('email') } }],
  'GET /mailbox/{id}': [{ of: 'mail' }],
  'GET /sending-settings': [{}],
  'PATCH /sending-settings': [{ body: { from_name: 'New' } }],
  'GET /sending-domains': [{}],
  'POST /sending-domains': [{ body: { domain: 'new.example.com', tracking_host: 'links.new.example.com' } }],
  'GET /sending-domains/{id}': [{ of: 'domain' }],
  'PATCH /sending-domains/{id}': [
    { of: 'domain', body: { warm_up: WARM_UP } },
    { of: 'domain', body: { tracking_host: null } },
  ],
  'POST /sending-domains/warm-up/preview': [{ body: WARM_UP }],
  'POST /sending-domains/check/{id}': [{ of: 'domain' }],
  'DELETE /sending-domains/{id}': [{ of: 'domain', before: freshDomain }],
  'GET /deliverability': [{}],
  'POST /deliverability/resume': [{}],
  'GET /sending-accounts': [{}],
  'POST /sending-accounts': [{ body: accountOf('new') }],
  'GET /sending-accounts/{id}': [{ of: 'account' }],
  'PATCH /sending-accounts/{id}': [{ of: 'account', body: { name: 'New' } }],
  'POST /sending-accounts/test/{id}': [{ of: 'account', body: { to: 'owner@example.com' } }],
  'DELETE /sending-accounts/{id}': [{ of: 'account', before: freshAccount }],
  'GET /brand-kit': [{}],
  'PATCH /brand-kit': [{ body: { address: 'Mill Lane 2' } }],
  'GET /retention-settings': [{}],
  'PATCH /retention-settings': [{ body: { mailbox_days: 7 } }],
  'GET /suppressions': [{}, { query: { address: ref('suppressed') }, mayBeAbsent: ['query.address'] }],
  'POST /suppressions': [{ body: { addresses: ['new@example.org'] } }],
  'POST /suppressions/lift': [
    { body: { addresses: [ref('suppressed')] }, mayBeAbsent: ['body.addresses.0'], writesAnyway: true },
  ],
};

const OUTBOX: Requests = {
  'GET /outbox/refusals': [{}],
  'POST /outbox/refusals/replay/{id}': [{ of: 'refusal', before: freshRefusal }],
  'POST /outbox/refusals/replay': [{ before: freshRefusal }],
  'DELETE /outbox/refusals/{id}': [{ of: 'refusal', before: freshRefusal }],
  'GET /webhook-endpoints': [{}],
  'POST /webhook-endpoints': [{ body: { url: 'https://new.example.com/hook' } }],
  'GET /webhook-endpoints/{id}': [{ of: 'endpoint' }],
  'PATCH /webhook-endpoints/{id}': [{ of: 'endpoint', body: { description: 'New' } }],
  'DELETE /webhook-endpoints/{id}': [{ of: 'endpoint', before: freshEndpoint }],
  'GET /webhook-endpoints/{id}/deliveries': [{ of: 'endpoint' }],
  'POST /webhook-endpoints/replay/{id}': [
    { of: 'endpoint', body: { delivery_ids: [ref('delivery')] }, mayBeAbsent: ['body.delivery_ids.0'] },
  ],
  'POST /webhook-endpoints/test/{id}': [{ of: 'endpoint' }],
};

export const SENDING: Requests = { ...MESSAGES, ...OUTBOX };
