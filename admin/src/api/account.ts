import { errorOf } from './errors.ts';
import { send } from './transport.ts';

export interface Person {
  id: number;
  email: string;
  name: string;
  language: 'en' | 'de';
  theme: 'light' | 'dark' | 'auto';
  has_password: boolean;
  has_totp: boolean;
  passkeys: number;
}

export interface Company {
  id: number;
  name: string;
  currency: string;
  time_zone: string;
  role: string;
  scopes: string[];
}

export interface Session {
  person: Person;
  companies: Company[];
  settings: { mail: boolean; test_clock: boolean; version: string };
}

export interface Link {
  kind: 'owner_setup' | 'operator' | 'invitation' | 'magic';
  email?: string | null;
  company?: string | { name: string } | null;
}

export interface OwnSession {
  id: number;
  created_at: string;
  last_used_at: string;
  address: string | null;
  user_agent: string | null;
  current: boolean;
}

/** A request to the endpoints that belong to a person and no company. @throws ApiError */
export async function account<Body>(method: string, path: string, body?: object): Promise<Body> {
  const request = new Request(`${location.origin}/admin/api${path}`, {
    method,
    ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
  });
  const response = await send(request);
  const json = (await response.json().catch(() => null)) as unknown;
  if (!response.ok) throw errorOf(response.status, json);
  return json as Body;
}
