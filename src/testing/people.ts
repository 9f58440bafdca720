import type { Role } from '../access/roles.ts';
import { beginSession } from '../access/sessions.ts';
import type { TestResponse, TestServer } from './harness.ts';

/** A person with a browser: their requests carry its cookie, as the admin app's pages send them. */
export interface TestPerson {
  id: number | null;
  email: string;
  cookie: string;
  /** Sends a request below /admin/api. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
}

export const FROM_THE_APP = { 'sec-fetch-site': 'same-origin', 'x-tradeloom-admin': '1' };
let people = 0;

/** Creates a signed-in member of these companies, without a password, bypassing all services. */
export async function testPerson(server: TestServer, roles: Record<number, Role>): Promise<TestPerson> {
  const email = `person-${++people}@example.com`;
  const now = server.clock.now();
  const [row] = await server.rows<{ id: string }>(
    'insert into persons (email, name, created_at) values ($1, $2, $3) returning id',
    [email, `Person ${people}`, now],
  );
  const id = Number(row!.id);
  for (const [company, role] of Object.entries(roles)) {
    await server.rows('insert into members (company_id, person_id, role, created_at) values ($1, $2, $3, $4)', [
      ...[Number(company), id, role, now],
    ]);
  }
  const secret = await beginSession(server.app.db, { personId: id, address: '127.0.0.1', userAgent: 'test', now });
  return browserOf(server, { id, email, cookie: `tradeloom=${secret}` });
}

/** A browser without a session. */
export function stranger(server: TestServer): TestPerson {
  return browserOf(server, { id: null, email: '', cookie: '' });
}

function browserOf(server: TestServer, who: Pick<TestPerson, 'id' | 'email' | 'cookie'>): TestPerson {
  const person: TestPerson = {
    ...who,
    async ask(method, path, body, headers) {
      const cookie: Record<string, string> = person.cookie === '' ? {} : { cookie: person.cookie };
      const given = method === 'GET' ? {} : FROM_THE_APP;
      const response = await server.request(method, `/admin/api${path}`, {
        ...(body === undefined ? {} : { body }),
        headers: { ...given, ...cookie, ...headers },
      });
      const set = response.headers.get('set-cookie');
      if (set !== null) person.cookie = set.includes('Max-Age=0') ? '' : set.split(';')[0]!;
      return response;
    },
  };
  return person;
}
