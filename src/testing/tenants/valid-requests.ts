import type { Endpoint } from '../../http/api/endpoint.ts';
import type { TestResponse } from '../harness.ts';
import { RECIPES, type Side } from '../recipes.ts';
import { ENDPOINTS } from '../records.ts';
import { CAMPAIGNS } from './campaign-requests.ts';
import { COMMERCE } from './commerce-requests.ts';
import { ABOUT_CONTACTS } from './contact-requests.ts';
import { FLOWS } from './flow-requests.ts';
import type { FilledRequest, Requests, ValidRequest } from './requests.ts';
import type { Ids, SeededCompany } from './seed.ts';
import { SENDING } from './sending-requests.ts';

let bodies = 0;
/** A request whose body is new each time, because names may have to be unique. */
const bodied = ({ of, body }: { of?: string; body: (ids: Ids, mark: string) => object }): ValidRequest => ({
  ...(of === undefined ? {} : { of }),
  get body() {
    return { ...body({}, `new ${++bodies}`) };
  },
});

/** What a change of the resource accepts of the body that creates it. */
function changeable(of: string, body: object): object {
  const { endpoint } = ENDPOINTS.find(
    ({ endpoint: { method, path } }) => method === 'PATCH' && path === `/${of}/{id}`,
  )!;
  return Object.fromEntries(Object.entries(body).filter(([name]) => name in endpoint.body!.properties));
}

/** The requests of resources without any others, from their recipes. */
const PLAIN: Requests = Object.fromEntries(
  RECIPES.filter(({ plain }) => plain).flatMap(({ resource: of, body }) => {
    const made = async ({ ids, make, mark }: SeededCompany) => ({
      [of]: (await make('commerce', 'POST', `/${of}`, body(ids, `${mark} ${++bodies}`))).id,
    });
    const entries: [string, readonly ValidRequest[]][] = [
      [`GET /${of}`, [{}]],
      [`GET /${of}/{id}`, [{ of }]],
      [`POST /${of}`, [bodied({ body })]],
      [`PATCH /${of}/{id}`, [bodied({ of, body: (ids, mark) => changeable(of, body(ids, mark)) })]],
      [`DELETE /${of}/{id}`, [{ of, before: made }]],
    ];
    return entries;
  }),
);

const TABLES: Record<Side, Requests> = {
  commerce: { ...COMMERCE, ...PLAIN },
  marketing: { ...ABOUT_CONTACTS, ...FLOWS, ...CAMPAIGNS, ...SENDING },
};

/** An endpoint that requires a key, with its valid requests; none where nobody wrote one. */
export interface Walked {
  /** As `POST commerce/orders`. */
  name: string;
  side: Side;
  endpoint: Endpoint;
  requests: readonly ValidRequest[];
}

/** Every endpoint that requires a key. */
export const WALKED: readonly Walked[] = ENDPOINTS.filter(({ endpoint }) => endpoint.scope !== 'public').map(
  ({ side, endpoint }) => ({
    name: `${endpoint.method} ${side}${endpoint.path}`,
    side,
    endpoint,
    requests: TABLES[side][`${endpoint.method} ${endpoint.path}`] ?? [],
  }),
);

/** Requests for endpoints that do not exist. */
export const STRAY: readonly string[] = Object.entries(TABLES).flatMap(([side, table]) => {
  const known = new Set(WALKED.filter((one) => one.side === side).map(({ endpoint: e }) => `${e.method} ${e.path}`));
  return Object.keys(table).filter((name) => !known.has(name));
});

/** Sends it with the company's key for everything. */
export function send(
  { shop }: SeededCompany,
  { side, method, path, body }: FilledRequest,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return shop[side](method, path, body, headers);
}
