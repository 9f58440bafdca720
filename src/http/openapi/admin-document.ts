import type { Endpoint } from '../api/endpoint.ts';
import { accountSurface } from '../api/surfaces/admin.ts';
import { commerceSurface } from '../api/surfaces/commerce.ts';
import { marketingSurface } from '../api/surfaces/marketing.ts';
import { openapiDocument } from './document.ts';

/** Every endpoint that the admin app calls. */
export interface AdminEndpoints {
  /** About the person who is signed in. */
  person: readonly Endpoint[];
  /** About one company. */
  admin: readonly Endpoint[];
  commerce: readonly Endpoint[];
  marketing: readonly Endpoint[];
}

interface Operation {
  security: object[];
  responses: Record<string, object>;
}

interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, object>>;
}

const COMPANY = {
  name: 'company',
  in: 'path',
  required: true,
  description: 'The id of the company',
  schema: { type: 'integer', minimum: 1 },
};

/** Returns the OpenAPI document of the admin API: its own endpoints, and those of both APIs with a session instead of a key. */
export function adminDocument({ person, admin, commerce, marketing }: AdminEndpoints): object {
  const whole = openapiDocument(accountSurface, [...person, ...admin]) as Document;
  const own = new Set(person.map(({ path }) => path));
  whole.paths = Object.fromEntries(
    Object.entries(whole.paths).map(([path, item]) => (own.has(path) ? [path, item] : inCompany(path, item))),
  );
  const { responses } = whole.components;
  const refused = Object.fromEntries(
    ['401', '403'].filter((code) => responses![code]).map((code) => [code, ref('responses', code)]),
  );
  add(whole, 'Commerce', openapiDocument(commerceSurface, closed(commerce)) as Document, {});
  add(whole, 'Marketing', openapiDocument(marketingSurface, closed(marketing)) as Document, refused);
  dropUnusedResponses(whole);
  return whole;
}

/** Removes responses that were replaced everywhere. */
function dropUnusedResponses(whole: Document): void {
  const used = JSON.stringify(whole.paths);
  const { responses = {} } = whole.components;
  const kept = Object.entries(responses).filter(([name]) => used.includes(JSON.stringify(ref('responses', name).$ref)));
  whole.components.responses = Object.fromEntries(kept);
}

/** Leaves out endpoints that authenticate themselves: no person calls them. */
export function closed(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.filter(({ scope }) => scope !== 'public');
}

function ref(section: string, name: string): { $ref: string } {
  return { $ref: `#/components/${section}/${name}` };
}

function inCompany(path: string, item: Record<string, object>): [string, Record<string, Operation>] {
  return [`/{company}${path}`, { parameters: [COMPANY], ...item } as unknown as Record<string, Operation>];
}

/** Adds the operations of another document. `responses` override its responses with the same status. */
function add(whole: Document, prefix: string, part: Document, responses: Record<string, object>): void {
  const { paths, components } = withoutClashes(whole, prefix, part);
  for (const [path, item] of Object.entries(paths)) {
    for (const operation of Object.values(item)) {
      operation.security = [{ session: [] }];
      operation.responses = { ...operation.responses, ...responses };
    }
    const [address, parts] = inCompany(path, item);
    whole.paths[address] = parts;
  }
  for (const [section, named] of Object.entries(components)) {
    if (section !== 'securitySchemes') whole.components[section] = { ...whole.components[section], ...named };
  }
  const known = new Set(whole.tags.map(({ name }) => name));
  whole.tags.push(...part.tags.filter(({ name }) => !known.has(name)));
}

/** Prefixes components whose name is taken by a different component, and updates all references to them. */
function withoutClashes(whole: Document, prefix: string, part: Document): Document {
  let text = JSON.stringify(part);
  for (;;) {
    const current = JSON.parse(text) as Document;
    const clashes = Object.entries(current.components).flatMap(([section, named]) =>
      Object.entries(named)
        .filter(([name, value]) => {
          const there = whole.components[section]?.[name];
          return there !== undefined && JSON.stringify(there) !== JSON.stringify(value);
        })
        .map(([name]) => ({ section, name })),
    );
    if (clashes.length === 0) return current;
    for (const { section, name } of clashes) {
      const { [name]: clashing, ...others } = current.components[section]!;
      current.components[section] = { ...others, [prefix + name]: clashing! };
    }
    text = JSON.stringify(current);
    for (const { section, name } of clashes) {
      text = text.replaceAll(JSON.stringify(ref(section, name).$ref), JSON.stringify(ref(section, prefix + name).$ref));
    }
  }
}
