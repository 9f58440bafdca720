import type { Target, TargetShop } from '../server/target.ts';

const TIMES = 20;

/** Milliseconds of a request of the admin app, one after the other, after one that fills the caches. */
export async function requestTimes(target: Target, of: TargetShop, path: string): Promise<number[]> {
  const url = `http://127.0.0.1:${target.port}/admin/api/${of.companyId}/${path}`;
  const headers = { cookie: `tradeloom=${target.adminCookie}` };
  const times: number[] = [];
  for (let n = 0; n <= TIMES; n++) {
    const began = performance.now();
    const response = await fetch(url, { headers });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    if (n > 0) times.push(performance.now() - began);
  }
  return times;
}
