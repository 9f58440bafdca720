import { type Requests, ref } from './requests.ts';
import { draftCampaign, flowOf, type Ids, refusalOf, type SeededCompany } from './seed.ts';

/** A valid request for every endpoint of the marketing API about flows, campaigns, messages and what leaves the shop. */

const freshFlow = async ({ make, mark, ids }: SeededCompany): Promise<Ids> => ({
  flow: (await make('marketing', 'POST', '/flows', flowOf(mark, ids))).flow_id,
});
const runningFlow = async ({ make, mark, ids }: SeededCompany): Promise<Ids> => ({
  flow: (await make('marketing', 'POST', '/flows', flowOf(mark, ids, { status: 'active' }))).flow_id,
});
/** A run of it that failed at its last step. */
const failedRun = async (company: SeededCompany): Promise<Ids> => {
  const { server, ids } = company;
  await server.rows("update flow_runs set status = 'failed', reason = 'x', ended_at = $2 where id = $1", [
    ids.run,
    server.clock.now(),
  ]);
  return {};
};
const freshTemplate = async ({ make }: SeededCompany): Promise<Ids> => ({
  template: (await make('marketing', 'POST', '/templates', { name: 'Fresh', content: '<p>Hello</p>' })).template_id,
});
const freshCampaign = async ({ make, mark, ids }: SeededCompany): Promise<Ids> => ({
  campaign: await draftCampaign(mark, ids, make),
});
const scheduled = async (company: SeededCompany): Promise<Ids> => {
  const { campaign } = await freshCampaign(company);
  const body = { scheduled_at: '2036-03-15 09:00:00' };
  await company.make('marketing', 'POST', `/campaigns/send/${campaign}`, body);
  return { campaign: campaign! };
};
const paused = async (company: SeededCompany): Promise<Ids> => {
  const { campaign } = await scheduled(company);
  await company.make('marketing', 'POST', `/campaigns/pause/${campaign}`);
  return { campaign: campaign! };
};
/** The flow's own message, as though it had come to that. */
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

/** Every reference that a step can have. */
const GRAPH = {
  steps: [
    { step_id: 'mail', type: 'send_email', config: { template_id: ref('template') } },
    { step_id: 'add', type: 'add_to_list', config: { list_id: ref('list') } },
    { step_id: 'remove', type: 'remove_from_list', config: { list_id: ref('list') } },
    { step_id: 'track', type: 'track_event', config: { event_type: ref('event_type') } },
    { step_id: 'start', type: 'start_flow', config: { flow_id: ref('flow') } },
    {
      step_id: 'wait',
      type: 'wait_for_event',
      config: { event_type: ref('event_type'), timeout: { value: 1, unit: 'days' } },
    },
  ],
  connections: [
    { from: 'trigger', to: 'mail' },
    { from: 'mail', to: 'add' },
    { from: 'add', to: 'remove' },
    { from: 'remove', to: 'track' },
    { from: 'track', to: 'start' },
    { from: 'start', to: 'wait' },
  ],
  exit_on: [{ event_type: ref('event_type') }],
  goal: { event_type: ref('event_type') },
};
const target = async (company: SeededCompany): Promise<Ids> => {
  const { flow } = await runningFlow(company);
  const { ids } = company;
  return {
    edited: (await company.make('marketing', 'POST', '/flows', flowOf('Edited', ids, { status: 'active' }))).flow_id,
    flow: flow!,
  };
};

const FLOWS: Requests = {
  'GET /flows': [{}, { query: { trigger_type: ref('event_type') }, mayBeAbsent: ['query.trigger_type'] }],
  'POST /flows': [
    { body: { name: 'New', trigger_type: ref('event_type') } },
    { body: { name: 'New', trigger_type: ref('event_type'), status: 'active', ...GRAPH } },
  ],
  'GET /flows/{id}': [{ of: 'flow' }],
  'PATCH /flows/{id}': [
    { of: 'draft_flow', body: { trigger_type: ref('event_type') } },
    { of: 'edited', body: GRAPH, before: target },
  ],
  'PUT /flows/{id}': [{ of: 'edited', body: GRAPH, before: target }],
  'DELETE /flows/{id}': [{ of: 'flow', before: freshFlow }],
  'POST /flows/activate/{id}': [{ of: 'flow', before: freshFlow }],
  'POST /flows/pause/{id}': [{ of: 'flow', before: runningFlow }],
  'POST /flows/archive/{id}': [{ of: 'flow', before: freshFlow }],
  'POST /flows/duplicate/{id}': [{ of: 'flow' }],
  'POST /flows/migrate/{id}': [{ of: 'flow' }],
  'POST /flows/enroll/{id}': [{ of: 'flow', body: { contact_ids: [ref('contact')] }, before: runningFlow }],
  'POST /flows/test/{id}': [
    {
      of: 'flow',
      body: { contact_id: ref('contact'), events: [{ event_type: ref('event_type'), after_minutes: 1 }] },
      mayBeAbsent: ['body.events.0.event_type'],
    },
  ],
  'GET /flows/{id}/versions': [{ of: 'flow' }],
  'GET /flows/{id}/runs': [
    { of: 'flow' },
    { of: 'flow', query: { contact_id: ref('contact') }, mayBeAbsent: ['query.contact_id'] },
  ],
  'GET /flows/runs/{run_id}': [{ of: 'run' }],
  'POST /flows/runs/retry/{run_id}': [{ of: 'run', before: failedRun }],
  'GET /flows/{id}/stats': [{ of: 'flow' }],
  'GET /flows/notifications': [{}],
  'GET /flows/library': [{}],
  'POST /flows/from-library/{name}': [{ param: 'welcome' }],
};

const CAMPAIGN = { name: 'New', type: 'email', subject: 'New' };

const CAMPAIGNS: Requests = {
  'GET /templates': [{}],
  'POST /templates': [{ body: { name: 'New', content: '<p>New</p>' } }],
  'GET /templates/{id}': [{ of: 'template' }],
  'PATCH /templates/{id}': [{ of: 'template', body: { name: 'Newer' } }],
  'DELETE /templates/{id}': [{ of: 'template', before: freshTemplate }],
  'POST /templates/preview/{id}': [{ of: 'template', body: { contact_id: ref('contact') } }],
  'POST /templates/preview': [{ body: { content: '<p>{{ contact.first_name }}</p>', contact_id: ref('contact') } }],
  'GET /campaigns': [{}],
  'POST /campaigns': [
    { body: { ...CAMPAIGN, template_id: ref('template'), list_id: ref('list') } },
    { body: { ...CAMPAIGN, content: '<p>New</p>', segment_id: ref('segment') } },
    {
      body: {
        ...CAMPAIGN,
        content: '<p>New</p>',
        list_id: ref('list'),
        variants: [
          { key: 'a', weight: 1, template_id: ref('template') },
          { key: 'b', weight: 1 },
        ],
      },
    },
  ],
  'GET /campaigns/{id}': [{ of: 'campaign' }],
  'PATCH /campaigns/{id}': [
    { of: 'draft_campaign', body: { template_id: ref('template'), list_id: ref('list') } },
    { of: 'campaign', body: { list_id: null, segment_id: ref('segment') }, before: freshCampaign },
    {
      of: 'campaign',
      body: { variants: [{ key: 'a', weight: 1, template_id: ref('template') }] },
      before: freshCampaign,
    },
  ],
  'DELETE /campaigns/{id}': [{ of: 'campaign', before: freshCampaign }],
  'POST /campaigns/send/{id}': [{ of: 'campaign', before: freshCampaign }],
  'POST /campaigns/pause/{id}': [{ of: 'campaign', before: scheduled }],
  'POST /campaigns/resume/{id}': [{ of: 'campaign', before: paused }],
  'POST /campaigns/cancel/{id}': [{ of: 'campaign', before: scheduled }],
  'POST /campaigns/duplicate/{id}': [{ of: 'campaign' }],
  'POST /campaigns/retry/{id}': [{ of: 'campaign', body: { include_unknown: true } }],
  'POST /campaigns/test/{id}': [
    { of: 'campaign', body: { recipients: ['me@example.com'], contact_id: ref('contact') } },
  ],
  'POST /campaigns/preview/{id}': [{ of: 'campaign', body: { contact_id: ref('contact') } }],
  'GET /campaigns/{id}/recipients': [{ of: 'campaign' }],
  'GET /campaigns/{id}/report': [{ of: 'campaign' }],
};

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

export const ABOUT_SENDING: Requests = { ...FLOWS, ...CAMPAIGNS, ...MESSAGES, ...OUTBOX };
