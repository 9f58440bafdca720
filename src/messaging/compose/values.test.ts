import { describe, expect, it, test } from 'vitest';
import type { Queryable } from '../../db/pool.ts';
import { processorMs } from '../../lib/threads/processor-time.ts';
import { type Asked, categoriesIn, couponsIn, createDataLoader, type DataLoaders, dataIn } from './values.ts';

describe('the data that a text names', () => {
  it.each([
    ['{{ loyalty.points }} {%- if subscription -%}x{% endif %}', ['loyalty', 'subscription']],
    ['{% for item in subscription.items %}{{ item.name }}{% endfor %}', ['subscription']],
    ['{{ contact.first_name | append: loyalty.value }}', ['loyalty']],
    ['{{loyalty["points"]}}', ['loyalty']],
    ['{% for p in recommendations.best_sellers limit: 3 %}', ['recommendations.best_sellers']],
    ['{{ recommendations.recently_viewed.first.name }}', ['recommendations.recently_viewed']],
    [`{% for p in recommendations.best_sellers_by_category['tea'] %}`, ['recommendations.best_sellers_by_category']],
    [
      '{% assign all = recommendations.bought_together | default: recommendations.best_sellers %}',
      ['recommendations.bought_together', 'recommendations.best_sellers'],
    ],
    [
      '{{ recommendations[kind] }}',
      ['recently_viewed', 'best_sellers', 'best_sellers_by_category', 'bought_together'].map(
        (one) => `recommendations.${one}`,
      ),
    ],
  ])('in %s', (text, names) => expect(dataIn(text)).toEqual(names));

  it.each([
    'Our loyalty.points and your subscription',
    '{{ contact.properties.loyalty }} {{ event.subscription.items }} {{ my_loyalty }} {{ loyalty-x }} {{ subscriptions }}',
    `{{ 'loyalty.points' | upcase }} {{ "subscription" }}`,
    '{{ loyalty',
    '{{ recommendations.others }} {{ best_sellers }} recommendations.best_sellers',
  ])('is none in %s', (text) => expect(dataIn(text)).toEqual([]));

  it.each(['{', '{{', '{% ', '{{ loyalty', "{{ '", `{{ '"`, '{{ x }} {{', '{{}'])(
    'is found in time for %j repeated',
    (part) => {
      const started = processorMs();
      expect(dataIn(`{{ loyalty }}subscription${part.repeat(1_000_000 / part.length)}`)).toContain('loyalty');
      expect(processorMs() - started).toBeLessThan(1_000);
    },
  );
});

test('the categories that a text names', () => {
  const text = `{{ recommendations.best_sellers_by_category['tea'] }} {% for p in recommendations.best_sellers_by_category["a & b"] %}
    {{ recommendations.best_sellers_by_category.green-tea.size }} recommendations.best_sellers_by_category['not'] {{ x['no'] }}`;
  expect(categoriesIn(text)).toEqual(['tea', 'a & b', 'green-tea']);
  const many = Array.from({ length: 30 }, (_, i) => `{{ recommendations.best_sellers_by_category['c${i}'] }}`).join('');
  expect(categoriesIn(many)).toHaveLength(20);
  const started = processorMs();
  for (const part of ["best_sellers_by_category['", 'best_sellers_by_category[ ', 'best_sellers_by_category']) {
    categoriesIn(`{{ ${part.repeat(1_000_000 / part.length)} }}`);
  }
  expect(processorMs() - started).toBeLessThan(1_000);
});

describe('values of messages', () => {
  const calls: string[] = [];
  const loader = (name: string) => async (_db: unknown, _company: number, ids: number[], asked: Asked) => {
    calls.push(`${name} ${[...ids, ...asked.categories]}`);
    return new Map(ids.filter((id) => id !== 9).map((id) => [id, { points: id }]));
  };
  const loaders: DataLoaders = {
    customer: loader('customer'),
    loyalty: loader('loyalty'),
    subscription: loader('subscription'),
    cart: loader('cart'),
    'recommendations.recently_viewed': loader('viewed'),
    'recommendations.best_sellers': loader('best'),
    'recommendations.best_sellers_by_category': loader('categories'),
    'recommendations.bought_together': loader('together'),
  };
  const noRows: Queryable = { query: async () => [] };
  const load = async (texts: string[], owners: [contact: number | null, externalId: string | null][]) => {
    calls.length = 0;
    const all = owners.map(([contactId, externalId], messageId) => ({ messageId, texts, contactId, externalId }));
    const of = await createDataLoader(loaders)(noRows, 1, all, new Date());
    return owners.map((_, messageId) => of(messageId));
  };

  it('are loaded once for all messages, and only those that are named', async () => {
    const owners = [1, 2, 3, 3].map((id): [number, string] => [id, String(id)]);
    expect(await load(['{{ loyalty.points }}', '{{ loyalty.value }}'], owners)).toEqual(
      [1, 2, 3, 3].map((points) => ({ loyalty: { points } })),
    );
    expect(calls).toEqual(['loyalty 1,2,3']);
    await load(
      ['{{ cart.total }}'],
      [
        [4, '1'],
        [5, null],
        [null, null],
      ],
    );
    expect(calls).toEqual(['cart 4,5']);
    await load(
      ['{{ recommendations.recently_viewed.size }}'],
      [
        [4, '1'],
        [5, null],
      ],
    );
    expect(calls).toEqual(['viewed 4,5']);
    await load(
      ["{{ recommendations.best_sellers_by_category['tea'] }}", '{{ recommendations.bought_together }}'],
      [
        [4, '1'],
        [5, null],
      ],
    );
    expect(calls).toEqual(['categories 4,5,tea', 'together 1,tea']);
    expect(await load(['{{ contact.email }}'], owners)).toEqual([{}, {}, {}, {}]);
    expect(calls).toEqual([]);
  });

  it('of recommendations are in one variable, which is null where there are none', async () => {
    const named = ['{{ recommendations.bought_together }}{{ recommendations.best_sellers }}'];
    expect(
      await load(named, [
        [1, '2'],
        [1, null],
        [9, '9'],
      ]),
    ).toEqual([
      { recommendations: { bought_together: { points: 2 }, best_sellers: { points: 1 } } },
      { recommendations: { best_sellers: { points: 1 } } },
      { recommendations: null },
    ]);
    const [sample] = await load(["{{ recommendations.best_sellers_by_category['tea'].first.name }}"], [[null, null]]);
    expect(sample!.recommendations).toMatchObject({
      best_sellers_by_category: { tea: expect.arrayContaining([expect.objectContaining({ id: '1' })]) },
    });
  });

  it('are null where there is none, and samples where there is no contact', async () => {
    const named = ['{{ loyalty.points }}'];
    expect(
      await load(named, [
        [9, '9'],
        [5, null],
        [6, 'abc'],
        [7, '01'],
        [8, '1e3'],
      ]),
    ).toEqual(Array(5).fill({ loyalty: null }));
    expect(calls).toEqual(['loyalty 9']);
    expect(await load(named, [[null, null]])).toEqual([{ loyalty: { points: 240, value: 2.4 } }]);
    expect(calls).toEqual([]);
  });
});

describe('the coupons in a text', () => {
  it('are those of its Liquid tags', () => {
    const texts = [
      '<p>{{ coupon.SUMMER }} and {{coupon.winter_2|upcase}}</p>',
      "{%- if contact.tags contains 'vip' and coupon.VIP -%}{{-coupon.VIP-}}{% endif %}",
      '{{ contact.first_name | default: "}" | append: coupon.LAST }}',
    ];
    expect(couponsIn([...texts, null, undefined])).toEqual(['SUMMER', 'winter_2', 'VIP', 'LAST']);
  });

  it('are neither addresses, nor sentences, nor texts in quotes, nor fields of other variables', () => {
    const texts = [
      '<img src="https://cdn.example.com/coupon.png"> <a href="https://coupon.example.com/a">',
      'Here is a coupon.Use it today.',
      `{{ 'coupon.png' | prepend: "https://coupon.example.com/" }} {{ order.coupon.code }}`,
      '{{ contact.first_name }} coupon.Use it {{ company.name }}',
    ];
    expect(couponsIn(texts)).toEqual([]);
  });

  it.each(['{', '{{', '{% ', '{{ coupon.', "{{ '", `{{ '"`, '{{ x }} {{', '{{}'])(
    'are found in time for %j repeated',
    (part) => {
      const text = `{{ coupon.A }}coupon.${part.repeat(1_000_000 / part.length)}`;
      const started = processorMs();
      expect(couponsIn([text])).toContain('A');
      expect(processorMs() - started).toBeLessThan(1_000);
    },
  );
});
