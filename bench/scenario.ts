/** What the scenarios are run against: one server with two shops. */
export interface Target {
  /** Of the server, on 127.0.0.1. */
  port: number;
  /** Of PostgreSQL: the folder of its Unix socket, and its port, user and database. */
  database: { host: string; port: number; user: string; database: string };
  /** PRODUCTS products, CUSTOMERS customers, CONTACTS contacts. */
  shop: TargetShop;
  /** How many contacts the shop has; their external ids are 1 and up. */
  contacts: number;
  /** LARGE_PRODUCTS products, for lists. */
  largeShop: TargetShop;
  /** PRODUCTS products, taxes, shipping, a promo code, customers with points. */
  fullShop: TargetShop;
  /** ORDERS orders, for lists of orders; only where a scenario asks for it. */
  orderShop: TargetShop | null;
  /** The id of its first order. */
  firstOrder: number;
  /** MANY_CONTACTS contacts, for searches; only where a scenario asks for it. */
  contactShop: TargetShop | null;
  /** A company with much of everything, for what it may do to others; only where it is asked for. */
  crowdedShop: CrowdedShop | null;
}

export interface CrowdedShop extends TargetShop {
  /** Of contacts: the ids are these and all between. */
  firstContact: number;
  lastContact: number;
  /** The id of a list that every third contact is on. */
  list: number;
}

export interface TargetShop {
  companyId: number;
  key: string;
  webhookSecret: string;
  /** The products' ids are these and all between. */
  firstProduct: number;
  lastProduct: number;
  firstCustomer: number;
  lastCustomer: number;
}

/**
 * What a scenario needs beside the shops that are always there; `crowd:200000` is a crowded one of so many contacts and five
 * times as many events, the others small.
 */
export type Need = 'orders' | 'contacts' | `smtp://${string}` | `crowd:${number}`;

/** What is measured, and beside it what it is measured by. */
export interface Scenario {
  name: string;
  title: string;
  /** Once, before everything else: what the requests need beside the shops. */
  prepare?(target: Target): Promise<void>;
  /** Makes the requests: the n-th whole HTTP/1.1 request of one process. */
  requests(target: Target): (n: number) => string;
  /** Status of every response. */
  status: number;
  needs?: Need;
  /** How many of the thing that is counted one request has; 1 where absent. */
  perRequest?: number;
  /** At work at once, ours and the limit's; CONNECTIONS where absent. One measures how long a response takes. */
  connections?: number;
  limit: {
    title: string;
    /** A pgbench script: one transaction. */
    script(target: Target): string;
    /** As `perRequest`, of one transaction. */
    perTransaction?: number;
  };
  /** What is to be reached: our rate by the limit's, or the milliseconds in which 99 of 100 requests get their response. */
  goal: number | { p99Ms: number };
}

/** A request of the commerce API as it goes over the wire. */
export function commerceRequest(target: Target, shop: TargetShop, method: string, path: string, body = ''): string {
  return (
    `${method} /commerce/v1${path} HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\nX-API-Key: ${shop.key}\r\n` +
    `${contentHeaders(body)}\r\n${body}`
  );
}

/** A request of the marketing API as it goes over the wire. */
export function marketingRequest(target: Target, shop: TargetShop, method: string, path: string, body = ''): string {
  return (
    `${method} /marketing/v1${path} HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\n` +
    `Authorization: Bearer ${shop.key}\r\nX-Company-ID: ${shop.companyId}\r\n${contentHeaders(body)}\r\n${body}`
  );
}

function contentHeaders(body: string): string {
  return body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
}

/** A whole number from `from` to `to`, ends included. */
export function randomBetween(from: number, to: number): number {
  return from + Math.floor(Math.random() * (to - from + 1));
}
