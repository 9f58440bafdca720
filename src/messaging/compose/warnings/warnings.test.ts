import { describe, expect, test } from 'vitest';
import { pathsIn } from '../liquid/render.ts';
import { findingsOf } from '../thread/previews.ts';
import { sentenceOf } from './findings.ts';
import { knownNames, namesIn, unknownPaths } from './variables.ts';

const known = knownNames(['size', 'Favourite tea'], ['SUMMER'], ['birthday']);
const unknown = (text: string) => unknownPaths(pathsIn(text), known).map(({ path, nearest }) => `${path} → ${nearest}`);

describe('variables', () => {
  test.each([
    ['{{ contact.firstname }}', ['contact.firstname → contact.first_name']],
    ['{{ first_name | default: "there" }}', ['first_name → contact.first_name']],
    ['{{ contact.size }}', ['contact.size → contact.properties.size']],
    ['{{ contact.properties.colour }}', ['contact.properties.colour → null']],
    ['{{ x | default: contact.emial }}', ['x → null', 'contact.emial → contact.email']],
    ['{% if contcat.email %}{{ contact.email }}{% endif %}', ['contcat.email → contact.email']],
    ['{% for t in contact.tag %}{{ t }}{% endfor %}', ['contact.tag → contact.tags']],
    ['{{ coupon.WINTER }}', ['coupon.WINTER → null']],
    ['{{ constructor.name }} {{ contact.toString }}', ['constructor.name → null', 'contact.toString → null']],
  ])('of %s that are unknown are named', (text, expected) => expect(unknown(text)).toEqual(expected));

  test.each([
    '{{ contact.first_name }} {{ contact.tags.size }} {{ contact.tags[0] }} {{ contact["properties"]["Favourite tea"] }}',
    '{{ event.items[0].name }} {{ order.order_id }} {{ vars.a.b }} {{ event[contact.email] }}',
    '{% assign a = 1 %}{{ a }} {% capture b %}x{% endcapture %}{{ b }} {% for t in contact.tags %}{{ t }}{{ forloop.index }}{% endfor %}',
    '{{ coupon.summer }} {{ company.name }} {{ unsubscribe_url }} {{ contact.consent.email.state }}',
    '{% raw %}{{ contact.nonsense }}{% endraw %} {{ unfinished',
    'no braces',
  ])('of %s are all known', (text) => expect(unknown(text)).toEqual([]));

  test('have whole names', () => {
    expect(namesIn(known)).toEqual(
      expect.arrayContaining(['contact.first_name', 'contact.properties.size', 'coupon.SUMMER', 'event']),
    );
  });
});

const WORDS =
  'These are quite enough words of ordinary length for anybody to read them without thinking of spam at all, today or tomorrow. ';
const examined = (content: string, subject = 'Hello') => {
  const rendered = { subject, html: content, text: WORDS };
  return findingsOf({ source: { subject, previewText: '', content }, rendered, email: true, known });
};
const codes = (content: string, subject?: string) => examined(content, subject).map(({ code }) => code);
const LEAVE = '<a href="{{ unsubscribe_url }}">x</a>';

describe('an e-mail', () => {
  test.each([
    ['<a href="https://x.example">x</a>', []],
    ['<a href="">x</a>', ['empty_link']],
    ['<a href="#">x</a>', ['empty_link']],
    ['<a>x</a>', ['empty_link']],
    ['<a name="top">x</a><a href="#top">x</a>', []],
    ['<a href="https://">x</a>', ['empty_link']],
    ['<a href="www.x.example">x</a>', ['unusual_link']],
    ['<a href="javascript:x">x</a>', ['unusual_link']],
    ['<a href="mailto:a@x.example">x</a><a href="tel:+49">x</a>', []],
    ['<a href="http://localhost:3000/x">x</a>', ['local_link']],
    ['<a href="https://192.168.1.4/x">x</a>', ['local_link']],
    ['<img src="http://x.example/a.png" alt="a">', ['insecure_picture']],
    ['<img src="https://x.example/a.png">', ['picture_without_text']],
    [
      '<img src="https://x.example/a.png" alt=" "><img src="https://x.example/b.png" alt="b">',
      ['picture_without_text'],
    ],
    ['<!-- <a href=""> --><style>.a { b: "<img>" }</style>', []],
    [`<p>${'x'.repeat(110_000)}</p>`, ['too_large']],
  ])('%# has the findings that it should', (content, expected) => {
    expect(
      codes(`${content}${LEAVE.replace('{{ unsubscribe_url }}', 'https://u.example')}<!-- {{ unsubscribe_url }} -->`),
    ).toEqual(expected);
  });

  test('without an unsubscribe link, of few words or many capitals says so', () => {
    expect(codes('<p>x</p>')).toEqual(['no_unsubscribe']);
    expect(codes('<p>{{ preferences_url }}</p>')).toEqual([]);
    expect(codes('<p>{{ preferences_url }}</p>', 'BUY NOW OR NEVER')).toEqual(['many_capitals']);
    const content = '<img src="https://x.example" alt="a">{{ preferences_url }}';
    const rendered = { subject: 'Hi', html: content, text: 'Three short words' };
    const found = findingsOf({ source: { subject: '', previewText: '', content }, rendered, email: true, known });
    expect(found.map(({ code }) => code)).toEqual(['few_words']);
  });

  test('with a thousand broken links names ten of them', () => {
    const links = Array.from({ length: 1_000 }, (_, i) => `<a href="x${i}">x</a>`).join('');
    expect(codes(links).filter((code) => code === 'unusual_link')).toHaveLength(10);
  });

  test('has a sentence for each finding', () => {
    const [finding] = examined('{{ contact.firstname }}{{ preferences_url }}');
    expect(sentenceOf(finding!)).toBe(
      'content: there is no variable contact.firstname; did you mean contact.first_name?',
    );
  });
});
