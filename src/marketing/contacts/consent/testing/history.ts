import { signToken } from '../../../../messaging/consent/tokens.ts';
import type { TestCompany, TestServer } from '../../../../testing/harness.ts';
import { ConsentModel } from './consent-model.ts';
import type { Customer, Person } from './person.ts';

/** One shop in which many histories take place beside each other. */
export interface Town {
  shop: TestCompany;
  list: number;
  /** With double opt-in. */
  confirmed: number;
  product: number;
  number: string;
  /** The public id of a signup form with double opt-in, for the list. */
  form: string;
}

/** A mail or SMS that somebody has. */
export interface Received {
  contactId: number;
  messageId: number;
  to: string;
  confirmUrl: string | null;
  /** It was confirmed by the link: to do so again says nothing. */
  isUsed?: true;
}

export interface History {
  town: Town;
  words: ConsentModel;
  pick: (below: number) => number;
  emails: string[];
  phones: string[];
  received: Received[];
  /** Customers of whom the outbox has news. */
  news: Map<Customer, { saidSo: boolean }>;
  log: string[];
  /** From where its people send forms. */
  network: string;
}

export const SMS_TOKEN = 'the account’s token';

/** mulberry32: the same choices for the same seed. */
export function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

export function newHistory(town: Town, n: number, seed: number): History {
  const number = (k: number): string => `+1213${2_000_000 + 2 * n + k}`;
  return {
    ...{ town, words: new ConsentModel(), pick: random(seed * 1_000_003 + n), received: [], news: new Map(), log: [] },
    emails: ['a', 'b', 'c'].map((name) => `h${n}${name}@example.net`),
    phones: [number(0), number(1)],
    network: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
  };
}

/** One thing that happens in a history: at the server, and to the words. */
export type Action = (server: TestServer, history: History) => Promise<void>;

export function one<T>({ pick }: History, of: readonly T[]): T {
  return of[pick(of.length)]!;
}

export function somebody(history: History): Person | undefined {
  const people = [...history.words.people].filter((person) => person.id !== 0);
  return people.length === 0 ? undefined : one(history, people);
}

export function hold(what: boolean, text: string): void {
  if (!what) throw new Error(text);
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Something that came, perhaps long ago, and the page that its link leads to. */
export function aPage(server: TestServer, history: History): (Received & { path: string }) | null {
  const received = history.received.filter((each) => each.confirmUrl === null);
  if (received.length === 0) return null;
  const message = one(history, received);
  const ids = { companyId: history.town.shop.company_id, subject: message.contactId, detail: message.messageId };
  return { ...message, path: `/u/${signToken(server.app.messaging.tokenKey, 'unsubscribe', ids)}` };
}
