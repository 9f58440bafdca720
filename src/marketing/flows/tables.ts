import { declareTables } from '../../db/table.ts';

export const marketingFlowsTables = declareTables('marketing/flows', {
  flows: {
    description: 'A flow.',
    staffTexts: { columns: { name: 'text', definition: 'flow' } },
    audit: { flows: { noun: 'flow', about: 'nobody', mayName: true } },
  },
  flow_versions: {
    description: "A version of a flow's definition.",
    staffTexts: { key: 'flow_id', columns: { name: 'text', definition: 'flow' }, rowsPerSlice: 1 },
  },
  flow_runs: {
    description: 'One pass of a contact through a flow.',
    sequences: { slot: 'flow_run_slots' },
    references: { contact_id: 'erasure', event_id: 'stays' },
    audit: { 'flows/runs': { noun: 'flow_run', about: 'several' } },
    alsoWrittenBy: ['erasure', 'marketing/contacts'],
  },
  flow_entries: {
    description: 'The last entry of a contact into a flow that limits entries.',
    references: { contact_id: 'erasure' },
    erasure: { deleteBy: 'contact_id' },
    alsoWrittenBy: ['marketing/contacts'],
  },
  flow_run_log: {
    description: 'The actions of a run in one transaction.',
    references: { run_id: 'goes' },
    alsoWrittenBy: ['erasure'],
  },
  flow_signals: {
    description: 'Input for a run: an event of its contact or the response of its webhook.',
    references: { run_id: 'goes' },
    alsoWrittenBy: ['erasure'],
  },
  flow_emissions: {
    description: 'An event created by a track_event step that is not stored yet.',
    references: { contact_id: 'erasure', run_id: 'stays' },
    erasure: { deleteBy: 'contact_id' },
    alsoWrittenBy: ['marketing/contacts'],
  },
  flow_notifications: {
    description: 'A notification for staff, created by a notify step.',
    references: { contact_id: 'erasure', run_id: 'goes' },
    erasure: { deleteBy: 'contact_id' },
    retention: { kind: 'flow_runs', createdAt: 'created_at' },
  },
  flow_webhook_calls: {
    description: 'A call made by a webhook step.',
    references: { run_id: 'goes' },
    alsoWrittenBy: ['erasure'],
  },
  flow_date_scans: {
    description: 'How far the contacts were read for a flow that dates of contacts start.',
    export: { omitted: 'Progress of a background job' },
  },
  flow_segments: {
    description: 'When the members of a segment that starts flows were last compared.',
    export: { omitted: 'Progress of a background job' },
  },
  flow_segment_members: {
    description: 'A member of a segment that starts flows, when it was last compared.',
    export: { omitted: 'Progress of a background job' },
    references: { contact_id: 'erasure' },
    erasure: { deleteBy: 'contact_id' },
    alsoWrittenBy: ['marketing/contacts'],
  },
  flow_tasks: {
    description: 'Work on many runs of a flow, started by a request.',
  },
  flow_missed_events: {
    description: 'An event that a paused flow missed.',
    references: { event_id: 'goes' },
    alsoWrittenBy: ['marketing/events'],
  },
});
