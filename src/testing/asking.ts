import type { TestBody, TestCompany } from './harness.ts';

/** Requests to the commerce API of the company that a test has by then, and the data that it returns. */
export function asking(shop: () => TestCompany) {
  return {
    /** Sends a request that succeeds. Throws with the response if it does not. */
    async made(path: string, body: object = {}): Promise<TestBody> {
      const response = await shop().commerce('POST', path, body);
      if (response.status > 201) throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`);
      return response.body.data;
    },

    async read(path: string): Promise<TestBody> {
      return (await shop().commerce('GET', path)).body.data;
    },
  };
}
