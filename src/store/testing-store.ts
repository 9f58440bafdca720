import type { TestResponse, TestServer } from '../testing/harness.ts';
import { createStoreKeyIn } from './keys/service.ts';

/** A store key, and requests of a visitor with it. */
export interface TestStore {
  id: number;
  key: string;
  get(path: string, headers?: Record<string, string>): Promise<TestResponse>;
  /** `token` is that of a cart. */
  ask(method: string, path: string, body?: object, token?: string): Promise<TestResponse>;
}

/** Creates a store key of a company. */
export async function testStore(server: TestServer, companyId: number, origins: string[] = []): Promise<TestStore> {
  const maker = { companyId, now: server.clock.now(), actor: 'test' };
  const { id, key } = await server.app.db.tx((tx) => createStoreKeyIn(tx, maker, { name: 'Website', origins }));
  return {
    id,
    key,
    get: (path, headers) => server.request('GET', `/store/v1${path}`, { headers: { 'x-store-key': key, ...headers } }),
    ask: (method, path, body, token) => {
      const headers = { 'x-store-key': key, ...(token === undefined ? {} : { 'x-cart-token': token }) };
      return server.request(method, `/store/v1${path}`, { headers, body });
    },
  };
}
