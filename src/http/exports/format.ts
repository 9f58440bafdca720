import Type, { type TObject } from 'typebox';
import { OneOf } from '../../lib/schemas.ts';
import type { Endpoint } from '../api/endpoint.ts';

export const FORMATS = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' } as const;
export type Format = keyof typeof FORMATS;

/** Parameters that say which page a list shows: an export has all of it. */
export const OF_A_PAGE: readonly string[] = ['page', 'per_page', 'before', 'cursor'];

const format = Type.Optional(OneOf(Object.keys(FORMATS) as Format[]));

/** What the query of an endpoint may hold: of a list that can be exported `format` besides its own. */
export function queryOf({ query, inOrderOf }: Endpoint): TObject | undefined {
  return query === undefined || inOrderOf === undefined ? query : Type.Object({ ...query.properties, format });
}
