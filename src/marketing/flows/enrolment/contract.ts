import Type from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { FreeForm, Id } from '../../../lib/schemas.ts';
import { actionDefaults } from '../schemas.ts';

export const EnrollBody = Type.Object({
  contact_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 1_000, uniqueItems: true })),
  event_data: Type.Optional(FreeForm),
});
export const enrollInFlow = {
  ...actionDefaults,
  path: '/flows/enroll/{id}',
  summary: 'Enroll contacts in a flow',
  description:
    'With contact_ids, these contacts regardless of trigger conditions; otherwise the contacts of events missed while it was paused.',
  body: EnrollBody,
  data: Type.Object({ flow_id: Id, enrolled: Type.Integer(), skipped: Type.Integer(), pending: Type.Boolean() }),
} as const satisfies Endpoint;
