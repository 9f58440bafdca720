import type { TestServer } from '../../../../testing/harness.ts';
import { BY_API } from './api-actions.ts';
import { type Action, type History, one } from './random-history.ts';
import { BY_RECIPIENTS } from './recipient-actions.ts';

export const ACTIONS = { ...BY_API, ...BY_RECIPIENTS } satisfies Record<string, Action>;

/** Relative frequencies. */
const WEIGHTS: Record<keyof typeof ACTIONS, number> = {
  create: 5,
  inBatch: 3,
  patch: 5,
  event: 2,
  register: 3,
  changeCustomer: 4,
  erase: 3,
  eraseCustomer: 1,
  unsubscribe: 2,
  resubscribe: 3,
  lift: 1,
  click: 2,
  agree: 2,
  choose: 1,
  complain: 1,
  bounce: 1,
  softBounce: 2,
  text: 2,
  signUp: 2,
  confirm: 2,
};
const DRAWN = Object.entries(WEIGHTS).flatMap(([name, weight]) =>
  Array<keyof typeof ACTIONS>(weight).fill(name as keyof typeof ACTIONS),
);

export async function performRandomAction(server: TestServer, history: History): Promise<keyof typeof ACTIONS> {
  const name = one(history, DRAWN);
  await ACTIONS[name](server, history);
  return name;
}
