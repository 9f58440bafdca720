import Type, { type Static } from 'typebox';
import type { Endpoint } from '../http/api/endpoint.ts';
import { Nullable, OneOf } from '../lib/schemas.ts';
import { KINDS, RETENTION, type RetentionSetting } from './kinds.ts';

const period = (kind: (typeof KINDS)[number]) => {
  const { unit, default: usual, minimum, maximum, description } = RETENTION[kind];
  return Nullable(
    Type.Integer({
      minimum,
      maximum,
      description: `${description}. Kept for so many ${unit}, ${usual} where nothing was set; null: for ever`,
    }),
  );
};

const periods = Object.fromEntries(KINDS.map((kind) => [RETENTION[kind].setting, period(kind)])) as Record<
  RetentionSetting,
  ReturnType<typeof period>
>;

export const RetentionSettings = Type.Object({
  ...periods,
  progress: Type.Array(
    Type.Object({
      kind: OneOf(KINDS),
      removed_before: Nullable(Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC: what ended before is removed' })),
      removed: Type.Integer({ description: 'Rows removed so far, without months of events that went as a whole' }),
    }),
  ),
});
export type RetentionSettings = Static<typeof RetentionSettings>;

export const RetentionPatch = Type.Partial(Type.Object(periods));
export type RetentionPatch = Static<typeof RetentionPatch>;

export const getRetentionSettings = {
  method: 'GET',
  path: '/retention-settings',
  scope: 'settings:read',
  tag: 'Retention',
  summary: 'Read how long data is kept',
  data: RetentionSettings,
  status: 200,
} as const satisfies Endpoint;

export const updateRetentionSettings = {
  method: 'PATCH',
  path: '/retention-settings',
  scope: 'settings:write',
  personScope: 'company:write',
  tag: 'Retention',
  summary: 'Change how long data is kept',
  description:
    'Changes the given periods. Older data is removed permanently within a day; totals of reports and segments are kept.',
  body: RetentionPatch,
  data: RetentionSettings,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const retentionEndpoints: readonly Endpoint[] = [getRetentionSettings, updateRetentionSettings];
