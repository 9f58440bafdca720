import { signToken } from '../../../../messaging/consent/tokens.ts';
import type { TestCompany, TestServer } from '../../../../testing/harness.ts';
import { random } from '../../../../testing/random/seed.ts';
import { ConsentModel } from './consent-model.ts';
import type { Customer, Person } from './person.ts';

/** A shop that many histories share. */
export interface ShopFixture {
  shop: TestCompany;
  list: number;
  /** The list with double opt-in. */
  confirmed: number;
  product: number;
  number: string;
  /** The public id of a signup form with double opt-in, for the list. */
  form: string;
}

/** A message that was delivered. */
export interface Received {
  contactId: number;
  messageId: number;
  to: string;
  confirmUrl: string | null;
  /** Its link was used; using it again has no effect. */
  isUsed?: true;
}

export interface History {
  fixture: ShopFixture;
  model: ConsentModel;
  pick: (below: number) => number;
  emails: string[];
  phones: string[];
  received: Received[];
  /** Customers with undelivered changes in the outbox. */
  news: Map<Customer, { saidSo: boolean }>;
  log: string[];
  /** The client address from which forms are sent. */
  network: string;
}

export const SMS_TOKEN = 'the account’s token';

export function newHistory(fixture: ShopFixture, n: number): History {
  const number = (k: number): string => `+1213${2_000_000 + 2 * n + k}`;
  return {
    fixture,
    model: new ConsentModel(),
    pick: random(n),
    received: [],
    news: new Map(),
    log: [],
    emails: ['a', 'b', 'c'].map((name) => `h${n}${name}@example.net`),
    phones: [number(0), number(1)],
    network: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
  };
}

/** An action of a history, applied to the server and to the model. */
export type Action = (server: TestServer, history: History) => Promise<void>;

export function one<T>({ pick }: History, of: readonly T[]): T {
  return of[pick(of.length)]!;
}

export function pickPerson(history: History): Person | undefined {
  const people = [...history.model.people].filter((person) => person.id !== 0);
  return people.length === 0 ? undefined : one(history, people);
}

export function assertThat(what: boolean, text: string): void {
  if (!what) throw new Error(text);
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A delivered message, possibly an old one, and the page of its unsubscribe link. */
export function pickUnsubscribePage(server: TestServer, history: History): (Received & { path: string }) | null {
  const received = history.received.filter((each) => each.confirmUrl === null);
  if (received.length === 0) return null;
  const message = one(history, received);
  const ids = { companyId: history.fixture.shop.company_id, subject: message.contactId, detail: message.messageId };
  return { ...message, path: `/u/${signToken(server.app.messaging.tokenKey, 'unsubscribe', ids)}` };
}
