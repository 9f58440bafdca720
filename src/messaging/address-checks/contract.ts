import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Nullable, OneOf } from '../../lib/schemas.ts';
import { UNREACHABLE } from '../../net/probe.ts';
import { ADDRESS_KINDS, LONGEST_ADDRESS } from '../compose/warnings/addresses.ts';

export const MOST_CHECKED = 30;

export const CheckedAddress = Type.Object({
  address: Type.String(),
  kind: OneOf(ADDRESS_KINDS),
  result: OneOf(['ok', 'bad_status', 'not_a_picture', 'large_picture', 'unreachable', 'not_checked'] as const),
  status: Nullable(Type.Integer({ description: 'Of the response, behind all redirects' })),
  reason: Nullable(
    OneOf([...UNREACHABLE, ...(['personal', 'port', 'password', 'not_web', 'out_of_time'] as const)], {
      description: 'Why it is unreachable or was not checked',
    }),
  ),
  type: Nullable(Type.String({ description: 'The media type of the response' })),
  bytes: Nullable(Type.Integer({ description: 'The size of the picture; null where the response does not say it' })),
});
export type CheckedAddress = Static<typeof CheckedAddress>;

/** Only for the admin app: a person starts the check before a message is sent. */
export const checkAddresses = {
  method: 'POST',
  path: '/address-checks',
  scope: 'marketing:write',
  tag: 'Templates',
  summary: 'Call the links and pictures of an e-mail',
  description:
    'From this server, with HEAD, or GET where that is refused: 5 seconds for each address, 20 for all. Addresses that could unsubscribe, confirm or sign somebody in are not called. In each process of the server one check of a company runs at a time, 20 within 10 minutes.',
  unaudited: 'changes nothing',
  // A larger body would need a parse slot and hold it while this endpoint waits for the network.
  bodyLimit: 65_000,
  body: Type.Object({
    addresses: Type.Array(
      Type.Object({
        address: Type.String({ minLength: 1, maxLength: LONGEST_ADDRESS }),
        kind: OneOf(ADDRESS_KINDS),
      }),
      { minItems: 1, maxItems: MOST_CHECKED },
    ),
  }),
  data: Type.Object({ addresses: Type.Array(CheckedAddress, { description: 'In the order of the request' }) }),
  status: 200,
} as const satisfies Endpoint;

export const addressCheckEndpoints: readonly Endpoint[] = [checkAddresses];
