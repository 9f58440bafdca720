import { type Requests, ref } from './requests.ts';
import { flowOf, type Ids, type SeededCompany } from './seed.ts';

/** A valid request for every endpoint of flows. */

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
/** Every reference that a trigger and a step can have. */
const GRAPH = {
  trigger_settings: { segment_id: ref('segment') },
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

export const FLOWS: Requests = {
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
  'GET /flows/{id}/migration': [{ of: 'flow' }],
  'POST /flows/migrate/{id}': [{ of: 'flow' }],
  'POST /flows/enroll/{id}': [{ of: 'flow', body: { contact_ids: [ref('contact')] }, before: runningFlow }],
  'POST /flows/test/{id}': [
    {
      of: 'flow',
      body: {
        contact_id: ref('contact'),
        events: [{ event_type: ref('event_type'), after_minutes: 1 }],
        draft: { trigger_settings: { segment_id: ref('segment') } },
      },
      mayBeAbsent: ['body.events.0.event_type', 'body.draft.trigger_settings.segment_id'],
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
