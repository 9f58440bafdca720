import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Nullable, OneOf } from '../../lib/schemas.ts';

const Moment = Type.String({ format: 'date-time' });

const Check = Type.Object({
  id: Type.String({ description: '`overdue`, `secrets` … as `tradeloom doctor --json` has it' }),
  status: OneOf(['ok', 'note', 'wrong']),
  promise: Type.String(),
  violations: Type.Integer(),
  examples: Type.Array(Type.Object({ company_id: Nullable(Type.Integer()), subject: Type.String() })),
  fix: Nullable(Type.String({ description: 'What to do' })),
});

export const HealthReport = Type.Object({
  running: Type.Boolean(),
  started_at: Nullable(Moment),
  finished_at: Nullable(Moment),
  error: Nullable(Type.String({ description: 'Why the last examination came to no end' })),
  checks: Type.Array(Check, { description: 'Problems first, then notes' }),
  tables: Type.Array(
    Type.Object({ table: Type.String(), bytes: Type.Integer(), rows: Type.Integer({ description: 'About' }) }),
    { description: 'The largest ten' },
  ),
});
export type HealthReport = Static<typeof HealthReport>;
export type HealthCheck = HealthReport['checks'][number];

const shared = { scope: 'session', tag: 'Installation', path: '/installation/health', data: HealthReport } as const;

export const readHealth = {
  ...shared,
  method: 'GET',
  summary: 'Read the last health report of the installation',
  description: 'For who owns the installation: the operator, and the first owner.',
  status: 200,
} as const satisfies Endpoint;

export const examineHealth = {
  ...shared,
  method: 'POST',
  summary: 'Examine the installation',
  description:
    'Begins what `tradeloom doctor` does, in the background, unless it is under way. On a large database it takes minutes.',
  status: 200,
} as const satisfies Endpoint;

export const healthEndpoints: readonly Endpoint[] = [readHealth, examineHealth];
