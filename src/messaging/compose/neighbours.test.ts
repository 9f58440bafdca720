import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MAX_WAITING } from '../../lib/threads/pool.ts';
import { testServer } from '../../testing/harness.ts';

const server = testServer({ impatient: true });

/** Occupies a thread for about 300 ms. */
const SLOW = '{% for i in (1..999) %}{% for j in (1..999) %}{% if j %}{% endif %}{% endfor %}{% endfor %}';

test('60 slow previews of one company do not keep another company waiting for more than a few of them', async () => {
  const [slow, quick] = [await server.company(), await server.company()];
  const preview = (shop: typeof slow, content: string) => shop.marketing('POST', '/templates/preview', { content });
  await Promise.all([preview(slow, 'warm'), preview(quick, 'warm')]);
  const began = performance.now();
  expect((await preview(slow, SLOW)).status).toBe(400);
  const one = performance.now() - began;

  let ended = 0;
  const many = Array.from({ length: 60 }, async (_, n) => {
    const { status } = await preview(slow, `${SLOW}${n}`);
    ended += 1;
    return status;
  });
  // By now they are queued.
  await pause(50);
  const before = ended;
  for (let n = 0; n < 3; n += 1) {
    const since = performance.now();
    expect((await preview(quick, `quick ${n}`)).status).toBe(200);
    // Companies take turns, and a thread may be killed and restarted meanwhile.
    expect(performance.now() - since).toBeLessThan(4 * one + 500);
  }
  expect(ended - before).toBeLessThan(30);
  // Those that would wait too long are refused with 429.
  expect(new Set(await Promise.all(many))).toEqual(new Set([400, 429]));
}, 60_000);

test('beyond what one company may have waiting it is told to come back, and another company is not', async () => {
  const [slow, quick] = [await server.company(), await server.company()];
  const preview = (shop: typeof slow, content: string) => shop.marketing('POST', '/templates/preview', { content });
  const many = Array.from({ length: MAX_WAITING + 20 }, (_, n) => preview(slow, `${SLOW}${n}`));
  await pause(50);
  expect((await preview(quick, 'quick')).status).toBe(200);
  const refused = (await Promise.all(many)).filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(20);
  expect(refused[0]!.body).toMatchObject({ error: 'rate_limit_exceeded', code: 429, details: [] });
  expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}, 60_000);

test('the MJML of one company that takes all of its time does not keep another from its own', async () => {
  const [slow, quick] = [await server.company(), await server.company()];
  const page = (inside: string): string => `<mjml><mj-body>${inside}</mj-body></mjml>`;
  const deep = page('<mj-wrapper>'.repeat(3_000));
  const preview = (shop: typeof slow, content: string) => shop.marketing('POST', '/templates/preview', { content });
  const plain = page('<mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section>');
  const [first, other] = await Promise.all([preview(slow, deep), preview(quick, plain)]);
  expect(first.status).toBe(400);
  expect(other.status).toBe(200);
}, 60_000);
