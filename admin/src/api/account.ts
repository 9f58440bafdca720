import createClient from 'openapi-fetch';
import type { accountPaths } from './schema.ts';
import { send } from './transport.ts';

/** The client of what belongs to a person and no company. */
export const accountApi = createClient<accountPaths>({ baseUrl: `${location.origin}/admin/api`, fetch: send });

type Body<Path extends keyof accountPaths, Method extends string> =
  accountPaths[Path] extends Record<Method, { responses: { 200: { content: { 'application/json': infer Json } } } }>
    ? Json
    : never;

export type Session = Body<'/session', 'get'>;
export type Person = Session['person'];
export type Company = Session['companies'][number];
export type Link = Body<'/links/look', 'post'>;
export type OwnSession = Body<'/me/sessions', 'get'>['sessions'][number];
export type Passkey = Body<'/me/passkeys', 'get'>['passkeys'][number];
