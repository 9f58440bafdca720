import Type, { type TObject } from 'typebox';
import { OneOf } from '../../lib/schemas.ts';
import type { Endpoint } from '../api/endpoint.ts';

export const FORMATS = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' } as const;
export type Format = keyof typeof FORMATS;

/** Parameters that select a page of a list: an export contains all pages. */
export const OF_A_PAGE: readonly string[] = ['page', 'per_page', 'before', 'cursor'];

const format = Type.Optional(OneOf(Object.keys(FORMATS) as Format[]));

/** Returns the query schema of an endpoint: its own, plus `format` for a list that can be exported. */
export function queryOf({ query, inOrderOf }: Endpoint): TObject | undefined {
  return query === undefined || inOrderOf === undefined ? query : Type.Object({ ...query.properties, format });
}
