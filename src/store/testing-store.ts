import type { TestCompany, TestResponse, TestServer } from '../testing/harness.ts';
import { createStoreKeyIn } from './keys/service.ts';

/** A store key, and requests of a visitor with it. */
export interface TestStore {
  id: number;
  key: string;
  get(path: string, headers?: Record<string, string>): Promise<TestResponse>;
  /** `token` is that of a cart. */
  ask(method: string, path: string, body?: object, token?: string): Promise<TestResponse>;
  /** As a customer, with the headers of their session. */
  send(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<TestResponse>;
}

/** Whose mailbox is read. */
type Mailer = Pick<TestCompany, 'marketing'>;

/** Creates a store key of a company. */
export async function testStore(
  server: TestServer,
  companyId: number,
  origins: string[] = [],
  location_id: number | null = null,
): Promise<TestStore> {
  const maker = { companyId, now: server.clock.now(), actor: 'test' };
  const { id, key } = await server.app.db.tx((tx) =>
    createStoreKeyIn(tx, maker, { name: 'Website', origins, location_id }),
  );
  const own = { 'x-store-key': key };
  return {
    id,
    key,
    get: (path, headers) => server.request('GET', `/store/v1${path}`, { headers: { ...own, ...headers } }),
    ask: (method, path, body, token) => {
      const headers = { ...own, ...(token === undefined ? {} : { 'x-cart-token': token }) };
      return server.request(method, `/store/v1${path}`, { headers, body });
    },
    send: (method, path, body, headers) =>
      server.request(method, `/store/v1${path}`, { body, headers: { ...own, ...headers } }),
  };
}

/** Sends what waits, and returns the newest e-mail to the address; undefined if there is none. */
export async function newestMail(
  server: TestServer,
  shop: Mailer,
  to: string,
): Promise<{ subject: string; text: string } | undefined> {
  await server.app.workers.find((worker) => worker.name === 'sender')!.runOnce();
  const { body } = await shop.marketing('GET', `/mailbox?to=${encodeURIComponent(to)}`);
  const [newest] = body.messages as { id: number; subject: string }[];
  return newest === undefined ? undefined : (await shop.marketing('GET', `/mailbox/${newest.id}`)).body;
}

/** Returns the code in the newest e-mail to the address. */
export async function mailedCode(server: TestServer, shop: Mailer, to: string): Promise<string> {
  return /\d{6}/.exec((await newestMail(server, shop, to))!.subject)![0];
}

/** Opens an account by a code. Returns the headers of the customer's requests. */
export async function signUp(
  server: TestServer,
  shop: Mailer,
  store: TestStore,
  email: string,
): Promise<{ id: number; headers: { authorization: string } }> {
  await store.send('POST', '/customers/code', { email });
  const code = await mailedCode(server, shop, email);
  const { token, customer } = (await store.send('POST', '/customers/verify', { email, code })).body.data;
  return { id: customer.id, headers: { authorization: `Bearer ${token}` } };
}
