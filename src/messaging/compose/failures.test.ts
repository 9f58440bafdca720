import { afterAll, describe, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import { startSmtpSink } from '../send/transports/smtp-sink.ts';
import { contactOf, flowMessages, ledgerOf, STEP } from '../testing/sending.ts';
import { createComposer } from './composer.ts';
import { createContentCompiler } from './mjml/compiler.ts';
import { createRenderer } from './renderer.ts';

const sink = await startSmtpSink();
afterAll(() => sink.close());
const server = testServer({
  config: { smtpUrl: `smtp://127.0.0.1:${sink.port}?tls=off`, logLevel: 'silent' },
});
const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;

/** Occupies a thread for about 300 ms, the limit. */
const SLOW = '{% for i in (1..999) %}{% for j in (1..999) %}{% if j %}{% endif %}{% endfor %}{% endfor %}';

describe('what fails while messages are composed', () => {
  test('is one message where only that one is at fault', async () => {
    const { app } = server;
    const renderer = createRenderer({ textThreads: 1 });
    const compiler = createContentCompiler();
    const shop = await server.company();
    const template = { subject: 'Hi', previewText: null, content: '<p>{{ n }}</p>', sender: null, context: {} };
    const composer = createComposer({
      db: app.db,
      log: app.log,
      compiler,
      renderer,
      contents: {
        load: async () => (message) => {
          if (message.id === 2) throw new TypeError('made of something that nobody thought of');
          return { template, context: { n: message.id } };
        },
      },
      form: 'content',
      loadContacts: async () => new Map(),
      issueCoupons: async () => new Map(),
      data: {
        customer: async () => new Map(),
        loyalty: async () => new Map(),
        subscription: async () => new Map(),
        cart: async () => new Map(),
        'recommendations.recently_viewed': async () => new Map(),
        'recommendations.best_sellers': async () => new Map(),
        'recommendations.best_sellers_by_category': async () => new Map(),
        'recommendations.bought_together': async () => new Map(),
      },
      masterKey: app.masterKey,
      tokenKey: app.messaging.tokenKey,
      linkBase: () => 'https://shop.example',
    });
    const messages = [1, 2, 3].map(
      (id): ClaimedMessage => ({
        companyId: shop.company_id,
        id,
        epoch: id,
        correlation: null,
        channel: 'email',
        transactional: true,
        contactId: null,
        recipient: `r${id}@example.net`,
        attempts: 0,
        dueAt: server.clock.now(),
        wantedAt: server.clock.now(),
        origin: { kind: 'system', template: 'any', data: {} },
      }),
    );
    const became = new Map<number, unknown>();
    const company = await app.messaging.companies.get(shop.company_id);
    await composer.compose(company, messages, server.clock.now(), async (some) => {
      for (const { message, composed } of some)
        became.set(message.id, composed.kind === 'failed' ? composed.reason : composed.kind);
    });
    await Promise.all([renderer.close(), compiler.close()]);
    expect(Object.fromEntries(became)).toEqual({ 1: 'ready', 2: 'The message cannot be composed', 3: 'ready' });
  });

  test('is one company where its DKIM key cannot be opened', async () => {
    const [broken, other] = [await server.company(), await server.company()];
    // As after a restart with another master key.
    await server.rows(
      `update companies set settings = jsonb_set(settings, '{messaging}', jsonb_build_object('dkim',
         jsonb_build_object('domain', 'example.com', 'selector', 's1', 'sealed_key', 'bm90IHNlYWxlZA==')))
       where company_id = $1`,
      [broken.company_id],
    );
    await server.app.messaging.refreshSettings();
    const [one, two] = [
      await flowMessages(server, broken, [await contactOf(server, broken)]),
      await flowMessages(server, other, [await contactOf(server, other)]),
    ];
    await sender().runOnce();
    expect(await ledgerOf(server, two.ids)).toMatchObject([{ status: 'sent' }]);
    expect(await ledgerOf(server, one.ids)).toMatchObject([
      { status: 'failed', reason: 'The DKIM key cannot be opened' },
    ]);
  });

  test('for want of time is tried again, three times at most, and others go meanwhile', async () => {
    const shop = await server.company();
    const slow = await flowMessages(server, shop, [await contactOf(server, shop)], {
      step: { ...STEP, content: SLOW },
    });
    const quick = await flowMessages(server, shop, [await contactOf(server, shop)]);
    await sender().runOnce();
    expect(await ledgerOf(server, quick.ids)).toMatchObject([{ status: 'sent' }]);
    expect(await ledgerOf(server, slow.ids)).toMatchObject([
      { status: 'queued', reason: 'retry_compose', attempts: 1 },
    ]);
    for (let attempt = 2; attempt <= 3; attempt += 1) {
      server.clock.advance(61_000);
      await sender().runOnce();
    }
    expect(await ledgerOf(server, slow.ids)).toMatchObject([
      { status: 'failed', reason: 'The template takes too long to render' },
    ]);
  }, 30_000);

  test.each([
    ['for want of time puts the template of many messages to rest, and not another one', `${SLOW} many`],
    [
      'for want of time counts, however many messages of the template pass',
      `{% if contact.first_name == 'Eve' %}${SLOW}{% endif %} some`,
    ],
  ])(
    '%s',
    async (_, content) => {
      const shop = await server.company();
      const contacts = await Promise.all(
        Array.from({ length: 30 }, (_one, n) => contactOf(server, shop, { first_name: n % 2 === 0 ? 'Ann' : 'Eve' })),
      );
      const slow = await flowMessages(server, shop, contacts, { step: { ...STEP, content } });
      const began = performance.now();
      await sender().runOnce();
      const rows = await ledgerOf(server, slow.ids);
      const waiting = rows.filter(({ status }) => status !== 'sent');
      expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(['queued']));
      // Not every one of them used its 0.3 s.
      expect(waiting.filter(({ attempts }) => attempts > 0).length).toBeLessThanOrEqual(6);
      expect(waiting.length).toBeGreaterThanOrEqual(15);
      expect(performance.now() - began).toBeLessThan(30 * 300);
    },
    30_000,
  );
});

test('MJML whose compilation was ended is compiled again when it is asked for', async () => {
  const compiler = createContentCompiler({ timeLimitMs: 60 });
  const section = '<mj-section><mj-column><mj-text>x</mj-text></mj-column></mj-section>';
  const source = `<mjml><mj-body>${section.repeat(400)}</mj-body></mjml>`;
  const compile = () => compiler.compile(source, { companyId: 1, priority: 'interactive' });
  try {
    // JIT compilation makes it fast eventually: a template that was killed once can succeed later.
    const first = await compile();
    expect(first).toMatchObject({ ok: false, passing: true });
    const began = performance.now();
    await compile();
    expect(performance.now() - began).toBeGreaterThan(20);
  } finally {
    await compiler.close();
  }
}, 30_000);
