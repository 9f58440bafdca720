import { describe, expect, it } from 'vitest';
import { processorMs } from '../../lib/threads/processor-time.ts';
import { couponsIn } from './coupons.ts';

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
