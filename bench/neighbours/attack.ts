import type pg from 'pg';
import type { CrowdedShop, Target } from '../server/target.ts';

/** One request of a company that does its worst. */
export interface AttackRequest {
  side: 'commerce' | 'marketing';
  method: 'GET' | 'POST';
  path: string;
  /** JSON. */
  body?: string;
  /** Replaces the company's own key. */
  key?: string;
}

/** What a company may do to the others who share the program with it. */
export interface Attack {
  name: string;
  title: string;
  /** Each sends one request at a time, the next as soon as the response arrives, refused or not. */
  connections: number;
  /** Instead of requests: keeps every processor busy outside of the program, with the lowest priority. */
  spins?: true;
  /** Runs once, before it begins. `hanging` is an address that accepts connections and never responds. */
  prepare?(target: Target, client: pg.Client, hanging: string): Promise<void>;
  /** Creates the requests: the n-th of the process. */
  requests(target: Target, shop: CrowdedShop): (n: number) => AttackRequest;
}

const BATCH = 500;

export const each = (requests: AttackRequest[]): ((n: number) => AttackRequest) => {
  return (n) => requests[n % requests.length]!;
};
export const marketing = (path: string, body: object): AttackRequest => {
  return { side: 'marketing', method: 'POST', path, body: JSON.stringify(body) };
};
export const commerce = (path: string, body: object): AttackRequest => {
  return { side: 'commerce', method: 'POST', path, body: JSON.stringify(body) };
};
/** The requests of a pattern in which every # is replaced with a text that no other request has. */
export const numbered = (pattern: AttackRequest): ((n: number) => AttackRequest) => {
  const run = crypto.randomUUID();
  return (n) => ({ ...pattern, body: pattern.body!.replaceAll('#', `${run}-${n}`) });
};
/** A batch of about a mebibyte. */
export const batchOf = (name: string, item: (i: number) => object): object => {
  return { [name]: Array.from({ length: BATCH }, (_, i) => item(i)) };
};
